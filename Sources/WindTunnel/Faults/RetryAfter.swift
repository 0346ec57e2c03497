/// The spellings of `Retry-After` that servers send (RFC 9110 §10.2.3), good ones and bad ones.
public enum RetryAfter: Sendable, Hashable {
  /// A number of seconds.
  case seconds(Int64)
  /// The date that is so many seconds ahead by the caller's clock; the seconds where it tells none.
  case date(inSeconds: Int64)
  /// A date that has passed.
  case pastDate
  /// More seconds than 64 bits hold.
  case huge
  /// A word that is neither a number nor a date.
  case garbage
  /// A negative number.
  case negative
  /// Two fields, of 1 and of 60 seconds.
  case twoFields

  /// At once.
  public static let zero = RetryAfter.seconds(0)
  /// A length of time in seconds, rounded up.
  public static func after(_ length: Duration) -> RetryAfter { .seconds(length.wholeSeconds) }
  /// So many milliseconds in seconds, rounded up.
  public static func milliseconds(_ count: Int64) -> RetryAfter { after(.milliseconds(count)) }

  /// The date that is sent in this second since 1970, as time since then, too: it has whole seconds and
  /// no parts of one (RFC 9110 §5.6.7). `nil` where none is sent.
  package func date(now: Duration?) -> Duration? {
    guard case .date(let count) = self, let now else { return nil }
    return now + .seconds(count)
  }

  /// The fields' values; `now` is the second in which they are sent, since 1970.
  func values(now: Duration?) -> [String] {
    switch self {
    case .seconds(let count): [String(count)]
    case .date(let count): [date(now: now).map { DateText.http($0) } ?? String(count)]
    // The date of RFC 9110's own example.
    case .pastDate: ["Sun, 06 Nov 1994 08:49:37 GMT"]
    case .huge: ["99999999999999999999"]
    case .garbage: ["soon"]
    case .negative: ["-1"]
    case .twoFields: ["1", "60"]
    }
  }
}
