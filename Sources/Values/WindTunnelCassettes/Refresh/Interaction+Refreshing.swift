// Playing a recording as if it had been recorded today.
//
// All dates of a response are shifted by its age, so that `Date` is now and a token that was valid
// for an hour is valid for an hour. The time of the recording is its `Date` plus `Age`, or
// else `recordedAt`. Without either, the response is unchanged.
//
// These dates are shifted, in whole seconds and in their own format:
//
// - header fields that consist of a date (`Date`, `Expires`, `Last-Modified`, `Retry-After`, …, RFC
//   9110 §5.6.7, and RFC 3339), `Expires` of cookies (RFC 6265 §5.2.1), and `X-RateLimit-Reset`;
// - in JSON bodies, strings that consist of a date with a time and a zone (RFC 3339 §5.6), and
//   seconds or milliseconds since 1970 in members named in `numberNames`;
// - the claims `exp`, `iat`, `nbf` and `auth_time` of web tokens (RFC 7519 §4.1) whose signature is
//   redacted or missing. Signed tokens are unchanged, because the signature would become invalid.
//
// These dates are not shifted: days without a time (birthdays), dates within prose, relative times,
// dates before 1970-01-02, requests, WebSocket messages, and bodies that are truncated or cannot be
// decoded. If a client sends a shifted date back, it differs from the recorded request, so the
// matcher must ignore it.

public import Foundation

extension Interaction {
  /// Returns the interaction with its dates shifted as if it had been recorded now.
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
  /// The number of responses that ``Interaction/refreshingDates(at:)`` does not change, because the
  /// time of their recording is unknown.
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
