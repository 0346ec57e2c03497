package import Foundation

/// The responses of live origins that a deck has recorded, by the number of the request.
struct NewRecordings: Sendable {
  private var interactions: [Int: Interaction] = [:]
  private var unaskedTickets: Set<Int> = []
  /// The reasons why conversations were not kept.
  var unread: [Int: String] = [:]
  /// The number of requests that this process could not send, and the reason, as half a sentence;
  /// `nil` if it could send all.
  private(set) var unasked: (count: Int, reason: String)?

  var isEmpty: Bool { interactions.isEmpty }

  /// Whether all recordings are of refused connections.
  var areRefusalsAlone: Bool { !isEmpty && interactions.values.allSatisfy(\.isRefused) }

  /// The interactions and the numbers of their requests, sorted by number.
  var inOrder: [(order: Int, interaction: Interaction)] {
    interactions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Returns whether a recording has a number.
  func has(_ ticket: Int) -> Bool { interactions[ticket] != nil }

  /// Returns the reason why the request with a number could not be sent; `nil` if it could.
  func reasonUnasked(_ ticket: Int) -> String? {
    unaskedTickets.contains(ticket) ? unasked?.reason : nil
  }

  mutating func keep(_ interaction: Interaction, under ticket: Int) {
    interactions[ticket] = interaction
  }

  /// Records that this process could not send a request, because it lacks a resource of its own.
  mutating func noteUnasked(_ ticket: Int?, _ reason: String) {
    unasked = ((unasked?.count ?? 0) + 1, unasked?.reason ?? reason)
    if let ticket { unaskedTickets.insert(ticket) }
  }

  /// Drops recordings of refused connections, and returns their methods and origins.
  mutating func dropRefusals() -> [String] {
    let refused = inOrder.filter(\.interaction.isRefused)
    for (order, _) in refused { interactions[order] = nil }
    return refused.map {
      "\($0.interaction.request.method) \($0.interaction.request.url.origin ?? "")"
    }
  }
}

extension Deck {
  /// Whether the deck has recorded anything.
  package var hasRecorded: Bool { !newRecordings.isEmpty }

  /// Whether all recordings are of refused connections.
  ///
  /// The origin is then not running, and a cassette of refusals must not replace a good one.
  package var recordedRefusalsAlone: Bool { newRecordings.areRefusalsAlone }

  /// The number of requests that this process could not send, and the reason, as half a sentence;
  /// `nil` if it could send all.
  package var unasked: (count: Int, reason: String)? { newRecordings.unasked }

  /// Returns the cassette with the interactions that were recorded since, in the order of the
  /// requests and without secrets.
  ///
  /// Content that cannot be searched for secrets or rewritten is omitted and named. If an
  /// interaction was recorded again and differs only in volatile parts, the old one is kept.
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
  /// - Returns: The cassette, and one sentence for each omitted part.
  public func recorded(volatile names: [String] = []) -> (cassette: Cassette, leftOut: [String]) {
    let (cassette, _, leftOut) = numbered(volatile: names)
    return (cassette, leftOut)
  }

  /// Returns the same, with the numbers of the new requests, which are the cassette's last ones.
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

  /// Returns other interactions without the secrets of the recordings, and without their own
  /// secrets.
  ///
  /// An element is `nil` if the secrets cannot be removed.
  package func redacted(beside others: [Interaction]) -> [Interaction?] {
    let recording = recording
    var redaction = Redaction(continuing: recording.kept.interactions, rules: redaction)
    _ = redaction.redact(recording.new.inOrder.map(\.interaction))
    let redacted = redaction.redact(others)
    let kept = Dictionary(uniqueKeysWithValues: zip(redaction.keptPlaces, redacted))
    return others.indices.map { kept[$0] }
  }

  /// Returns the recordings, merged into the file's current cassette, to which other processes may
  /// have written since.
  ///
  /// A deck that records everything again replaces the requested interactions only
  /// (``RerecordingMerge``); any other deck adds its recordings.
  ///
  /// - Parameters:
  ///   - cassette: The current contents of the file.
  ///   - then: The policy after the last recording of a request.
  ///   - keepsOrder: Whether the requested interactions keep the order of their requests.
  ///   - date: The date of the recordings; `nil` for none.
  ///   - run: The earlier recordings of the same run.
  /// - Returns: The cassette, a sentence for each omitted part, and the recordings of this run so
  ///   far.
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
