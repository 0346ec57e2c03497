/// The treatment of a header field's value, determined by the field's name.
enum FieldKind {
  /// A scheme with credentials (RFC 9110 §11.4).
  case credentials
  case cookies
  case setCookie
  /// A value that is redacted as a whole.
  case secret(SecretNames.Kind)
  /// Names of protocols, among which some clients hide secrets.
  case protocols
  /// A URL or a part of one.
  case link
  /// A value generated from content, time or randomness that is long enough to look like a secret.
  case made
  /// Like ``made``, but it may contain a secret. It is searched like a text, in which words may
  /// look random.
  case drawn
  /// Words and numbers of the protocol.
  case syntax
  case text

  init(_ name: String, _ names: SecretNames) {
    self =
      Self.known[FieldName.normalised(name)]
      ?? names.kind(of: name, in: .header).map { .secret($0) }
      ?? (BodyChange.vouches(name) ? .drawn : .text)
  }

  private static let known: [String: FieldKind] = {
    let lists: KeyValuePairs<FieldKind, String> = [
      .credentials: "authorization proxy-authorization authentication x-authentication",
      .cookies: "cookie cookie2", .setCookie: "set-cookie",
      .protocols: "sec-websocket-protocol", .link: "location content-location referer",
      .made: """
      etag if-none-match if-match date sec-websocket-key sec-websocket-accept x-request-id
      x-amz-request-id x-amz-id-2 x-amz-cf-id x-client-data traceparent
      """,
      // Digests of a body (RFC 1864, RFC 3230, RFC 9530), and the URLs for a browser's reports
      // (Reporting API, Network Error Logging), which contain an identifier of the response.
      .drawn: """
      content-md5 digest content-digest repr-digest x-goog-hash x-ms-content-md5 report-to
      reporting-endpoints nel
      """,
      .syntax: """
      content-type content-length content-encoding content-range content-language connection
      transfer-encoding upgrade host accept accept-encoding accept-language accept-ranges range
      cache-control vary allow expires last-modified if-modified-since age retry-after te trailer
      via
      """,
    ]
    let pairs = lists.flatMap { kind, text in
      Vocabulary.words(text).map { (FieldName.normalised($0), kind) }
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }()
}
