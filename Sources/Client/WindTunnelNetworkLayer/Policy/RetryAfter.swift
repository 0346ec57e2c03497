public import Foundation

/// The time at which a server asks to be called again (RFC 9110 §10.2.3).
public enum RetryAfter: Sendable, Hashable {
  /// A delay from now on.
  case delay(Duration)
  /// A date, and not before it.
  case date(Date)

  /// Parses a field's value: `delay-seconds` or an HTTP-date; `nil` if it is neither.
  ///
  /// - Parameters:
  ///   - value: The value of the field.
  ///   - now: The time of day, which the two-digit years of RFC 850 are read by.
  public init?(_ value: String, now: Date) {
    let text = value.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // Digits that do not fit mean very long; RFC 9111 §1.2.2 reads such a number as 2³¹.
      self = .delay(.seconds(min(Int64(text) ?? .max, 1 << 31)))
    } else if let date = HTTPDate.parse(text, now: now) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// Returns the time from a date until then; zero where it has passed.
  public func delay(from now: Date) -> Duration {
    switch self {
    case .delay(let delay): delay
    case .date(let date):
      .milliseconds(Int64((max(0, date.timeIntervalSince(now)) * 1000).rounded()))
    }
  }
}

extension ServerResponse {
  /// Returns the time for which the server asks not to be called; `nil` where it does not say, or
  /// cannot be understood.
  ///
  /// A date is counted from the answer's own `Date` field where it has one (RFC 9110 §6.6.1): the
  /// server's two dates agree with each other, while this machine's clock may be wrong.
  public func retryAfter(at now: Date) -> Duration? {
    guard let value = headers["Retry-After"] else { return nil }
    let sent = headers["Date"].flatMap { HTTPDate.parse($0, now: now) } ?? now
    return RetryAfter(value, now: sent)?.delay(from: sent)
  }
}
