public import Foundation

/// The time after which a server accepts the next request (RFC 9110 §10.2.3).
public enum RetryAfter: Sendable, Hashable {
  /// A delay from the present time.
  case delay(Duration)
  /// A date before which no request should be sent.
  case date(Date)

  /// Parses a field's value: `delay-seconds` or an HTTP-date; `nil` if it is neither.
  ///
  /// - Parameters:
  ///   - value: The value of the field.
  ///   - now: The current date, which determines the century of two-digit years (RFC 850).
  public init?(_ value: String, now: Date) {
    let text = value.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // A number that is too large counts as 2³¹, as in RFC 9111 §1.2.2.
      self = .delay(.seconds(min(Int64(text) ?? .max, 1 << 31)))
    } else if let date = HTTPDate.parse(text, now: now) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// Returns the remaining time at a date; zero if the time has passed.
  public func delay(from now: Date) -> Duration {
    switch self {
    case .delay(let delay): delay
    case .date(let date):
      .milliseconds(Int64((max(0, date.timeIntervalSince(now)) * 1000).rounded()))
    }
  }
}

extension ServerResponse {
  /// Returns the time during which the server wants no requests; `nil` if it is missing or invalid.
  ///
  /// A date is compared with the response's own `Date` field if there is one (RFC 9110 §6.6.1). The
  /// server's two dates are consistent, while this machine's clock may be wrong.
  public func retryAfter(at now: Date) -> Duration? {
    guard let value = headers["Retry-After"] else { return nil }
    let sent = headers["Date"].flatMap { HTTPDate.parse($0, now: now) } ?? now
    return RetryAfter(value, now: sent)?.delay(from: sent)
  }
}
