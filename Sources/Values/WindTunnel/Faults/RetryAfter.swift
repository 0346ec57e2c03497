/// The values of `Retry-After` that servers send (RFC 9110 §10.2.3), both valid and invalid.
public enum RetryAfter: Sendable, Hashable {
  /// A number of seconds.
  case seconds(Int64)
  /// A date this number of seconds in the future, by the caller's clock.
  ///
  /// Without a clock, the number of seconds is sent instead.
  case date(inSeconds: Int64)
  /// A date in the past.
  case pastDate
  /// A number of seconds that does not fit into 64 bits.
  case huge
  /// A word that is neither a number nor a date.
  case garbage
  /// A negative number of seconds.
  case negative
  /// Two fields, of 1 and of 60 seconds.
  case twoFields

  /// A delay of zero seconds.
  public static let zero = RetryAfter.seconds(0)
  /// Creates a number of seconds from a duration, rounded up.
  public static func after(_ length: Duration) -> RetryAfter { .seconds(length.wholeSeconds) }
  /// Creates a number of seconds from milliseconds, rounded up.
  public static func milliseconds(_ count: Int64) -> RetryAfter { after(.milliseconds(count)) }

  /// Returns the time since 1970 of the date that is sent at this time; `nil` if no date is sent.
  ///
  /// Both have whole seconds, because a date has no fractions (RFC 9110 §5.6.7).
  package func date(now: Duration?) -> Duration? {
    guard case .date(let count) = self, let now else { return nil }
    return now + .seconds(count)
  }

  /// Returns the values of the fields; `now` is the second in which they are sent, since 1970.
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

  // MARK: In the catalogue

  /// Statuses, and each form of `Retry-After` with a status.
  static let kinds: [FaultKind] = [
    FaultKind("status-503", .http, .status(503)), FaultKind("status-429", .http, .status(429)),
    FaultKind("retry-after-seconds", .http, .status(503, retryAfter: .seconds(1))),
    FaultKind("retry-after-date", .http, .status(503, retryAfter: .date(inSeconds: 1))),
    FaultKind("retry-after-past-date", .http, .status(503, retryAfter: .pastDate)),
    FaultKind("retry-after-zero", .http, .status(503, retryAfter: .zero)),
    FaultKind("retry-after-huge", .http, .status(503, retryAfter: .huge)),
    FaultKind("retry-after-garbage", .http, .status(503, retryAfter: .garbage)),
    FaultKind("retry-after-negative", .http, .status(503, retryAfter: .negative)),
    FaultKind("retry-after-two-fields", .http, .status(503, retryAfter: .twoFields)),
  ]

  /// The values that are written as a word; a date may also have a number of seconds.
  fileprivate static let words: [(word: String, value: RetryAfter)] = [
    ("date", .date(inSeconds: 1)), ("pastDate", .pastDate), ("huge", .huge), ("garbage", .garbage),
    ("negative", .negative), ("twoFields", .twoFields),
  ]

  var members: [JSON.Member] {
    switch self {
    case .seconds(let count): [JSON.Member("retryAfterSeconds", .number(count))]
    case .date(let count):
      [JSON.Member("retryAfter", "date"), JSON.Member("retryAfterSeconds", .number(count))]
    case .pastDate, .huge, .garbage, .negative, .twoFields:
      [JSON.Member("retryAfter", .text("\(self)"))]
    }
  }
}

// MARK: In a scenario's file

extension Fault {
  static func statuses(_ object: inout ObjectReader) throws(FormatError) -> [Fault] {
    let seconds = try object.int("retryAfterSeconds", in: 0...1_000_000_000).map { Int64($0) }
    let spelling = try object.row("retryAfter", of: RetryAfter.words)?.value
    guard let status = try object.int("status", in: statusRange) else {
      if seconds == nil, spelling == nil { return [] }
      throw object.error(
        seconds == nil ? "retryAfter" : "retryAfterSeconds",
        "a Retry-After requires a status"
      )
    }
    let isDate = if case .date? = spelling { true } else { false }
    guard seconds == nil || spelling == nil || isDate else {
      throw object.error("retryAfterSeconds", "only \"date\" can be combined with seconds")
    }
    let retryAfter =
      isDate ? .date(inSeconds: seconds ?? 1) : spelling ?? seconds.map { .seconds($0) }
    return [.status(status, retryAfter: retryAfter)]
  }
}
