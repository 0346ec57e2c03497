import Dispatch
import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnelDrill

/// Requests that come behind the end of their call.
@Suite struct LateRequestTests {
  private static let tape = Cassette([
    Interaction(Request("GET", "http://a.example/a"), Response(body: Body("{}")))
  ])

  private static func ended(_ call: Int) -> Observation {
    Observation(call, "GET /a", latency: .milliseconds(1))
  }

  @Test func `a request behind the end of its call ends none of its attempts`() throws {
    let told = Locked<[WorkerMessage]>([])
    let tracker = AttemptTracker(Self.tape, on: .inProcess, epoch: .now()) { message in
      told.withLock { $0.append(message) }
    }
    let deck = Deck(
      Self.tape,
      options: PlaybackOptions(matcher: .pathAndQuery, then: .repeat),
      observe: { tracker.observe($0) }
    )
    func ask() {
      let outcome = deck.decide(Request("GET", "http://a.example/a"), lane: Lane("calm/0"))
      deck.requestEnded(outcome, handshake: nil, upload: nil)
      deck.finished(outcome)
    }
    told.withLock { $0.append(.began(0, at: .zero)) }
    ask()
    ask()
    expectEqual(tracker.take(0, since: .zero).count, 2)
    told.withLock { $0.append(.ended(Self.ended(0))) }
    ask()
    ask()
    let places = told.withLock { $0 }
      .compactMap { message -> Int? in
        if case .attemptEnded(0, let end) = message { end.place } else { nil }
      }
    expectEqual(places, [0, 1, 2, 3])
    var log = WorkerLog()
    var ends: [Duration?] = []
    for message in told.withLock({ $0 }) {
      _ = log.apply(message)
      if case .ended = message { ends = log.finished.flatMap(\.attempts).map(\.end) }
    }
    let call = try #require(log.finished.first)
    #expect(call.attempts.map(\.end) == ends && ends.count == 2 && !ends.contains(nil))
    expectEqual(log.traffic.lateRequests.count, 2)
    // It is over: whoever asks again learns nothing of what came behind.
    #expect(tracker.take(0, since: .zero).requests.isEmpty)
  }
}
