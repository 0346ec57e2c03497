import TestSupport
import WindTunnel
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelSymptoms

/// Dates that move with the clock arrive alike on both stages, each time as of then.
@Suite(.timeLimit(.minutes(5))) struct RefreshConformanceTests {
  private static let cassette = Cassette([
    Interaction(
      Request("GET", "http://api.example.test/now"),
      Response(
        headers: [
          "Content-Type": "application/json", "Content-Length": "32",
          "X-Expires": "Mon, 03 Nov 2025 11:00:00 GMT", "X-Recorded": "2025-11-03T10:00:00Z",
        ],
        body: Body(#"{"until":"2025-11-03T11:00:00Z"}"#)
      )
    )
  ]).dated("2025-11-03T10:00:00Z")

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `each answer is as of the moment it is asked for`(stage: Stage) async throws {
    let asked = Ticks(from: 1_762_164_000 + 86_400)
    let deck = Deck(
      Self.cassette,
      options: PlaybackOptions(then: .repeat, refreshingDates: { asked.next() })
    )
    try await Theatre.play(deck, on: stage) { theatre in
      for (day, date) in [("04", "Tue, 04"), ("05", "Wed, 05")] {
        let seen = try await theatre.ask("/now")
        expectEqual(seen, Seen(200, "{\"until\":\"2025-11-\(day)T11:00:00Z\"}"))
        expectEqual(seen["X-Expires"], "\(date) Nov 2025 11:00:00 GMT")
        expectEqual(seen["X-Recorded"], "2025-11-\(day)T10:00:00Z")
      }
    }
    // The tape is what it was.
    expectEqual(deck.interactions, Self.cassette.interactions)
  }
}

/// A clock that is a day further each time.
private final class Ticks: Sendable {
  private let time: Locked<Double>

  init(from time: Double) { self.time = Locked(time) }

  func next() -> Date {
    time.withLock { time in
      defer { time += 86_400 }
      return Date(timeIntervalSince1970: time)
    }
  }
}

extension Cassette {
  fileprivate func dated(_ date: String) -> Cassette {
    var cassette = self
    for index in cassette.interactions.indices { cassette.interactions[index].recordedAt = date }
    return cassette
  }
}
