#if !os(Linux)
  internal import Foundation

  extension VirtualTime {
    /// The reason for which it is not to be had.
    static let hindrance: String? = "it runs on Linux, with Swift 6.3. Run the code in real time."

    /// Tells that no thread has the time of a run.
    static var isHere: Bool { false }

    /// Does nothing, where no run is.
    package static func listen(for time: Duration) {}

    /// Does nothing, where no run is.
    package static func containCrashes(telling tell: @escaping @Sendable (Crash) -> Void) {}

    /// Does the work, where no run is.
    static func sharingTurn<Value>(_ work: () async throws -> Value) async throws -> Value {
      try await work()
    }

    /// Runs nothing: nobody comes here with a hindrance.
    static func run<Value: Sendable>(
      _ order: TurnOrder,
      _ seed: UInt64?,
      startingAt date: Date?,
      _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
      throw NotVirtual(.unsupported(hindrance ?? ""))
    }
  }
#endif
