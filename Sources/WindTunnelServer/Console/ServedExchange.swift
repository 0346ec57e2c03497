internal import Foundation
package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelSymptoms

/// An exchange of a deck as a console shows it.
package struct ServedExchange: ConsoleSubject {
  /// The kinds of things that a deck's events tell of.
  enum Matter: Sendable {
    case request(Outcome)
    case tunnel(TunnelEnd)
    /// A connection that met faults before there was a request.
    case connection(Journal.Entry)
  }

  package let id: Int
  let matter: Matter
  let segment: Int
  let at: Duration
  var attempt = 1
  /// The time since the attempt before ended.
  var gap: Duration?
  var undone: [UndoneFault] = []
  var handshake: Duration?
  var upload: Duration?
  /// The times of the first byte and of the end, from the console's start.
  var firstByte: Duration?
  var over: Duration?
  var end: ExchangeEnd?
  /// Tells whether the client of a proxy closed a connection that had come to a standstill.
  var isLeft = false
  var conversation: ConversationLog?
  /// The answer of the origin that it was passed on to.
  private(set) var live: LiveAnswer?
  /// Tells whether the content of that is no longer kept, since newer ones are.
  private(set) var isContentForgotten = false
  /// The secrets beside the standard ones.
  let rules: RedactionRules
  /// The memory that it takes, roughly, but for the content of a live answer.
  package let cost: Int
  private let shown = ConsoleAddress()

  init(_ id: Int, _ matter: Matter, segment: Int, at: Duration, _ rules: RedactionRules) {
    (self.id, self.matter, self.segment, self.at) = (id, matter, segment, at)
    self.rules = rules
    cost = if case .request(let outcome) = matter { 2000 + outcome.request.bytes } else { 500 }
  }

  /// The greatest content of one live answer that is kept, and of all together.
  package static let (contentBytesMax, contentsBytesMax) = (256 << 10, 16 << 20)

  /// Takes what an origin has answered.
  mutating func take(_ answer: LiveAnswer) { live = answer }

  /// Gives the content of a live answer up.
  mutating func forgetContent() {
    isContentForgotten = live?.content != nil
    live?.content = nil
  }

  /// The address of the request as it is shown.
  var address: String { request.map { shown.text(of: $0, by: rules) } ?? "" }

  package var row: ConsoleRow {
    switch matter {
    case .request(let outcome): row(of: outcome)
    case .tunnel(let end): row(of: end)
    case .connection(let entry): row(of: entry)
    }
  }

  private func row(of outcome: Outcome) -> ConsoleRow {
    var row = ConsoleRow(
      id: id,
      at: at,
      segment: segment,
      outcome.request.method,
      address
    )
    let take = outcome.take
    row.call = outcome.decision.lane.call.map { "\($0)" }
    row.client = outcome.client
    (row.take, row.interaction) = (take.name, take.interaction)
    (row.ordinal, row.attempt, row.gap) = (outcome.decision.ordinal, attempt, gap)
    row.faults = outcome.decision.faults.map(\.words)
    row.notDone = undone.map(\.description)
    (row.status, row.bytes) = (end?.status, end?.bytes)
    row.latency = end?.latency ?? over.map { $0 - at }
    // The server's own clock looks more closely than the one by which events are taken.
    row.firstByte = firstByte.map { min($0 - at, row.latency ?? $0 - at) }
    row.ending = isLeft ? "clientLeft" : over.map { _ in end?.ending.name ?? "whole" }
    row.isConversation = conversation != nil
    return row
  }

  private func row(of end: TunnelEnd) -> ConsoleRow {
    var row = ConsoleRow(id: id, .tunnel, at: at, segment: segment, "CONNECT", end.authority)
    row.bytes = end.bytesDown
    (row.firstByte, row.latency) = (end.connect, end.duration)
    row.ending = end.reason.name
    if case .refused(let status) = end.reason { row.status = status }
    return row
  }

  private func row(of entry: Journal.Entry) -> ConsoleRow {
    var row = ConsoleRow(id: id, .connection, at: at, segment: segment, "connect", "")
    row.call = entry.decision.lane.call.map { "\($0)" }
    row.ordinal = entry.decision.ordinal
    row.faults = entry.decision.faults.map(\.words)
    row.notDone = entry.misfits
    row.ending = "cut"
    return row
  }
}

extension Request {
  /// The bytes of its parts.
  fileprivate var bytes: Int {
    let address = url.path.utf8.count + (url.query?.utf8.count ?? 0)
    let fields = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    return address + fields + body.count
  }
}

