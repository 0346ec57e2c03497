@_spi(WindTunnel) internal import WindTunnelCore

/// A request with all of it worked out that no decision changes: one that comes again need not have
/// it worked out again.
package struct PreparedRequest: Sendable {
  /// The request as it is matched, without a lane.
  let request: Request
  /// The same for the records of its exchanges, which share it.
  let boxedRequest: Boxed<Request>
  /// The number of bytes of its content.
  let bodyBytes: Int
  /// The lane that it names itself.
  let lane: Lane?
  let key: RequestKey
  /// The fingerprint by which it is counted.
  let print: Fingerprint
  /// The recordings that answer it, where nothing decides that but itself.
  let sequence: MatchIndex.Sequence?
  /// The cassette that it was worked out by.
  let cassette: LoadedCassette
  /// The fields that decide in which form a recording answers it.
  let traits: RequestTraits
  /// Tells whether a recording that answers it is sent as it stands, unless the scenario changes
  /// it or the request asks for another form.
  let takesRecordingsUnchanged: Bool

  /// Tells whether the request names a lane itself.
  package var namesLane: Bool { lane != nil }
  /// The origin that most of the cassette was recorded from.
  package var origin: RequestURL? { cassette.origin }

  /// Tells whether another was worked out by the same cassette.
  package func isOfCassette(of other: PreparedRequest) -> Bool { cassette === other.cassette }
}

/// A cassette as a deck plays it, with all that is worked out of it once. It does not change; the
/// next one that is loaded takes its place.
final class LoadedCassette: Sendable {
  let matcher: Matcher
  /// The origin of the requests that name none: by default the one that most of it was recorded
  /// from.
  let origin: RequestURL?
  let index: MatchIndex
  /// Every request with its answer, in order, in the very list of the cassette; the answer of a
  /// function stands here empty.
  let interactions: [Interaction]
  /// The stubs that have a function or a wait, by their places.
  private let stubs: [Int: Stub.Part]
  /// The places of templates, and of interactions with parts that are not played yet.
  private let special: Set<Int>
  /// Whether a response may depend on the whole request: there are functions or templates.
  let computes: Bool
  private let notes: [JSON.Member]
  private let then: EndPolicy
  /// The hosts that it answers for, where others are passed on.
  private let hosts: Set<String>
  /// Tells whether recordings are sent at once and as they stand, unless a scenario changes them.
  private let playsUnchanged: Bool
  /// The explanations of requests that nothing answers: what is not answered is mostly asked again.
  private let explanations = Locked<[Request: Mismatch]>([:])
  private static let explanationsMax = 256
  /// The conversations that were played, worked out, by their places.
  private let conversations = Locked<[Int: Conversation]>([:])
  /// Requests with more content are explained each time.
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
    (matcher, then) = (options.matcher, options.then)
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

  /// The recordings by their places; `nil` where a function answers.
  var recordings: [Interaction?] {
    interactions.enumerated().map { function(at: $0.offset) == nil ? $0.element : nil }
  }

  /// Returns the function that answers at a place; `nil` where a recording does.
  func function(at place: Int) -> (@Sendable (Request) -> Response)? {
    stubs.isEmpty ? nil : stubs[place]?.function
  }

  /// Returns the wait before the response at a place; `nil` if there is none.
  func delay(at place: Int) -> Duration? { stubs.isEmpty ? nil : stubs[place]?.delay }

  /// Whether more is to do at a place than to play the interaction as it stands.
  func isSpecial(at place: Int) -> Bool {
    !special.isEmpty && special.contains(place) || delay(at: place) != nil
  }

  /// Tells what follows when the last of a sequence was played.
  func endPolicy(at place: Int) -> EndPolicy { interactions[place].then ?? then }

  /// Tells whether the cassette answers for a host.
  func answers(for url: RequestURL) -> Bool { url.host.map(hosts.contains) ?? false }

  /// Works out what does not change of a request, as long as no other cassette is loaded.
  func prepare(_ request: Request) -> PreparedRequest {
    var request = request
    let lane = Lane.take(from: &request)
    let key = matcher.key(request)
    let print = Fingerprint(key.text)
    let sequence = index.settled(request, key, print: print)
    let traits = RequestTraits(request.headers)
    return PreparedRequest(
      request: request,
      boxedRequest: Boxed(request),
      bodyBytes: request.body.count,
      lane: lane,
      key: key,
      print: print,
      sequence: sequence,
      cassette: self,
      traits: traits,
      takesRecordingsUnchanged: playsUnchanged && request.method == "GET" && !traits.contains(.part)
    )
  }

  /// Returns the conversation at a place, worked out once.
  func conversation(at place: Int) -> Conversation {
    if let known = conversations.withLock({ $0[place] }) { return known }
    let conversation = Conversation(interactions[place], correlatedBy: matcher.correlated)
    conversations.withLock { $0[place] = conversation }
    return conversation
  }

  /// Explains why nothing answers a request, once for equal ones; how often what comes near was
  /// played is left to the caller.
  func explanation(of request: Request) -> Mismatch {
    var asked = Request(request.method, request.url)
    let looksAtContent = matcher.looksAtContent
    if looksAtContent { asked.body = request.body }
    if looksAtContent || !matcher.headers.isEmpty {
      asked.headers = request.headers
    } else {
      // These are compared with the recording of a part or of a condition's answer, whatever else
      // is.
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

/// The part of a decision that is worked out outside the deck's lock.
///
/// Indirect: a decision carries it, and has mostly none.
indirect enum DeferredAnswer: Sendable {
  /// A function of the user's, which may be slow and may ask the deck itself.
  case compute(@Sendable (Request) -> Response, PreparedRequest, delay: Duration?)
  /// The search for the nearest recording, which looks at all of them.
  case explain(PreparedRequest, exhausted: (times: Int, last: Int)?)
  /// The form of a recording that suits its request, of whose body a fault may make a version next,
  /// with the values of a template.
  case fit(isVersioned: Bool, TemplateValues?, delay: Duration?)

  /// Works out the answer, which may take its time; `nil` if that is a recording.
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
