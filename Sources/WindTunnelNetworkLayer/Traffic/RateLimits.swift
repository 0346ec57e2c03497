/// The times until which endpoints want to be left alone, as a value.
///
/// The moment of a `Retry-After` (RFC 9110 §10.2.3) belongs to the endpoint, not to the call that
/// was told it: a limit is never over for a client whose other calls go on asking.
struct RateLimits {
  /// An endpoint of a host, by its template.
  struct Place: Hashable {
    var host: String
    var endpoint: String
  }

  /// The most endpoints that are remembered.
  private static let placesMax = 1024

  private var ends: [Place: Duration] = [:]

  /// Returns the time for which an endpoint is to be left alone; `nil` where it may be asked.
  func wait(for place: Place, at now: Duration) -> Duration? {
    guard let end = ends[place], end > now else { return nil }
    return end - now
  }

  /// Takes note that an endpoint wants to be left alone. A shorter word does not end a longer one.
  mutating func leave(_ place: Place, alone wait: Duration, at now: Duration) {
    guard wait > .zero else { return }
    if ends.count >= Self.placesMax {
      ends = ends.filter { $0.value > now }
      guard ends.count < Self.placesMax else { return }
    }
    ends[place] = max(ends[place] ?? .zero, now + wait)
  }
}
