package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The exchanges of a console: while nobody looks what happens is only written down, and is read
/// when somebody comes.
package struct ServedBook: ConsoleBook {
  private struct Entry: Sendable {
    var step: ServedStep
    var deck: Int
    var moment: Duration
  }

  /// The most requests that are written down and not read; of twice as many the older half goes.
  private static let requestsMax = ConsoleFeed<ServedExchange>.subjectsMax
  /// The most bytes of their content; beyond it they are read, which keeps less.
  private static let bytesMax = 32 << 20

  private var exchanges: ServedExchanges
  private var unread: [Entry] = []
  private var (requests, bytes) = (0, 0)

  init(_ rules: RedactionRules) { exchanges = ServedExchanges(rules) }

  package var feed: ConsoleFeed<ServedExchange> { exchanges.feed }
  package var rules: RedactionRules { exchanges.rules }

  package mutating func watch(_ isWatched: Bool) {
    settle()
    exchanges.watch(isWatched)
  }

  package mutating func settle() {
    if unread.isEmpty { return }
    for entry in unread { exchanges.apply(entry.step, of: entry.deck, at: entry.moment) }
    (unread, requests, bytes) = ([], 0, 0)
  }

  /// Takes an event of one of several decks.
  mutating func take(_ event: ExchangeEvent, of deck: Int, at moment: Duration) {
    exchanges.note(event)
    guard let step = ServedStep(event) else { return }
    if exchanges.feed.isWatched { return exchanges.apply(step, of: deck, at: moment) }
    unread.append(Entry(step: step, deck: deck, moment: moment))
    bytes += step.contentBytes
    if case .begun = step { requests += 1 }
    if bytes > Self.bytesMax { settle() }
    if requests >= 2 * Self.requestsMax { forgetOlder() }
  }

  private mutating func forgetOlder() {
    var (given, count) = (0, 0)
    while count < Self.requestsMax {
      if case .begun = unread[given].step { count += 1 }
      bytes -= unread[given].step.contentBytes
      given += 1
    }
    unread.removeFirst(given)
    requests -= count
    exchanges.skip(count)
  }

  /// Begins a segment with the next decision.
  mutating func begin(_ scenario: Scenario, seed: UInt64, at moment: Duration) {
    // Whatever was decided before belongs to the one before.
    settle()
    exchanges.begin(scenario, seed: seed, at: moment)
  }

  mutating func add(_ finding: JSON) { exchanges.add(finding) }

  /// Returns the numbers of the lines of some decisions of the first deck, those that are kept.
  mutating func lines(of decisions: [Int]) -> [Int] {
    settle()
    return exchanges.lines(of: decisions)
  }
}
