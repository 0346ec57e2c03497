internal import WindTunnel

/// What a decision costs with few and with many recordings, without any courier.
enum DeckBench {
  static func line() -> String {
    let sizes = [10, 100_000]
    let decks = sizes.map { Deck(Tape.cassette($0), then: .repeat) }
    var rounds: [[Double]] = [[], []]
    var singles: [[Double]] = [[], []]
    // Far apart, so that a large tape is not read from the cache line by line.
    let stride = 7919
    for round in 0..<21 {
      for (place, deck) in decks.enumerated() {
        let requests = (0..<2_000).map { index in
          let number = (round * 2_000 + index) * stride % sizes[place]
          return Request("GET", RequestURL(Tape.origin + Tape.path(number)))
        }
        let times = requests.map { request in
          nanoseconds { deck.finished(deck.decide(request)) }
        }
        rounds[place].append(times.median)
        singles[place] += times
      }
    }
    let ratios = zip(rounds[1], rounds[0]).map { $0 / $1 }
    let spent = sizes.indices.map { place in
      "\(sizes[place]): median \((singles[place].median / 1000).shown()) µs, "
        + "p95 \((singles[place].quantile(0.95) / 1000).shown()) µs"
    }
    return "ratio \(ratios.median.shown()) (\(ratios.min().shownOrNone)–"
      + "\(ratios.max().shownOrNone)); \(spent.joined(separator: "; "))"
  }
}

extension Double? {
  var shownOrNone: String { map { $0.shown() } ?? "–" }
}
