@_spi(WindTunnel) internal import WindTunnelCore

/// A request with everything that does not depend on a decision, for repeated use. A class because
/// it is large and is read for every repetition.
package final class PreparedRequest: Sendable {
  /// The request as it is matched, without a lane.
  let request: Request
  /// The same request in a box that the records of its exchanges share.
  let boxedRequest: Boxed<Request>
  /// The number of bytes of its content.
  let bodyBytes: Int
  /// The lane that the request names itself; `nil` if it names none.
  let lane: Lane?
  let key: RequestKey
  /// The fingerprint of the key, by which requests are counted.
  let print: Fingerprint
  /// The recordings of the request; `nil` if they depend on earlier requests.
  let sequence: MatchIndex.Sequence?
  /// The cassette for which the request was prepared.
  let cassette: LoadedCassette
  /// The header fields that determine the form of the response.
  let traits: RequestTraits
  /// Whether the request's recording is sent unchanged, unless the scenario changes it or the
  /// request needs another form.
  let takesRecordingsUnchanged: Bool

  /// Prepares a request for a cassette.
  fileprivate init(_ request: Request, for cassette: LoadedCassette, unchanged: Bool) {
    var request = request
    lane = Lane.take(from: &request)
    key = cassette.matcher.key(request)
    print = Fingerprint(key.text)
    sequence = cassette.index.settled(request, key, print: print)
    traits = RequestTraits(request.headers)
    (self.request, boxedRequest, bodyBytes) = (request, Boxed(request), request.body.count)
    self.cassette = cassette
    takesRecordingsUnchanged = unchanged && request.method == "GET" && !traits.contains(.part)
  }

  /// Whether the request names a lane itself.
  package var namesLane: Bool { lane != nil }
  /// The origin of most interactions on the cassette.
  package var origin: RequestURL? { cassette.origin }

  /// Returns whether another request was prepared for the same cassette.
  package func isOfCassette(of other: PreparedRequest) -> Bool { cassette === other.cassette }
}

/// A cassette as a deck plays it, with the data that is computed once.
///
/// It is immutable; loading another cassette replaces it.
final class LoadedCassette: Sendable {
  let matcher: Matcher
  /// The origin of requests that name none: by default that of most interactions.
  let origin: RequestURL?
  let index: MatchIndex
  /// Every request with its response, in order, in the cassette's own array. The response of a
  /// function is empty.
  let interactions: [Interaction]
  /// The stubs with a function or a delay, by their indices.
  private let stubs: [Int: Stub.Part]
  /// The indices of templates, and of interactions with parts that cannot be played yet.
  private let special: Set<Int>
  /// Whether a response may depend on the whole request, because of a function or a template.
  let computes: Bool
  private let notes: [JSON.Member]
  /// The policy after the last recording of a sequence, by its index. Every request needs one.
  private let endPolicies: [EndPolicy]
  /// The hosts of the recordings, if requests to other hosts are forwarded.
  private let hosts: Set<String>
  /// Whether recordings are sent at once and unchanged, unless a scenario changes them.
  private let playsUnchanged: Bool
  /// The explanations of missing recordings, because the same request is often sent again.
  private let explanations = Locked<[Request: Mismatch]>([:])
  private static let explanationsMax = 256
  /// The conversations that were played, by their indices.
  private let conversations = Locked<[Int: Conversation]>([:])
  /// For requests with more content, the explanation is computed each time.
  private static let explainedBytesMax = 64 << 10

  convenience init(_ cassette: Cassette, _ options: PlaybackOptions) {
    self.init(cassette.interactions, notes: cassette.notes, options)
  }

  convenience init(_ stubs: [Stub], _ options: PlaybackOptions) {
    let parts = Array(stubs.flatMap(\.parts).enumerated())
    let special = parts.filter { $0.element.function != nil || $0.element.delay != nil }
    let stubs = Dictionary(uniqueKeysWithValues: special.map { ($0.offset, $0.element) })
    self.init(parts.map(\.element.interaction), stubs, options)
  }

  private init(
    _ interactions: [Interaction],
    _ stubs: [Int: Stub.Part] = [:],
    notes: [JSON.Member] = [],
    _ options: PlaybackOptions
  ) {
    (self.interactions, self.stubs, self.notes) = (interactions, stubs, notes)
    matcher = options.matcher
    endPolicies = interactions.map { $0.then ?? options.then }
    special = Set(
      interactions.indices.filter { place in
        interactions[place].isTemplate || !interactions[place].unplayed.isEmpty
      }
    )
    computes =
      stubs.values.contains { $0.function != nil }
      || special.contains { interactions[$0].isTemplate }
    let requests = interactions.map(\.request)
    hosts = options.passesUnknownHosts ? Set(requests.compactMap { $0.url.host }) : []
    playsUnchanged = options.pace == .immediately && options.refreshingDates == nil
    origin = options.origin ?? RequestURL.mostFrequentOrigin(of: requests)
    index = MatchIndex(interactions, matcher: options.matcher)
  }

