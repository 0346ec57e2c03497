/// The value of a `Retry-After` field (RFC 9110 §10.2.3).
package enum RetryAfterValue: Sendable, Hashable {
  /// A delay in whole seconds.
  case delay(Duration)
  /// A date, as time since 1970.
  case date(Duration)

  /// Parses digits or one of the three date formats; `nil` if the text is neither, or if the number
  /// does not fit into 64 bits.
  package init?(_ text: String) {
    // `Int64` would also accept a sign.
    if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
      guard let count = Int64(text) else { return nil }
      self = .delay(.seconds(count))
    } else {
      guard let date = DateText.sinceEpoch(http: text) else { return nil }
      self = .date(date)
    }
  }
}
