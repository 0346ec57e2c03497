package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// A value that stores the content of a console.
package protocol ConsoleBook: Sendable {
  associatedtype Subject: ConsoleSubject
  /// The displayed items and their changes.
  var feed: ConsoleFeed<Subject> { get set }
  /// The redaction rules in addition to the default ones.
  var rules: RedactionRules { get }
}

/// The position of one reader in a console's events.
package struct ConsoleCursor: Sendable, Hashable {
  var changes = 0
  var segments = 0
  var findings = 0
  var requests = -1
}

/// An event of a console's stream.
package struct ConsoleEvent: Sendable, Hashable {
  var name: String
  var data: JSON

  init(_ name: String, _ data: JSON) { (self.name, self.data) = (name, data) }

  /// The event in the format of server-sent events (WHATWG HTML §9.2.5). The JSON contains no line
  /// breaks, neither between nor within values.
  var bytes: [UInt8] { Array("event: \(name)\ndata: ".utf8) + data.bytes() + Array("\n\n".utf8) }
}

/// A console's book behind a lock, with the number of its readers.
package final class ConsoleBoard<Book: ConsoleBook>: Sendable {
  private struct State: Sendable {
    var book: Book
    var readers = 0
    var rowsMade = 0
    weak var attendance: ConsoleAttendance?
  }

  private let state: Locked<State>
  private let start = Moment.now()

  /// Creates a board with an empty book.
  package init(_ book: Book) { state = Locked(State(book: book)) }

  /// The number of rows created for readers.
  package var rowsMade: Int { state.withLock { $0.rowsMade } }
  /// The number of readers.
  package var readers: Int { state.withLock { $0.readers } }

  /// Changes the book; the closure receives the time since the start.
  package func write(_ change: (inout Book, Duration) -> Void) {
    let moment = elapsed
    state.withLock { change(&$0.book, moment) }
  }

  /// Returns the result of a closure that reads the book.
  package func read<Result: Sendable>(_ body: (Book) -> Result) -> Result {
    state.withLock { body($0.book) }
  }

  private var elapsed: Duration { .nanoseconds(Moment.now() - start) }

  /// Starts to follow the exchanges of a deck.
  func attend(_ attendance: ConsoleAttendance) {
    state.withLock { $0.attendance = attendance }
    renew()
  }

  /// Adds a reader if the maximum is not reached, and returns whether it was added.
  func enter() -> Bool {
    let (isIn, isFirst) = state.withLock { state in
      guard state.readers < ConsolePort.readersMax else { return (false, false) }
      state.readers += 1
      state.book.feed.isWatched = true
      return (true, state.readers == 1)
    }
    // Events are reported under the lock that this call needs.
    if isFirst { renew() }
    return isIn
  }

  /// Removes a reader of the board.
  func leave() {
    let isLast = state.withLock { state in
      state.readers -= 1
      state.book.feed.isWatched = state.readers > 0
      return state.readers == 0
    }
    if isLast { renew() }
  }

  /// Returns the position of future events, for a reader.
  func begin() -> ConsoleCursor {
    var cursor = ConsoleCursor()
    cursor.changes = state.withLock { $0.book.feed.changeCount }
    return cursor
  }

  /// Returns the events after a position and advances it; counters only on request.
  func news(after cursor: inout ConsoleCursor, withCounters: Bool) -> [ConsoleEvent] {
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

  /// Restarts the limited following of exchanges, for a caller that is not a reader.
  func renew() { state.withLock { $0.attendance }?.follow { readers > 0 } }

  /// Returns the rows after a number, and the number of the last one.
  func rows(after id: Int, most: Int) -> (rows: [JSON], last: Int?) {
    let subjects = state.withLock { Array($0.book.feed.subjects(after: id, most: most)) }
    return (made(subjects), subjects.last?.id)
  }

  /// All kept rows, created anew.
  package var lines: [ConsoleRow] { state.withLock { $0.book.feed.subjects }.map(\.row) }

  /// The number of kept rows, of dropped rows, and of exchanges that were not followed.
  var counts: (kept: Int, dropped: Int, unseen: Int) {
    let (kept, dropped, attendance) = state.withLock { state in
      (state.book.feed.subjects.count, state.book.feed.dropped, state.attendance)
    }
    return (kept, dropped, attendance?.unfollowed ?? 0)
  }

  /// Returns a row with its details; `nil` if it is not kept.
  func detail(of id: Int) -> JSON? {
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

  /// Returns the item of a row; `nil` if it is not kept.
  func subject(of id: Int) -> Book.Subject? { read { $0.feed[id] } }

  /// The redaction rules in addition to the default ones.
  var rules: RedactionRules { state.withLock { $0.book.rules } }

  /// The number of the last segment.
  var segmentNumber: Int { state.withLock { $0.book.feed.segments.last?.number ?? 1 } }
}
