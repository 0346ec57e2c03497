package import WindTunnel

/// The exchanges of one or more decks, as a fold over their events.
package struct ServedExchanges: ConsoleBook {
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

  private struct Course: Sendable {
    /// The number of the attempts so far, the line of the last one, and its end.
    var count: Int
    var line: Int
    var over: Duration?
    var isDone = false
  }

  private typealias Change = @Sendable (inout ServedExchange) -> Void

  package private(set) var feed = ConsoleFeed<ServedExchange>()
  private var lines: [Key: Int] = [:]
  /// The course of each; one that was answered well begins anew.
  private var sequences: [Sequence: Course] = [:]
  /// The number of exchanges before the last line that nobody followed.
  private var skipped: Int? = 0
  /// The changes of exchanges whose requests have not come whole.
  private var early: [Key: [Change]] = [:]
  /// The last decision of the first deck, and the decisions behind which segments begin.
  private var lastDecision = 0
  private var boundaries: [(after: Int, number: Int)] = []
  /// The lines with the content of live answers, the oldest first, and the bytes of all.
  private var contents: [(line: Int, bytes: Int)] = []
  /// The first of them that still counts, and the bytes of all that do.
  private var (firstContent, contentBytes) = (0, 0)
  /// Live answers to requests that have not come whole.
  private var earlyAnswers: [Key: LiveResponse] = [:]
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

  private mutating func count(_ entry: Journal.Entry, at moment: Duration) {
    let faults = entry.decision.faults.map(\.name)
    feed.counters.began(faults, take: nil, attempt: 1, at: moment)
    feed.counters.ended(status: nil, bytes: nil, latency: nil, isWhole: false)
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

  /// Takes an event of a deck.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - deck: The number of the deck, where there are several.
  ///   - moment: The time from the console's start.
  package mutating func apply(_ event: ExchangeEvent, of deck: Int = 0, at moment: Duration) {
    func key(_ outcome: Outcome) -> Key { Key(deck: deck, outcome: outcome.id) }
    switch event {
    case .decided(let entry):
      lastDecision = max(lastDecision, entry.id)
      // A tunnel is told of at its end, and a connection that is only late goes on.
      guard entry.take == .connection, entry.decision.key == FaultDecision.connectionKey,
        entry.decision.faults.contains(where: \.replacesOrCuts)
      else { return }
      append(.connection(entry), in: segment(of: entry.id), at: moment)
      count(entry, at: moment)
    case .requestEnd(let outcome, let handshake, let upload):
      begin(outcome, key(outcome), handshake, upload, at: moment)
    case .undone(let outcome, let faults):
      update(key(outcome), orBefore: { $0.undone += faults })
    case .notAsked(let outcome, let reason):
      let key = key(outcome)
      update(key, orBefore: { $0.notAsked = reason })
      if lines[key] != nil { feed.counters.answers("withheld", insteadOf: outcome.take.name) }
    case .firstByte(let outcome): update(key(outcome)) { $0.firstByte = moment }
    case .passed(let outcome, let answer): take(answer, for: key(outcome))
    case .ended(let outcome, let end): finish(key(outcome), outcome, end, at: moment)
    case .said(let outcome, let speech): update(key(outcome)) { $0.hear(speech) }
    case .left(let outcome): update(key(outcome)) { $0.isLeft = true }
    case .conversed(let outcome, let log): update(key(outcome)) { $0.conversation = log }
    case .tunnelEnded(let end):
      // It was decided when it was opened, perhaps many segments ago.
      let segment = feed.segments.last { $0.scenario.name == end.scenario }?.number
      append(
        .tunnel(end),
        in: segment ?? self.segment(of: lastDecision),
        at: max(.zero, moment - end.duration)
      )
      count(end, at: moment)
    // The conversation has what a client says beside the cassette, without a number.
    case .strayed: break
    }
  }

  /// Returns the numbers of the lines of some decisions of the first deck, those that are kept.
  package func lines(of decisions: [Int]) -> [Int] {
    decisions.compactMap { lines[Key(deck: 0, outcome: $0)] }.filter { feed[$0] != nil }
  }

  /// Keeps a live answer, and gives up the contents of the oldest where there are too many.
  private mutating func take(_ answer: LiveResponse, for key: Key) {
    guard let line = lines[key] else {
      // It was answered before it had come whole.
      if earlyAnswers.count >= Self.earlyAnswersMax { earlyAnswers = [:] }
      earlyAnswers[key] = answer
      return
    }
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
    // Half at a time, so that each moves once.
    guard firstContent > contents.count / 2 else { return }
    contents.removeFirst(firstContent)
    firstContent = 0
  }

  /// So many live answers may be there before their requests.
  private static let earlyAnswersMax = 64

  private func segment(of decision: Int) -> Int {
    boundaries.last { $0.after < decision }?.number ?? boundaries.first?.number ?? 1
  }

  private mutating func append(
    _ matter: ServedExchange.Matter,
    in segment: Int,
    at moment: Duration
  ) {
    feed.append(ServedExchange(feed.nextID, matter, segment: segment, at: moment, rules))
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
    for change in early.removeValue(forKey: key) ?? [] { change(&exchange) }
    let sequence = Self.sequence(of: outcome)
    // What came between two that are followed is not known.
    if outcome.skipped != skipped || sequences.count >= Self.trackedMax { sequences = [:] }
    skipped = outcome.skipped
    let before = sequences[sequence].flatMap { $0.isDone ? nil : $0 }
    exchange.attempt = (before?.count ?? 0) + 1
    exchange.gap = before?.over.map { max(.zero, moment - $0) }
    sequences[sequence] = Course(count: exchange.attempt, line: exchange.id)
    lines[key] = exchange.id
    feed.append(exchange)
    if let answer = earlyAnswers.removeValue(forKey: key) { take(answer, for: key) }
    feed.counters.began(
      outcome.decision.faults.map(\.name),
      take: exchange.take,
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

  private mutating func update(_ key: Key, _ change: (inout ServedExchange) -> Void) {
    if let line = lines[key] { feed.update(line, change) }
  }

  /// Changes an exchange, once it has begun.
  private mutating func update(_ key: Key, orBefore change: @escaping Change) {
    if let line = lines[key] { return feed.update(line, change) }
    if early.count >= Self.trackedMax { early = [:] }
    early[key, default: []].append(change)
  }

  private mutating func finish(
    _ key: Key,
    _ outcome: Outcome,
    _ end: ExchangeEnd?,
    at moment: Duration
  ) {
    let status = end?.status ?? (end == nil ? outcome.status : nil)
    let isWhole = end.map { $0.ending == .whole } ?? true
    guard let line = lines[key], let before = feed[line], case .request(let asked) = before.matter
    else { return }
    // Of a proxy's client only the request's end knows the address.
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
