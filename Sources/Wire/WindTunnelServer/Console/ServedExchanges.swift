package import WindTunnel

/// The exchanges of one or more decks, computed from their events.
package struct ServedExchanges: ConsoleBook {
  /// The maximum number of exchanges in progress, and of sequences of equal requests, that are
  /// distinguished.
  private static let trackedMax = 20_000
  /// The maximum number of live responses that are kept before their requests are complete.
  private static let earlyAnswersMax = 64

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

  private struct AttemptSequence: Sendable {
    /// The number of attempts so far, the row of the last one, and its end.
    var count: Int
    var line: Int
    var over: Duration?
    var isDone = false
  }

  package var feed = ConsoleFeed<ServedExchange>()
  private var lines: [Key: Int] = [:]
  /// The course of each sequence; it starts again after a success.
  private var sequences: [Sequence: AttemptSequence] = [:]
  /// The number of exchanges before the last row that were not followed.
  private var skipped: Int? = 0
  /// The events of exchanges whose requests are not complete yet.
  private var early: [Key: [ExchangeEvent]] = [:]
  /// The number of early live responses since they were last dropped.
  private var earlyAnswers = 0
  /// The last decision of the first deck, and the decisions after which segments begin.
  private var lastDecision = 0
  private var boundaries: [(after: Int, number: Int)] = []
  /// The rows with the content of live responses, oldest first, and their sizes in bytes.
  private var contents: [(line: Int, bytes: Int)] = []
  /// The index of the first content that is kept, and the total size of kept contents.
  private var (firstContent, contentBytes) = (0, 0)
  /// The redaction rules in addition to the default ones.
  package let rules: RedactionRules

  package init(_ rules: RedactionRules = .standard) { self.rules = rules }

  /// Begins a segment with the next decision.
  package mutating func begin(_ scenario: Scenario, seed: UInt64, at moment: Duration) {
    let before = feed.segments.count
    feed.begin(scenario, seed: seed, at: moment)
    if feed.segments.count > before { boundaries.append((lastDecision, feed.segments.count)) }
  }

  private mutating func count(_ end: TunnelEnd, at moment: Duration) {
    feed.counters.began([], take: nil, attempt: 1, at: moment)
    feed.counters.ended(
      status: nil,
      bytes: end.bytesDown,
      latency: end.duration,
      isWhole: !end.isBroken
    )
  }

  /// Processes an event of a deck.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - deck: The number of the deck if there are several.
  ///   - moment: The time from the console's start.
  package mutating func apply(_ event: ExchangeEvent, of deck: Int = 0, at moment: Duration) {
    let key = event.outcome.map { Key(deck: deck, outcome: $0.id) }
    // No row has the number 0.
    let line = key.flatMap { lines[$0] } ?? 0
    switch event {
    case .decided(let entry): take(entry, at: moment)
    case .requestEnd(let outcome, let handshake, let upload):
      begin(outcome, of: deck, handshake, upload, at: moment)
    case .undone, .notAsked, .passed:
      if line > 0 { change(line, by: event) } else if let key { keep(event, for: key) }
    case .firstByte: feed.update(line) { $0.firstByte = moment }
    case .ended(let outcome, let end): finish(line, outcome, end, at: moment)
    case .said(_, let speech): feed.update(line) { $0.hear(speech) }
    case .left: feed.update(line) { $0.isLeft = true }
    case .conversed(_, let log): feed.update(line) { $0.conversation = log }
    case .tunnelEnded(let end):
      // The decision was made when the tunnel was opened, possibly many segments ago.
      let segment = feed.segments.last { $0.scenario.name == end.scenario }?.number
      append(
        .tunnel(end),
        in: segment ?? self.segment(of: lastDecision),
        at: max(.zero, moment - end.duration)
      )
      count(end, at: moment)
    // The conversation contains unknown client messages, without a number.
    case .strayed: break
    }
  }

  /// Returns the numbers of the rows of some decisions of the first deck, as far as they are kept.
  package func lines(of decisions: [Int]) -> [Int] {
    decisions.compactMap { lines[Key(deck: 0, outcome: $0)] }.filter { feed[$0] != nil }
  }

  private mutating func take(_ entry: Journal.Record, at moment: Duration) {
    lastDecision = max(lastDecision, entry.id)
    // A tunnel is reported when it ends, and a connection that is only delayed continues.
    guard entry.take == .connection, entry.decision.key == FaultDecision.connectionKey,
      entry.decision.faults.contains(where: \.replacesOrCuts)
    else { return }
    append(.connection(entry), in: segment(of: entry.id), at: moment)
    if let row = feed.subjects.last?.row { feed.counters.took(row, at: moment) }
  }

  /// Keeps an event until the request of its exchange is complete.
  private mutating func keep(_ event: ExchangeEvent, for key: Key) {
    if early.count >= Self.trackedMax { early = [:] }
    if case .passed = event {
      earlyAnswers += 1
      if earlyAnswers > Self.earlyAnswersMax {
        early = early.mapValues { $0.filter { if case .passed = $0 { false } else { true } } }
        earlyAnswers = 1
      }
    }
    early[key, default: []].append(event)
  }

  private mutating func change(_ line: Int, by event: ExchangeEvent) {
    switch event {
    case .undone(_, let faults): feed.update(line) { $0.undone += faults }
    case .notAsked(let outcome, let reason):
      feed.update(line) { $0.notAsked = reason }
      feed.counters.answers("withheld", insteadOf: outcome.take.name)
    case .passed(_, let answer): take(answer, for: line)
    default: break
    }
  }

  /// Stores a live response, and drops the oldest contents if there are too many.
  private mutating func take(_ answer: LiveResponse, for line: Int) {
    feed.update(line) { $0.take(answer) }
    guard let bytes = answer.content?.count, bytes > 0 else { return }
    contents.append((line, bytes))
    contentBytes += bytes
    let first = feed.subjects.first?.id ?? 0
    while firstContent < contents.count,
      contentBytes > ServedExchange.contentsBytesMax || contents[firstContent].line < first
    {
      contentBytes -= contents[firstContent].bytes
      feed.update(contents[firstContent].line) { $0.forgetContent() }
      firstContent += 1
    }
    // Half at a time, so that each element is moved only once.
    guard firstContent > contents.count / 2 else { return }
    contents.removeFirst(firstContent)
    firstContent = 0
  }

  private func segment(of decision: Int) -> Int {
    boundaries.last { $0.after < decision }?.number ?? boundaries.first?.number ?? 1
  }

  private mutating func append(
    _ matter: ServedExchange.Source,
    in segment: Int,
    at moment: Duration
  ) {
    feed.append(ServedExchange(feed.nextID, matter, segment: segment, at: moment, rules))
  }

  private mutating func begin(
    _ outcome: Outcome,
    of deck: Int,
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
    let sequence = Self.sequence(of: outcome)
    // The exchanges between two followed ones are unknown.
    if outcome.skipped != skipped || sequences.count >= Self.trackedMax { sequences = [:] }
    skipped = outcome.skipped
    let before = sequences[sequence].flatMap { $0.isDone ? nil : $0 }
    exchange.attempt = (before?.count ?? 0) + 1
    exchange.gap = before?.over.map { max(.zero, moment - $0) }
    sequences[sequence] = AttemptSequence(count: exchange.attempt, line: exchange.id)
    let key = Key(deck: deck, outcome: outcome.id)
    lines[key] = exchange.id
    feed.append(exchange)
    feed.counters.began(
      outcome.decision.faults.map(\.name),
      take: exchange.take,
      attempt: exchange.attempt,
      at: moment
    )
    for event in early.removeValue(forKey: key) ?? [] { change(exchange.id, by: event) }
  }

  private static func sequence(of outcome: Outcome) -> Sequence {
    Sequence(
      lane: outcome.decision.lane,
      client: outcome.client,
      method: outcome.request.method,
      url: outcome.request.url
    )
  }

  private mutating func finish(
    _ line: Int,
    _ outcome: Outcome,
    _ end: ExchangeEnd?,
    at moment: Duration
  ) {
    let status = end?.status ?? (end == nil ? outcome.status : nil)
    let isWhole = end.map { $0.ending == .whole } ?? true
    guard let before = feed[line], case .request(let asked) = before.matter else { return }
    // For a proxy, only the end of the request has the client's address.
    let sequence = Self.sequence(of: asked)
    if sequences[sequence]?.line == line {
      sequences[sequence]?.over = moment
      sequences[sequence]?.isDone = isWhole && (status ?? 0) < 400
    }
    feed.update(line) { ($0.end, $0.over) = (end, moment) }
    feed.counters.ended(
      status: status,
      bytes: end?.bytes,
      latency: end?.latency ?? moment - before.at,
      isWhole: isWhole
    )
  }

  /// Removes the rows of exchanges that are no longer kept.
  private mutating func forgetDropped() {
    let first = feed.subjects.first?.id ?? 0
    lines = lines.filter { $0.value >= first }
  }
}

extension Outcome {
  /// The status that the deck intends to send; `nil` if the deck does not determine it.
  fileprivate var status: Int? {
    guard case .recording(let interaction, _) = source else { return nil }
    return decision.faults.contains(where: \.replacesOrCuts) ? nil : interaction.response?.status
  }
}
