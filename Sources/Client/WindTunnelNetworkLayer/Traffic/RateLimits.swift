/// The times until which servers want to be left alone, as a value.
///
/// The moment of a `Retry-After` (RFC 9110 §10.2.3) belongs to the endpoint, not to the call that
/// was told it: a limit is never over for a client whose other calls go on asking.
package struct RateLimits {
  /// An endpoint of a host, by its method and its template.
  package struct Place: Hashable {
    package var host: String
    var method: String?
    var endpoint: String

    package init(host: String, method: String?, endpoint: String) {
      (self.host, self.method, self.endpoint) = (host, method, endpoint)
    }
  }

  /// A time for which an endpoint is to be left alone.
  struct Limit: Hashable {
    /// The rest of the time for which the server has asked.
    var rest: Duration
    /// True where that is longer than anybody waits.
    var isTooLong: Bool
  }

  private struct Word {
    /// The time until which the server wants to be left alone.
    var end: Duration
    /// The time until which it is.
    var kept: Duration
  }

  /// The most endpoints that are remembered.
  private static let placesMax = 1024
  /// The rest that is none: two readings of a clock do not agree on it.
  private static let grain = Duration.milliseconds(2)

  private let longest: Duration
  private var words: [Place: Word] = [:]

  /// Makes one without limits; a word is kept for no longer than `longest`.
  init(longest: Duration) { self.longest = longest }

  /// Returns the limit of an endpoint; `nil` where it may be asked.
  func limit(on place: Place, at now: Duration) -> Limit? {
    guard !words.isEmpty, let word = words[place], word.kept - now > Self.grain else { return nil }
    return Limit(rest: word.end - now, isTooLong: word.end > word.kept)
  }

  /// Takes note that an endpoint wants to be left alone. A shorter word does not end a longer one.
  mutating func leave(_ place: Place, alone wait: Duration, at now: Duration) {
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