extension TunnelEnd.Reason {
  /// The reason in a word.
  fileprivate var name: String {
    switch self {
    case .closed: "whole"
    case .clientReset: "clientLeft"
    case .originReset: "connectionReset"
    case .cut: "cut"
    case .refused: "refused"
    case .failed(let symptom): symptom.rawValue
    case .certificateRefused: "certificateRefused"
    case .handshakeFailed: "handshakeFailed"
    case .expired: "expired"
    case .stopped: "stopped"
    }
  }
}

/// The exchanges of one or more decks, as a fold over their events.
package struct ServedExchanges: Sendable {
  /// The number of exchanges under way, and of sequences of equal requests, that are told apart.
  private static let trackedMax = 20_000

  private struct Key: Sendable, Hashable {
    var deck: Int
    var outcome: Int
  }

  /// Equal requests of one call or client.
  private struct Sequence: Sendable, Hashable {
    var lane: Lane
    var client: String?
    var method: String
    var url: RequestURL
  }

  package private(set) var feed = ConsoleFeed<ServedExchange>()
  private var lines: [Key: Int] = [:]
  /// The course of each; one that was answered well begins anew.
  private var sequences: [Sequence: (count: Int, over: Duration?, isDone: Bool)] = [:]
  /// Faults that were not done of requests which have not come whole.
  private var early: [Key: [UndoneFault]] = [:]
  /// The last decision of the first deck, and the decisions behind which segments begin.
  private var lastDecision = 0
  private var boundaries: [(after: Int, number: Int)] = []
  /// The lines with the content of live answers, the oldest first, and the bytes of all.
  private var contents: [(line: Int, bytes: Int)] = []
  private var contentBytes = 0
  /// The secrets beside the standard ones.
  package let rules: RedactionRules

  package init(_ rules: RedactionRules = .standard) { self.rules = rules }

  /// Begins a segment with the next decision.
  package mutating func begin(_ scenario: Scenario, seed: UInt64, at moment: Duration) {
    let before = feed.segments.count
    feed.begin(scenario, seed: seed, at: moment)
    if feed.segments.count > before { boundaries.append((lastDecision, feed.segments.count)) }
  }

  package mutating func add(_ finding: JSON) { feed.add(finding) }

  /// Notes whether somebody looks.
  package mutating func watch(_ isWatched: Bool) { feed.isWatched = isWatched }

  /// Takes an event of a deck.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - deck: The number of the deck, where there are several.
  ///   - moment: The time from the console's start.
  package mutating func apply(_ event: ExchangeEvent, of deck: Int = 0, at moment: Duration) {
    switch event {
    case .decided(let entry):
      lastDecision = max(lastDecision, entry.id)
      // A tunnel is told of at its end, and a connection that is only late goes on.
      guard entry.take == .connection, entry.decision.key == Decision.connectionKey,
        entry.decision.faults.contains(where: \.replacesOrCuts)
      else { return }
      append(.connection(entry), in: segment(of: entry.id), at: moment)
      feed.counters.began(
        entry.decision.faults.map(\.name),
        take: nil,
        attempt: 1,
        at: moment
      )
      feed.counters.ended(status: nil, bytes: nil, latency: nil, isWhole: false)
    case .requestEnd(let outcome, let handshake, let upload):
      begin(outcome, Key(deck: deck, outcome: outcome.id), handshake, upload, at: moment)
    case .undone(let outcome, let faults):
      let key = Key(deck: deck, outcome: outcome.id)
      if let line = lines[key] {
        feed.update(line) { $0.undone += faults }
      } else if early.count < Self.trackedMax {
        early[key, default: []] += faults
      }
    case .firstByte(let outcome):
      update(outcome, deck) { $0.firstByte = moment }
    case .passed(let outcome, let answer): take(answer, for: outcome, deck)
    case .ended(let outcome, let end): finish(outcome, end, deck, at: moment)
    case .left(let outcome): update(outcome, deck) { $0.isLeft = true }
    case .conversed(let outcome, let log): update(outcome, deck) { $0.conversation = log }
    // The conversation has what a client says beside the cassette, without a number.
    case .strayed: break
    case .tunnelEnded(let end):
      // It was decided when it was opened, perhaps many segments ago.
      let segment = feed.segments.last { $0.scenario.name == end.scenario }?.number
      append(
        .tunnel(end),
        in: segment ?? self.segment(of: lastDecision),
        at: max(.zero, moment - end.duration)
      )
      feed.counters.began([], take: nil, attempt: 1, at: moment)
      feed.counters.ended(
        status: nil,
        bytes: end.bytesDown,
        latency: end.duration,
        isWhole: !end.isBroken
      )
    }
  }

  /// Returns the numbers of the lines of some decisions of the first deck, those that are kept.
  package func lines(of decisions: [Int]) -> [Int] {
    decisions.compactMap { lines[Key(deck: 0, outcome: $0)] }.filter { feed[$0] != nil }
  }

  /// Keeps a live answer, and gives up the contents of the oldest where there are too many.
  private mutating func take(_ answer: LiveAnswer, for outcome: Outcome, _ deck: Int) {
    guard let line = lines[Key(deck: deck, outcome: outcome.id)] else { return }
    feed.update(line) { $0.take(answer) }
    guard let bytes = answer.content?.count, bytes > 0 else { return }
    contents.append((line, bytes))
    contentBytes += bytes
    var given = 0
    while contentBytes > ServedExchange.contentsBytesMax {
      contentBytes -= contents[given].bytes
      feed.update(contents[given].line) { $0.forgetContent() }
      given += 1
    }
    // A tenth at a time, so that each moves once.
    contents.removeFirst(given)
  }

  private func segment(of decision: Int) -> Int {
    boundaries.last { $0.after < decision }?.number ?? boundaries.first?.number ?? 1
  }

  private mutating func append(
    _ matter: ServedExchange.Matter,
    in segment: Int,
    at moment: Duration
  ) {
    feed.append(
      ServedExchange(
        feed.nextID,
        matter,
        segment: segment,
        at: moment,
        rules
      )
    )
  }

  private mutating func begin(
    _ outcome: Outcome,
    _ key: Key,
    _ handshake: Duration?,
    _ upload: Duration?,
    at moment: Duration
  ) {
    if lines.count >= Self.trackedMax { forgetDropped() }
    var exchange = ServedExchange(
      feed.nextID,
      .request(outcome),
      segment: segment(of: outcome.id),
      at: moment,
      rules
    )
    (exchange.handshake, exchange.upload) = (handshake, upload)
    exchange.undone = early.removeValue(forKey: key) ?? []
    let sequence = Self.sequence(of: outcome)
    if sequences.count >= Self.trackedMax { sequences = [:] }
    let before = sequences[sequence].flatMap { $0.isDone ? nil : $0 }
    exchange.attempt = (before?.count ?? 0) + 1
    exchange.gap = before?.over.map { max(.zero, moment - $0) }
    sequences[sequence] = (exchange.attempt, nil, false)
    lines[key] = exchange.id
    feed.append(exchange)
    feed.counters.began(
      outcome.decision.faults.map(\.name),
      take: outcome.take.name,
      attempt: exchange.attempt,
      at: moment
    )
  }

  private static func sequence(of outcome: Outcome) -> Sequence {
    Sequence(
      lane: outcome.decision.lane,
      client: outcome.client,
      method: outcome.request.method,
      url: outcome.request.url
    )
  }

  private mutating func update(
    _ outcome: Outcome,
    _ deck: Int,
    _ change: (inout ServedExchange) -> Void
  ) {
    guard let line = lines[Key(deck: deck, outcome: outcome.id)] else { return }
    feed.update(line, change)
  }

  private mutating func finish(
    _ outcome: Outcome,
    _ end: ExchangeEnd?,
    _ deck: Int,
    at moment: Duration
  ) {
    guard let line = lines[Key(deck: deck, outcome: outcome.id)], let before = feed[line] else {
      return
    }
    let status = end?.status ?? outcome.status
    let isWhole = end.map { $0.ending == .whole } ?? true
    // Of a proxy's client only the request's end knows the address.
    let asked = if case .request(let asked) = before.matter { asked } else { outcome }
    let sequence = Self.sequence(of: asked)
    sequences[sequence]?.over = moment
    sequences[sequence]?.isDone = isWhole && (status ?? 0) < 400
    feed.update(line) { ($0.end, $0.over) = (end, moment) }
    feed.counters.ended(
      status: status,
      bytes: end?.bytes,
      latency: end?.latency ?? moment - before.at,
      isWhole: isWhole
    )
  }

  /// Forgets which lines belong to exchanges that are no longer kept.
  private mutating func forgetDropped() {
    let first = feed.subjects.first?.id ?? 0
    lines = lines.filter { $0.value >= first }
  }
}

extension Outcome {
  /// The status that the deck means to send; `nil` where it is not the deck's to say.
  fileprivate var status: Int? {
    guard case .recording(let interaction, _) = source else { return nil }
    return decision.faults.contains(where: \.replacesOrCuts) ? nil : interaction.response?.status
  }
}
