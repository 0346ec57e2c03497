package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// A value that keeps what a console shows.
package protocol ConsoleBook: Sendable {
  associatedtype Subject: ConsoleSubject
  /// The things that are shown, and their changes.
  var feed: ConsoleFeed<Subject> { get }
  /// The secrets that are left out, beside the standard ones.
  var rules: RedactionRules { get }
  /// Notes whether somebody looks.
  mutating func watch(_ isWatched: Bool)
}

/// The place in a console's news that one reader has come to.
package struct ConsoleCursor: Sendable, Hashable {
  var changes = 0
  var segments = 0
  var findings = 0
  var requests = -1
}

/// The source of all that a console's port shows, whoever keeps it.
package protocol ConsoleSource: AnyObject, Sendable {
  /// Lets one more reader in, where there is room.
  func enter() -> Bool
  /// Follows as many exchanges as at first, for one who asks and is no reader.
  func renew()
  func leave()
  /// The beginning of a reader: the place of what is new from now on.
  func begin() -> ConsoleCursor
  /// The events behind a place, which moves on; counters only where they are asked for.
  func news(after cursor: inout ConsoleCursor, withCounters: Bool) -> [ConsoleEvent]
  /// The lines behind a number, with the number of the last one.
  func rows(after id: Int, most: Int) -> (rows: [JSON], last: Int?)
  /// The number of lines that are kept, of those that are no longer, and of the exchanges that
  /// passed while nobody looked.
  var counts: (kept: Int, dropped: Int, unseen: Int) { get }
  func detail(of id: Int) -> JSON?
  /// The interaction of a line; an empty optional where the line is not kept.
  func interaction(of id: Int) -> Interaction??
  /// The reason why the request of a line is not sent again; `nil` where it may be.
  func reasonAgainstRepeat(of id: Int) -> String?
  /// The request of a line as it came, for whoever sends it once more or makes a rule for it.
  func request(of id: Int) -> Request?
  var segmentNumber: Int { get }
  /// The secrets that are left out, beside the standard ones.
  var rules: RedactionRules { get }
}

/// An event of a console's stream.
package struct ConsoleEvent: Sendable, Hashable {
  var name: String
  var data: JSON

  init(_ name: String, _ data: JSON) { (self.name, self.data) = (name, data) }

  /// The event as it is sent (WHATWG HTML §9.2.5); JSON has no line breaks outside texts, and none
  /// within.
  var bytes: [UInt8] { Array("event: \(name)\ndata: ".utf8) + data.bytes() + Array("\n\n".utf8) }
}

/// Whoever carries the exchanges that a board shows.
package struct ConsoleAudience: Sendable {
  /// Called when a first reader has come or the last has left.
  var changed: @Sendable () -> Void
  /// Returns the number of exchanges that nobody followed.
  var unfollowed: @Sendable () -> Int
}

