import Origins
import Testing
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnelServer

/// The loops that a test starts for its origins run until the test has ended, however it ends.
struct LoopsOfATest: SuiteTrait, TestTrait, TestScoping {
  @TaskLocal fileprivate static var started: Locked<[EventLoop]>?

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let started = Locked<[EventLoop]>([])
    let outcome: Result<Void, any Error>
    do {
      try await Self.$started.withValue(started) { try await function() }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    for loop in started.withLock({ $0 }) { await loop.stop() }
    try outcome.get()
  }
}

extension Trait where Self == LoopsOfATest {
  /// Stops what ``EventLoop/ofTheTest()`` has started; the suite that asks for a loop says it.
  static var stopsLoops: Self { LoopsOfATest() }
}

extension EventLoop {
  /// A loop that stops when the test has ended.
  static func ofTheTest() throws -> EventLoop {
    let started = try #require(LoopsOfATest.started, "the suite says no .stopsLoops")
    let loop = try EventLoop()
    started.withLock { $0.append(loop) }
    return loop
  }

  /// Listens on a free port until the test has ended; `play` says what each connection's script is.
  static func serve(
    at address: SocketAddress = .loopback(),
    limits: Limits = .patient,
    _ play: @escaping @Sendable (Script) -> Void
  ) async throws -> SocketAddress {
    try await ofTheTest().serve(at: address, limits: limits, play)
  }
}
