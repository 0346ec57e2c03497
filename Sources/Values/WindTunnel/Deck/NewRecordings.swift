package import Foundation

/// The answers of live origins that a deck was told to keep, by the number of the request that
/// asked for each.
struct NewRecordings: Sendable {
  private var interactions: [Int: Interaction] = [:]
  private var unaskedTickets: Set<Int> = []
  /// The reasons why nothing is kept of conversations.
  private var unread: [Int: String] = [:]
  /// The number of requests that this process could not ask for, and the reason, as half a
  /// sentence; `nil` where it could ask for all.
  private(set) var unasked: (count: Int, reason: String)?

  var isEmpty: Bool { interactions.isEmpty }

  /// Tells whether there is nothing but connections that were refused.
  var areRefusalsAlone: Bool { !isEmpty && interactions.values.allSatisfy(\.isRefused) }

  /// The interactions by the numbers of their requests, in the order of those.
  var inOrder: [(order: Int, interaction: Interaction)] {
    interactions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Tells whether anything is kept under a number.
  func has(_ ticket: Int) -> Bool { interactions[ticket] != nil }

  /// Returns the reason why nothing could be asked under a number; `nil` where it could.
  func reasonUnasked(_ ticket: Int) -> String? {
    unaskedTickets.contains(ticket) ? unasked?.reason : nil
  }

  /// Returns the reason why nothing is kept of a conversation; `nil` of any other exchange.
  func reasonUnread(_ ticket: Int) -> String? { unread[ticket] }

  /// Takes note of a conversation of which nothing is kept.
  mutating func noteUnread(_ ticket: Int, _ reason: String) { unread[ticket] = reason }

  mutating func keep(_ interaction: Interaction, under ticket: Int) {
    interactions[ticket] = interaction
  }

  /// Takes note of a request that could not be asked for, for want of something of this process's.
  mutating func noteUnasked(_ ticket: Int?, _ reason: String) {
    unasked = ((unasked?.count ?? 0) + 1, unasked?.reason ?? reason)
    if let ticket { unaskedTickets.insert(ticket) }
  }

  /// Drops connections that were refused, and returns what they were for.
  mutating func dropRefusals() -> [String] {
    let refused = inOrder.filter(\.interaction.isRefused)
    for (order, _) in refused { interactions[order] = nil }
    return refused.map {
      "\($0.interaction.request.method) \($0.interaction.request.url.origin ?? "")"
    }
  }
}

extension Deck {
  /// Tells whether anything was recorded.
  package var hasRecorded: Bool { !newRecordings.isEmpty }

  /// Tells whether nothing was recorded but connections that were refused: the origin is not there,
  /// and a cassette of that is no use, least of all in place of a good one.
  package var recordedRefusalsAlone: Bool { newRecordings.areRefusalsAlone }

  /// The number of requests that this process could not ask for, and the reason, as half a
  /// sentence; `nil` where it could ask for all.
  package var unasked: (count: Int, reason: String)? { newRecordings.unasked }

  /// Returns the interactions of the cassette and those recorded since, in the order of the
  /// requests and without secrets. Content that cannot be searched for secrets or rewritten is left
  /// out, and named. An interaction that was recorded again and differs in volatile parts alone
  /// stays as it was.
  ///
  /// ```swift
  /// let deck = Deck(Cassette(), mode: .newEpisodes)
  /// let session = URLSession(configuration: .windTunnel(deck))
  /// _ = try await UserAPI(session: session, base: origin).profile(7)
  /// let (cassette, leftOut) = deck.recorded()
  /// try cassette.write(to: file)
  /// ```
  ///
  /// - Parameter names: Further header fields that change from one recording to the next.
  /// - Returns: The cassette, and one sentence about each thing that was left out.
  public func recorded(volatile names: [String] = []) -> (cassette: Cassette, leftOut: [String]) {
    let (cassette, _, leftOut) = numbered(volatile: names)
    return (cassette, leftOut)
  }

  /// Returns the same, with the numbers of the requests that are new on it, which are its last
  /// ones.
  package func numbered(
    volatile names: [String] = []
  ) -> (cassette: Cassette, orders: [Int], leftOut: [String]) {
    let recording = recording
    var cassette = recording.kept
    let new = recording.new.inOrder
    var redaction = Redaction(continuing: cassette.interactions, rules: redaction)
    let redacted = redaction.redact(new.map(\.interaction))
    cassette.interactions.removeParts(replacedBy: redacted)
    cassette.interactions += Rerecording.keepingOld(
      recording.replaced,
      under: redacted,
      volatile: Set(names.map { $0.lowercased() })
    )
    return (cassette, redaction.keptPlaces.map { new[$0].order }, redaction.leftOut)
  }

  /// Returns other interactions without the secrets of what was recorded, and without their own;
  /// `nil` for each from which they cannot be removed.
  package func redacted(beside others: [Interaction]) -> [Interaction?] {
    let recording = recording
    var redaction = Redaction(continuing: recording.kept.interactions, rules: redaction)
    _ = redaction.redact(recording.new.inOrder.map(\.interaction))
    let redacted = redaction.redact(others)
    let kept = Dictionary(uniqueKeysWithValues: zip(redaction.keptPlaces, redacted))
    return others.indices.map { kept[$0] }
  }

  /// Returns what was recorded, put onto the cassette that stands in the file by now and that
  /// others may have written onto since.
  ///
  /// A deck that records everything anew replaces what it was asked for and nothing else
  /// (``RerecordingMerge``); any other adds.
  ///
  /// - Parameters:
  ///   - cassette: What stands in the file.
  ///   - then: What is played when the recordings of a request are used up.
  ///   - keepsOrder: Whether what was asked for is to stand in the order in which it was.
  ///   - date: What recordings bear as their day; `nil`: none.
  ///   - run: What was recorded onto the cassette before, in the same run.
  /// - Returns: The cassette, what could not be kept, in words, and what was recorded in this run
  ///   by now.
  package func recorded(
    into cassette: Cassette,
    then: EndPolicy,
    keepsOrder: Bool = false,
    on date: Date? = nil,
    beside run: RunRecordings = RunRecordings()
  ) -> (cassette: Cassette, leftOut: [String], run: RunRecordings) {
    let recording = recording
    var redaction = Redaction(continuing: cassette.interactions, rules: redaction)
    var new = redaction.redact(recording.new.inOrder.map(\.interaction))
    let day = date.map(Cassette.day)
    var (cassette, run) = (cassette, run)
    if recording.isAnew {
      let rule = ReplacedPlaces.Rule.played(by: matcher, then: then)
      let replacing = RerecordingMerge(rule: rule, keepsOrder: keepsOrder, day: day)
      cassette.interactions = replacing(new, in: cassette.interactions, beside: &run)
    } else {
      if let day { for index in new.indices { new[index].recordedAt = day } }
      cassette.interactions.removeParts(replacedBy: new)
      cassette.interactions += new
      run.add(new)
    }
    return (cassette, redaction.leftOut, run)
  }
}
