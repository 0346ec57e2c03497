// How a recording is played as if it were of today.
//
// All dates of an answer are moved by as much as has gone by since it was recorded, so that `Date`
// is now and a token that was good for an hour is good for an hour. When that was, its `Date` says,
// and `Age` beside it; where there is none, `recordedAt`; without either the answer stays as it is.
//
// Moved are, to the second and in their own spelling:
//
// - header fields that are a date and nothing else (`Date`, `Expires`, `Last-Modified`,
//   `Retry-After`, …, RFC 9110 §5.6.7, and RFC 3339), `Expires` of cookies (RFC 6265 §5.2.1), and
//   `X-RateLimit-Reset`;
// - in JSON bodies strings that are a date with a time and a zone (RFC 3339 §5.6) and nothing else,
//   and seconds or milliseconds since 1970 under the names of `numberNames`;
// - the claims `exp`, `iat`, `nbf` and `auth_time` of web tokens (RFC 7519 §4.1) whose signature
//   was taken out or that have none. What is signed stays, since it would be forged.
//
// Not moved are days without a time (birthdays), dates within prose, relative times, what is from
// before 1970-01-02, requests, WebSocket messages, and bodies that are cut or cannot be opened.
// What a client sends back of a moved date is compared with the recorded one: let the matcher
// ignore it.

public import Foundation

extension Interaction {
  /// Returns the interaction as if it had been recorded now.
  public func refreshingDates(at now: Date) -> Interaction {
    guard let shift = DateShift(of: self, to: now), shift.seconds != 0 else { return self }
    let isCut = failure != nil
    var (refreshed, timing) = (self, timing)
    refreshed.editResponse { response in
      response.head.headers = shift.fields(response.headers)
      if !isCut { _ = response.rewriteContent(&timing) { shift.body($0) } }
    }
    refreshed.timing = timing
    return refreshed
  }
}

extension Cassette {
  /// The number of answers that ``Interaction/refreshingDates(at:)`` leaves as they are, for
  /// nothing says when they were recorded.
  package var undatedCount: Int {
    interactions.count {
      $0.response != nil && DateShift(of: $0, to: Date(timeIntervalSince1970: 0)) == nil
    }
  }
}

extension DateShift {
  fileprivate func fields(_ headers: HeaderFields) -> HeaderFields {
    HeaderFields(headers.map { HeaderField($0.name, value(of: $0)) })
  }

  private func value(of field: HeaderField) -> String {
    if let date = http(field.value) ?? timestamp(field.value) { return date }
    if field.isNamed("Set-Cookie") {
      let cookies = field.value.replacing(
        /(?i)(;\s*expires\s*=\s*)([a-z]{3}, \d{2}[- ][a-z]{3}[- ]\d{4} \d{2}:\d{2}:\d{2} GMT)/
      ) { "\($0.output.1)\(http(String($0.output.2)) ?? String($0.output.2))" }
      return tokens(cookies) ?? cookies
    }
    if FieldName.normalised(field.name).hasSuffix("ratelimitreset") {
      return epoch(field.value) ?? field.value
    }
    return tokens(field.value) ?? field.value
  }
}
