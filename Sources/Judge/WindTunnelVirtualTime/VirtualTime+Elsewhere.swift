#if !os(Linux)
  internal import Foundation

  extension VirtualTime {
    /// The reason why virtual time is not supported.
    static let hindrance: String? = "it requires Linux and Swift 6.3. Run the code in real time."

    /// Always `false`, because no thread is in a run.
    static var isHere: Bool { false }

    /// Does nothing, because there are no runs.
    package static func listen(for time: Duration) {}

    /// Does nothing, because there are no runs.
    package static func containCrashes(telling tell: @escaping @Sendable (Crash) -> Void) {}

    /// Only runs the work, because there are no runs.
    static func sharingTurn<Value>(_ work: () async throws -> Value) async throws -> Value {
      try await work()
    }

    /// Always throws. Callers check `hindrance` first.
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
