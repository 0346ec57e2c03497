#if canImport(Darwin)
  package import Foundation

  /// A child process; Darwin's own class keeps what it promises.
  package typealias SpawnedProcess = Process
#endif
