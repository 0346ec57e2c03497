#if canImport(Darwin)
  package import Foundation

  /// A child process; Darwin's own class keeps what it promises.
  package typealias SpawnedProcess = Process

  extension Process {
    /// Nobody is told there of a parent's end: who has to end with it watches a pipe.
    package var endsWithParent: Bool {
      get { false }
      set {}
    }
  }
#endif
