internal import WindTunnelSymptoms

extension Symptom {
  /// Creates the symptom of an exporter's error text: `net::ERR_…` of Chrome and Playwright, or the
  /// free text of a proxy.
  init(harError text: String) {
    let text = text.uppercased()
    self = Self.harWords.first { $0.words.contains { text.contains($0) } }?.symptom ?? .unknown
  }

  /// Whether this failure truncates a response. Rejections by a browser after the complete response
  /// (a policy, an abort by the page) do not.
  var cutsAnswers: Bool { [.truncated, .connectionLost, .timedOut].contains(self) }

  /// The first matching entry decides, so the more specific ones come first.
  private static let harWords: [(words: [String], symptom: Symptom)] = [
    (["ERR_INTERNET_DISCONNECTED"], .offline),
    (["ERR_NAME_NOT_RESOLVED", "ERR_NAME_RESOLUTION_FAILED"], .hostNotFound),
    (["ERR_CONNECTION_REFUSED"], .connectionRefused), (["ERR_EMPTY_RESPONSE"], .emptyAnswer),
    (["ERR_CONTENT_LENGTH_MISMATCH", "ERR_INCOMPLETE_CHUNKED_ENCODING"], .truncated),
    (["ERR_CONTENT_DECODING"], .undecodableBody),
    (["ERR_INVALID_HTTP_RESPONSE", "ERR_INVALID_CHUNKED_ENCODING"], .malformedResponse),
    (["ERR_RESPONSE_HEADERS"], .malformedResponse),
    (["ERR_TOO_MANY_REDIRECTS"], .tooManyRedirects), (["ERR_INVALID_URL"], .badURL),
    (["ERR_UNKNOWN_URL_SCHEME", "ERR_DISALLOWED_URL_SCHEME"], .unsupportedURL),
    (["ERR_CERT_DATE_INVALID"], .serverCertificateHasBadDate),
    (["ERR_CERT_AUTHORITY_INVALID"], .serverCertificateHasUnknownRoot),
    (["ERR_CERT_"], .serverCertificateUntrusted),
    (["ERR_SSL_CLIENT_AUTH_CERT_NEEDED"], .clientCertificateRequired),
    (["CLIENT_AUTH_CERT"], .clientCertificateRejected), (["ERR_SSL_"], .secureConnectionFailed),
    (["ERR_ABORTED"], .cancelled), (["ERR_CONNECTION_TIMED_OUT"], .timedOut),
    (["ERR_CONNECTION_", "ERR_NETWORK_CHANGED", "ERR_HTTP2_", "ERR_QUIC_"], .connectionLost),
    // Python's proxies show the system's error number: ETIMEDOUT, ECONNREFUSED, ECONNRESET.
    (["TIMED_OUT", "TIMED OUT", "TIMEOUT", "[ERRNO 60]", "[ERRNO 110]"], .timedOut),
    (["[ERRNO 61]", "[ERRNO 111]"], .connectionRefused),
    (["[ERRNO 54]", "[ERRNO 104]"], .connectionLost), (["REFUSED"], .connectionRefused),
    (["NOT KNOWN", "GETADDRINFO"], .hostNotFound), (["RESET"], .connectionLost),
    (["CERTIFICATE"], .serverCertificateUntrusted),
  ]
}
