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

  /// The most lines that are written down and not read; of twice as many the older half goes.
  private static let linesMax = ConsoleFeed<ServedExchange>.subjectsMax
  /// The most bytes that they take, and the most entries; beyond either they are read, which keeps
  /// less.
  private static let (bytesMax, entriesMax) = (64 << 20, 20 * linesMax)

  private var exchanges: ServedExchanges
  private var unread: [Entry] = []
  private var (lines, bytes) = (0, 0)

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
    (unread, lines, bytes) = ([], 0, 0)
  }

  /// Takes an event of one of several decks.
  mutating func take(_ event: ExchangeEvent, of deck: Int, at moment: Duration) {
    exchanges.note(event)
    if let step = ServedStep(event) { take(step, of: deck, at: moment) }
  }

  private mutating func take(_ step: ServedStep, of deck: Int, at moment: Duration) {
    if exchanges.feed.isWatched { return exchanges.apply(step, of: deck, at: moment) }
    unread.append(Entry(step: step, deck: deck, moment: moment))
    bytes += step.cost
    if step.beginsLine { lines += 1 }
    if bytes > Self.bytesMax || unread.count > Self.entriesMax { settle() }
    if lines >= 2 * Self.linesMax { forgetOlder() }
  }

  private mutating func forgetOlder() {
    var (given, count) = (0, 0)
    while count < Self.linesMax {
      let entry = unread[given]
      if entry.step.beginsLine { count += 1 }
      exchanges.forget(entry.step, of: entry.deck, at: entry.moment)
      bytes -= entry.step.cost
      given += 1
    }
    unread.removeFirst(given)
    lines -= count
  }

  /// Begins a segment with the next decision.
  mutating func begin(_ scenario: Scenario, seed: UInt64, at moment: Duration) {
    // Whoever switches holds the deck's lock, and does not wait for all that is unread.
    take(.segment(scenario, seed: seed, after: exchanges.lastDecision), of: 0, at: moment)
  }

  mutating func add(_ finding: JSON) { exchanges.add(finding) }

  /// Returns the numbers of the lines of some decisions of the first deck, those that are kept.
  mutating func lines(of decisions: [Int]) -> [Int] {
    settle()
    return exchanges.lines(of: decisions)
  }
}
