import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelSymptoms

@testable import WindTunnelDrill

/// Calls of a subject in this process, all at once, with nothing to be late for.
struct FlightOfCalls {
  let subject: any Subject
  var setup: CallRunner.Setup
  let calls: Int

  /// When callers give up.
  enum Giving {
    case byTheClock
    /// As soon as the server has seen a call's first request, however long that takes.
    case whenItsRequestComes
  }

  init(_ subject: any Subject, _ scenario: Scenario, on stage: Stage, calls: Int) throws {
    (self.subject, self.calls) = (subject, calls)
    setup = CallRunner.Setup(
      cassette: try Shipped.cassette(),
      scenario: scenario,
      seed: 1,
      stage: stage,
      errors: .current
    )
  }

  func run(alarm giving: Giving = .byTheClock) async throws -> [Observation] {
    let log = Locked(WorkerLog())
    let arrivals = Arrivals()
    var setup = setup
    if giving == .whenItsRequestComes {
      setup.givingUp = Alarm { _, call, ring in arrivals.wait(for: call, ring) }
    }
    let runner = try await CallRunner(
      subject,
      setup,
      deadline: .seconds(3600),
      attemptTimeout: .seconds(3600)
    ) { message in
      _ = log.withLock { $0.apply(message) }
      if case .attempt(let call, _) = message { arrivals.came(call) }
    }
    await runner.run(Array(0..<calls), load: .closedLoop(concurrency: calls))
    await runner.close()
    expectNil(log.withLock { $0.refusal })
    return log.withLock { $0.finished }.sorted { $0.call < $1.call }
  }
}

/// Rings for a call once its first request has come, whichever of the two is first.
private final class Arrivals: Sendable {
  private enum State: Sendable {
    case came
    case awaited(@Sendable () -> Void)
    case over
  }

  private let states = Locked<[Int: State]>([:])

  func came(_ call: Int) {
    let ring: (@Sendable () -> Void)? = states.withLock { states in
      switch states[call] {
      case nil:
        states[call] = .came
        return nil
      case .awaited(let ring):
        states[call] = .over
        return ring
      case .came, .over: return nil
      }
    }
    if let ring { Alarm.clock.set(.zero, call, ring) }
  }

  func wait(for call: Int, _ ring: @escaping @Sendable () -> Void) {
    let isThere = states.withLock { states in
      if case .came? = states[call] {
        states[call] = .over
        return true
      }
      states[call] = .awaited(ring)
      return false
    }
    if isThere { Alarm.clock.set(.zero, call, ring) }
  }
}
