package import WindTunnel

/// Which request each call makes: the requests of the cassette, one after the other.
///
/// A call's number decides, never a clock or a thread, so every shard and every repetition flies
/// the same calls.
package struct Itinerary: Sendable {
  private let requests: [Request]

  /// Takes each different request of a cassette once, in recorded order.
  package init(_ cassette: Cassette, matcher: Matcher) {
    var seen: Set<RequestKey> = []
    requests = cassette.interactions.map(\.request).filter { seen.insert(matcher.key($0)).inserted }
  }

  /// Whether there is nothing to call.
  package var isEmpty: Bool { requests.isEmpty }

  /// The request of a call.
  package func request(of call: Int) -> Request { requests[call % requests.count] }

  /// What a call is of, such as `GET /home`.
  package func endpoint(of call: Int) -> String {
    let request = request(of: call)
    return "\(request.method) \(request.url.path)"
  }

  /// The lane of a call: its scenario and number.
  package static func lane(_ scenario: String, _ call: Int) -> Lane { Lane("\(scenario)/\(call)") }
}
