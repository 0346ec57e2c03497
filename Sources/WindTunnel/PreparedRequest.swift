/// A request with all of it worked out that no decision changes: who asks for the same again need not
/// have it worked out again.
package struct PreparedRequest: Sendable {
  /// The request as it is matched, without a lane.
  let request: Request
  /// The lane that it names itself.
  let lane: Lane?
  let key: RequestKey
  /// What answers it, where nothing decides that but itself.
  let sequence: MatchIndex.Sequence?
  /// What it was worked out by.
  let front: Deck.Front

  /// Whether the request names a lane itself.
  package var namesLane: Bool { lane != nil }
  /// The origin that most of the tape was recorded from.
  package var origin: RequestURL? { front.origin }

  /// Whether another was worked out by the same tape.
  package func isOfTape(of other: PreparedRequest) -> Bool { front === other.front }

  init(_ request: Request, _ front: Deck.Front) {
    var request = request
    lane = Lane.take(from: &request)
    key = front.matcher.key(request)
    sequence = front.index.settled(request, key)
    (self.request, self.front) = (request, front)
  }
}

extension Deck {
  /// What of a deck does not change while its tape stays.
  final class Front: Sendable {
    let matcher: Matcher
    let origin: RequestURL?
    let index: MatchIndex

    init<Requests: RandomAccessCollection<Request>>(_ requests: Requests, _ matcher: Matcher)
    where Requests.Index == Int {
      self.matcher = matcher
      origin = RequestURL.mostFrequentOrigin(of: requests.lazy.map { $0.url })
      index = MatchIndex(requests, matcher: matcher)
    }
  }

  /// Works out what does not change of a request, as long as no other tape is loaded.
  package func prepare(_ request: Request) -> PreparedRequest {
    PreparedRequest(request, front.withLock { $0 })
  }
}
