/// Fields of an answer that differ from one time to the next though nothing has changed.
enum VolatileFields {
  private static let names: Set<String> = [
    // Of the moment.
    "date", "age", "expires", "server-timing", "x-runtime", "x-response-time",
    // Of this very request.
    "x-request-id", "request-id", "x-correlation-id", "x-trace-id", "traceparent", "tracestate",
    "x-amzn-requestid", "x-amzn-trace-id", "x-amz-request-id", "x-amz-id-2", "x-amz-cf-id",
    "cf-ray", "x-cloud-trace-context", "x-github-request-id", "x-served-by", "x-timer",
    // Of the connection and of how the body was wrapped; the body itself is compared.
    "connection", "keep-alive", "transfer-encoding", "content-encoding", "content-length",
    "trailer",
  ]

  /// Whether a field, named in lower case, is volatile as a whole.
  static func contains(_ name: String) -> Bool { names.contains(name) || name.hasPrefix("x-b3-") }

  /// A value without its volatile parts.
  static func settled(_ value: String, of name: String) -> String {
    guard name == "set-cookie" else { return value }
    // A date holds a comma, but never a semicolon.
    return value.replacing(/;\s*(?:[Ee]xpires|[Mm]ax-[Aa]ge)=(?:[^;,]|,\s(?=\d))*/, with: "")
  }
}