/// A console's book behind a lock, and its readers.
package final class ConsoleBoard<Book: ConsoleBook>: ConsoleSource, Sendable {
  private struct State: Sendable {
    var book: Book
    var readers = 0
    var rowsMade = 0
    var audience: ConsoleAudience?
  }

  private let state: Locked<State>
  private let start = Moment.now()

  /// Makes a board of an empty book.
  package init(_ book: Book) { state = Locked(State(book: book)) }

  /// The number of lines that were made for readers.
  package var rowsMade: Int { state.withLock { $0.rowsMade } }
  /// The number of readers.
  package var readers: Int { state.withLock { $0.readers } }

  /// Changes the book; the closure is told the time since the start.
  package func write(_ change: (inout Book, Duration) -> Void) {
    let moment = elapsed
    state.withLock { change(&$0.book, moment) }
  }

  /// Returns what a closure reads of the book.
  package func read<Result: Sendable>(_ body: (Book) -> Result) -> Result {
    state.withLock { body($0.book) }
  }

  private var elapsed: Duration { .nanoseconds(Moment.now() - start) }

  /// Tells whoever carries the exchanges whether somebody looks, from now on.
  func attend(_ audience: ConsoleAudience) {
    state.withLock { $0.audience = audience }
    audience.changed()
  }

  package func enter() -> Bool {
    let (isIn, audience) = state.withLock { state -> (Bool, ConsoleAudience?) in
      guard state.readers < ConsolePort.readersMax else { return (false, nil) }
      state.readers += 1
      guard state.readers == 1 else { return (true, nil) }
      state.book.watch(true)
      return (true, state.audience)
    }
    // Events are told under the lock that it takes.
    audience?.changed()
    return isIn
  }

  package func leave() {
    let audience = state.withLock { state -> ConsoleAudience? in
      state.readers -= 1
      guard state.readers == 0 else { return nil }
      state.book.watch(false)
      return state.audience
    }
    audience?.changed()
  }

  package func begin() -> ConsoleCursor {
    var cursor = ConsoleCursor()
    cursor.changes = state.withLock { $0.book.feed.changeCount }
    return cursor
  }

  package func news(after cursor: inout ConsoleCursor, withCounters: Bool) -> [ConsoleEvent] {
    let (before, moment, unseen) = (cursor, elapsed, counts.unseen)
    let (feed, segments, findings, changes) = state.withLock { state in
      let feed = state.book.feed
      return (
        (counters: feed.counters, changeCount: feed.changeCount),
        Array(feed.segments.dropFirst(before.segments)),
        Array(feed.findings.dropFirst(before.findings)),
        feed.changes(after: before.changes, most: ConsolePort.rowsPerTick)
      )
    }
    var events = segments.map { ConsoleEvent("segment", $0.json) }
    if !changes.subjects.isEmpty {
      events.append(ConsoleEvent("rows", ["rows": .array(made(changes.subjects))]))
    }
    if changes.others > 0 {
      events.append(ConsoleEvent("summed", ["requests": .number(changes.others)]))
    }
    events += findings.map { ConsoleEvent("finding", $0) }
    cursor.segments += segments.count
    cursor.findings += findings.count
    if withCounters, cursor.requests != feed.changeCount {
      cursor.requests = feed.changeCount
      events.append(ConsoleEvent("counters", feed.counters.json(at: moment, unseen: unseen)))
    }
    cursor.changes = feed.changeCount
    return events
  }

  private func made(_ subjects: some Collection<Book.Subject>) -> [JSON] {
    state.withLock { $0.rowsMade += subjects.count }
    return subjects.map { $0.row.json }
  }

  package func renew() { state.withLock { $0.audience }?.changed() }

  package func rows(after id: Int, most: Int) -> (rows: [JSON], last: Int?) {
    let subjects = state.withLock { Array($0.book.feed.subjects(after: id, most: most)) }
    return (made(subjects), subjects.last?.id)
  }

  /// The lines that are kept, made anew.
  package var lines: [ConsoleRow] { state.withLock { $0.book.feed.subjects }.map(\.row) }

  package var counts: (kept: Int, dropped: Int, unseen: Int) {
    let (kept, dropped, audience) = state.withLock { state in
      (state.book.feed.subjects.count, state.book.feed.dropped, state.audience)
    }
    return (kept, dropped, audience?.unfollowed() ?? 0)
  }

  package func detail(of id: Int) -> JSON? {
    let (found, segments) = state.withLock { ($0.book.feed[id], $0.book.feed.segments) }
    guard let subject = found else { return nil }
    let segment = subject.row.segment
    let scenario = segments.first { $0.number == segment }?.scenario
    return .object(
      [.init("row", made([subject])[0])] + subject.detail(in: scenario) + [
        .init("scenario", .orNull(scenario?.name)),
        .init("againstRepeat", .orNull(subject.reasonAgainstRepeat)),
      ]
    )
  }

  package func interaction(of id: Int) -> Interaction?? {
    state.withLock { $0.book.feed[id] }.map(\.interaction)
  }

  package func reasonAgainstRepeat(of id: Int) -> String? {
    state.withLock { $0.book.feed[id] }?.reasonAgainstRepeat
  }

  package func request(of id: Int) -> Request? { state.withLock { $0.book.feed[id] }?.request }

  package var rules: RedactionRules { state.withLock { $0.book.rules } }

  package var segmentNumber: Int { state.withLock { $0.book.feed.segments.last?.number ?? 1 } }
}