  /// The cassette without functions.
  var cassette: Cassette {
    var cassette = Cassette(stubs.isEmpty ? interactions : recordings.compactMap(\.self))
    cassette.notes = notes
    return cassette
  }

  /// The recordings by their indices; `nil` for a function.
  var recordings: [Interaction?] {
    interactions.enumerated().map { function(at: $0.offset) == nil ? $0.element : nil }
  }

  /// Returns the function at an index; `nil` if there is a recording.
  func function(at place: Int) -> (@Sendable (Request) -> Response)? {
    stubs.isEmpty ? nil : stubs[place]?.function
  }

  /// Returns the delay before the response at an index; `nil` if there is none.
  func delay(at place: Int) -> Duration? { stubs.isEmpty ? nil : stubs[place]?.delay }

  /// Whether playing the interaction at an index needs more than sending it unchanged.
  func isSpecial(at place: Int) -> Bool {
    !special.isEmpty && special.contains(place) || delay(at: place) != nil
  }

  /// Returns the policy after the last recording of a sequence.
  func endPolicy(at place: Int) -> EndPolicy { endPolicies[place] }

  /// Returns whether the cassette has recordings of a host.
  func answers(for url: RequestURL) -> Bool { url.host.map(hosts.contains) ?? false }

  /// Prepares the parts of a request that stay the same while the cassette is loaded.
  func prepare(_ request: Request) -> PreparedRequest {
    PreparedRequest(request, for: self, unchanged: playsUnchanged)
  }

  /// Returns the conversation at an index, which is parsed once.
  func conversation(at place: Int) -> Conversation {
    if let known = conversations.withLock({ $0[place] }) { return known }
    let conversation = Conversation(interactions[place], correlatedBy: matcher.correlated)
    conversations.withLock { $0[place] = conversation }
    return conversation
  }

  /// Returns the reason why a request has no recording, computed once for equal requests.
  ///
  /// The caller adds the number of times that similar recordings were played.
  func explanation(of request: Request) -> Mismatch {
    var asked = Request(request.method, request.url)
    let looksAtContent = matcher.looksAtContent
    if looksAtContent { asked.body = request.body }
    if looksAtContent || !matcher.headers.isEmpty {
      asked.headers = request.headers
    } else {
      // These fields are always compared, for recordings of a range or of a conditional response.
      asked.headers = HeaderFields(request.headers.filter { MatchIndex.counts($0) })
    }
    guard asked.body.count <= Self.explainedBytesMax else {
      return Mismatch(request, among: interactions, matcher: matcher)
    }
    let key = asked
    if let known = explanations.withLock({ $0[key] }) { return known }
    let mismatch = Mismatch(request, among: interactions, matcher: matcher)
    explanations.withLock { known in
      if known.count == Self.explanationsMax { known = [:] }
      known[key] = mismatch
    }
    return mismatch
  }
}

/// The part of a decision that is done outside the deck's lock.
///
/// Indirect, because a decision contains it and rarely has a value.
indirect enum DeferredAnswer: Sendable {
  /// A user's function, which may be slow and may use the deck itself.
  case compute(@Sendable (Request) -> Response, PreparedRequest, delay: Duration?)
  /// The search for the nearest recording, which reads all recordings.
  case explain(PreparedRequest, exhausted: (times: Int, last: Int)?)
  /// The adaptation of a recording to its request, with the values of a template.
  ///
  /// `isVersioned` if a fault changes the body to another version afterwards.
  case fit(isVersioned: Bool, TemplateValues?, delay: Duration?)

  /// Computes the source of the response, which may be slow; `nil` if it is a recording.
  func source() -> Outcome.Source? {
    switch self {
    case .fit: return nil
    case .compute(let answer, let prepared, _): return .computed(answer(prepared.request))
    case .explain(let prepared, nil):
      return .unmatched(prepared.cassette.explanation(of: prepared.request))
    case .explain(let prepared, let (times, last)?):
      return .unmatched(
        Mismatch(
          exhausted: prepared.request,
          times: times,
          last: last,
          of: prepared.cassette.interactions
        )
      )
    }
  }
}
