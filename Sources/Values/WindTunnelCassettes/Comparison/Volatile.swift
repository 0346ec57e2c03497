// Parts that differ between two recordings of an unchanged origin. Comparisons ignore them, and
// recording again does not change them on the cassette.
//
// In addition to the fields below, these parts are volatile:
//
// - the timing with its chunks, and the offsets, frames and causes of WebSocket messages, which
//   depend on the network;
// - "recordedAt";
// - the content coding of a body, whose bytes depend on the compressor;
// - the random boundary of a multipart;
// - the number of remaining requests on a connection;
// - the expiry of a cookie;
// - the reason phrase.

internal import Foundation

/// The parts of a message that change from one recording to the next.
private enum Volatile {
  /// The names of ignored fields, in lower case.
  private static let names: Set<String> = [
    // Clocks of the origin and of caches (RFC 9110 §6.6.1, RFC 9111 §5.1, §5.3), and durations.
    "date", "age", "expires", "x-timer", "x-runtime", "x-response-time", "server-timing",
    // Framing: the framed content is compared itself.
    "transfer-encoding", "trailer",
    // Values that are unique for each request.
    "idempotency-key", "x-request-id", "request-id", "x-correlation-id", "x-github-request-id",
    "x-amzn-requestid", "x-amz-request-id", "x-amz-id-2", "x-amz-cf-id", "x-ms-request-id",
    "cf-ray", "fly-request-id", "x-vercel-id",
    // Tracing (W3C Trace Context, B3 and cloud providers).
    "traceparent", "tracestate", "x-amzn-trace-id", "x-cloud-trace-context", "x-trace-id",
    "x-span-id", "x-b3-traceid", "x-b3-spanid", "x-b3-parentspanid", "b3",
  ]

  /// The attributes of a cookie that are ignored: its expiry (RFC 6265 §5.2.1, §5.2.2).
  private static let cookieAttributes: Set<String> = ["expires", "max-age"]

  /// Returns a message without its volatile parts, with its body decoded if possible.
  ///
  /// The length of a complete body is redundant. The length of a truncated body shows how much is
  /// missing, so it is kept.
  static func steady(
    _ headers: HeaderFields,
    _ body: Body,
    beside more: Set<String> = [],
    isCut: Bool = false
  ) -> (HeaderFields, Body) {
    var fields = HeaderFields(
      headers.filter { field in
        let name = field.name.lowercased()
        return !names.contains(name) && !more.contains(name)
      }.map { steady($0) }
    )
    guard body.count > 0 else { return (fields, body) }
    if !isCut { fields.remove("Content-Length") }
    var content = body
    if headers["Content-Encoding"] != nil, let opened = headers.opened(body.data) {
      fields.remove("Content-Encoding")
      content = Body(opened.content)
    }
    if let type = fields["Content-Type"],
      let reframed = Multipart.reframed(content.data, type: type, by: boundary)
    {
      (fields["Content-Type"], content) = (reframed.type, Body(reframed.data))
    }
    return (fields, dateless(content))
  }

  /// Returns a body without the dates in redacted tokens, which change with each login.
  static func dateless(_ body: Body) -> Body {
    guard body.count <= Body.openedBytesMax, PseudonymText.mayBeIn(Bytes(body.data)),
      let text = body.text, let dateless = text.withoutTokenDates
    else { return body }
    return Body(dateless)
  }

  /// The boundary that replaces the boundary of any multipart.
  private static let boundary = "any-boundary"

  private static func steady(_ field: HeaderField) -> HeaderField {
    if let dateless = field.value.withoutTokenDates {
      return steady(HeaderField(field.name, dateless))
    }
    if field.isNamed("Set-Cookie") {
      let kept = without(cookieAttributes, field.value, separator: ";")
      return HeaderField(field.name, kept)
    }
    guard field.isNamed("Keep-Alive") else { return field }
    return HeaderField(field.name, without(["max"], field.value, separator: ","))
  }

  /// Returns a list of `name=value` without some names. The first element of a cookie is always
  /// kept, because it is the cookie itself.
  private static func without(
    _ names: Set<String>,
    _ text: String,
    separator: Character
  ) -> String {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    let kept = parts.enumerated().filter { index, part in
      let name = part.prefix { $0 != "=" }.trimmingOptionalWhitespace().lowercased()
      return index == 0 && separator == ";" || !names.contains(name)
    }
    return kept.map(\.element).joined(separator: String(separator))
  }
}

extension Interaction {
  /// The interaction without its volatile parts. Two recordings of an unchanged origin are equal in
  /// it.
  package var steady: Interaction { steady() }

  /// Returns the same without additional header fields, whose names are in lower case.
  package func steady(without fields: Set<String> = []) -> Interaction {
    var steady = self
    if let dateless = request.url.query?.withoutTokenDates { steady.request.url.query = dateless }
    (steady.request.headers, steady.request.body) = Volatile.steady(
      request.headers,
      request.body,
      beside: fields
    )
    let isCut = failure != nil
    steady.editResponse { $0 = $0.steady(without: fields, isCut: isCut) }
    steady.timing = nil
    steady.innerNotes["timing"] = nil
    steady.recordedAt = nil
    for index in steady.messages.indices {
      steady.messages[index].offset = .zero
      steady.messages[index].body = Volatile.dateless(messages[index].body)
      (steady.messages[index].fragments, steady.messages[index].cause) = ([], nil)
    }
    return steady
  }
}

extension Response {
  fileprivate func steady(without fields: Set<String>, isCut: Bool) -> Response {
    let (headers, body) = Volatile.steady(headers, body, beside: fields, isCut: isCut)
    var steady = Response(head, body)
    (steady.head.headers, steady.head.customReasonPhrase) = (headers, nil)
    if !trailers.isEmpty {
      steady.head.trailers = Volatile.steady(trailers, .empty, beside: fields).0
    }
    steady.head.informational = head.informational.map { interim in
      let fields = Volatile.steady(interim.headers, .empty, beside: fields).0
      return ResponseHead(status: interim.status, headers: fields)
    }
    return steady
  }
}
