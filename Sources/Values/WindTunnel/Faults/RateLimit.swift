internal import Foundation

extension HeaderFields {
  /// Moves the end of a rate limit, as in `X-RateLimit-Reset`.
  ///
  /// Servers send seconds or milliseconds since 1970, a date, or a number of seconds.
  /// Without these fields, a client may wait for the end that an earlier response had.
  ///
  /// - Parameters:
  ///   - seconds: The time until the end. One second is added: `now` has no fractions, and clients
  ///     ignore an end that has passed.
  ///   - now: The time since 1970.
  /// - Returns: The fields that contain the end.
  func rateLimits(endingIn seconds: Int64, now: Duration) -> [HeaderField] {
    let wait = Swift.min(seconds, 1_000_000_000) + 1
    let end = now + .seconds(wait)
    return filter { $0.name.lowercased().contains(/rate-?limit.*reset$/) }.map { field in
      let value =
        switch Double(field.value) {
        case let number? where number > 1e11: "\(end.wholeSeconds * 1000)"
        case let number? where number > 1e8: "\(end.wholeSeconds)"
        case _?: "\(wait)"
        case nil where DateText.sinceEpoch(http: field.value) != nil: DateText.http(end)
        case nil: DateText.text(end)
        }
      return HeaderField(field.name, value)
    }
  }
}
