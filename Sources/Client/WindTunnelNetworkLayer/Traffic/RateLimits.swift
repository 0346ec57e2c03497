/// The times until which servers limit the rate of requests, as a value.
///
/// A `Retry-After` (RFC 9110 §10.2.3) applies to the endpoint, not only to the call that received
/// it. Otherwise the client's other calls would keep the server's limit active.
package struct RateLimits {
  /// An endpoint of a host, identified by its method and its template.
  package struct Endpoint: Hashable {
    package var host: String
    var method: String?
    var endpoint: String

    package init(host: String, method: String?, endpoint: String) {
      (self.host, self.method, self.endpoint) = (host, method, endpoint)
    }
  }

  /// A time during which an endpoint should receive no requests.
  struct Limit: Hashable {
    /// The remaining time that the server specified.
    var rest: Duration
    /// Whether the remaining time is longer than the maximum wait.
    var isTooLong: Bool
  }

  private struct Word {
    /// The end of the server's limit.
    var end: Duration
    /// The end of the limit as far as it is respected.
    var kept: Duration
  }

  /// The maximum number of remembered endpoints.
  private static let placesMax = 1024
  /// A remaining time that counts as none, because two readings of a clock differ slightly.
  private static let grain = Duration.milliseconds(2)

  private let longest: Duration
  private var words: [Endpoint: Word] = [:]

  /// Creates an empty value. A limit is respected for at most `longest`.
  init(longest: Duration) { self.longest = longest }

  /// Returns the limit of an endpoint; `nil` if it may receive requests.
  func limit(on place: Endpoint, at now: Duration) -> Limit? {
    guard !words.isEmpty, let word = words[place], word.kept - now > Self.grain else { return nil }
    return Limit(rest: word.end - now, isTooLong: word.end > word.kept)
  }

  /// Records a limit of an endpoint. A shorter limit does not end a longer one.
  mutating func leave(_ place: Endpoint, alone wait: Duration, at now: Duration) {
    guard wait > .zero, longest > .zero else { return }
    if words[place] == nil, words.count >= Self.placesMax {
      words = words.filter { $0.value.kept > now }
      guard words.count < Self.placesMax else { return }
    }
    var word = Word(end: now + wait, kept: now + min(wait, longest))
    if let before = words[place], before.kept > now {
      word = Word(end: max(before.end, word.end), kept: max(before.kept, word.kept))
    }
    words[place] = word
  }
}
