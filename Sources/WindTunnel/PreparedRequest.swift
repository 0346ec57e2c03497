/// A request with all of it worked out that no decision changes: who asks for the same again need not
/// have it worked out again.
package struct PreparedRequest: Sendable {
  /// The request as it is matched, without a lane.
  let request: Request
  /// The lane that it names itself.
  let lane: Lane?
  let key: RequestKey
  /// What it is counted by.
  let print: Fingerprint
  /// What answers it, where nothing decides that but itself.
  let sequence: MatchIndex.Sequence?
  /// What it was worked out by.
  let front: Deck.Front

  /// Whether an answer that is held ready would do: all of what was recorded.
  let takesPlainAnswers: Bool

  /// Whether the request names a lane itself.
  package var namesLane: Bool { lane != nil }
  /// The origin that most of the tape was recorded from.
  package var origin: RequestURL? { front.origin }

  /// Whether another was worked out by the same tape.
  package func isOfTape(of other: PreparedRequest) -> Bool { front === other.front }
}

extension Deck {
  /// What of a deck does not change while its tape stays.
  final class Front: Sendable {
    let matcher: Matcher
    let origin: RequestURL?
    let index: MatchIndex
    /// Why nothing answers requests that came before: who is not answered asks again and again.
    private let explanations = Locked<[Request: Mismatch]>([:])
    private static let explanationsMax = 256
    /// Requests with more content are explained each time.
    private static let explainedBytesMax = 64 << 10

    init<Requests: RandomAccessCollection<Request>>(_ requests: Requests, _ matcher: Matcher)
    where Requests.Index == Int {
      self.matcher = matcher
      origin = RequestURL.mostFrequentOrigin(of: requests.lazy.map { $0.url })
      index = MatchIndex(requests, matcher: matcher)
    }

    /// Why nothing answers a request, worked out once for equal ones; what was played of what comes
    /// near is left to whoever asks.
    func explanation(of request: Request, among interactions: [Interaction]) -> Mismatch {
      var asked = Request(request.method, request.url)
      let looksAtContent = matcher.looksAtContent
      if looksAtContent { asked.body = request.body }
      if looksAtContent || !matcher.headers.isEmpty {
        asked.headers = request.headers
      } else if let range = request.headers["Range"] {
        // It is compared with the recording of a part, whatever else is.
        asked.headers = ["Range": range]
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

    func prepare(_ request: Request) -> PreparedRequest {
      var request = request
      let lane = Lane.take(from: &request)
      let key = matcher.key(request)
      let print = Fingerprint(key.text)
      let sequence = index.settled(request, key, print: print)
      return PreparedRequest(
        request: request,
        lane: lane,
        key: key,
        print: print,
        sequence: sequence,
        front: self,
        takesPlainAnswers: request.method == "GET" && request.headers["Range"] == nil
      )
    }
  }

  /// Works out what does not change of a request, as long as no other tape is loaded.
  package func prepare(_ request: Request) -> PreparedRequest {
    front.withLock { $0 }.prepare(request)
  }
}
