/// What a client sees go wrong, by name.
///
/// Cassettes, scenarios and reports store these names and never a platform's integers: on Linux
/// most failures share one `URLError` code, and the global `NSURLError…` constants for TLS are off
/// by one there. The raw value is the name in every file.
public enum Symptom: String, Sendable, Hashable, Codable, CaseIterable {
  /// Nothing came for longer than the client was willing to wait.
  case timedOut
  /// The caller gave up; no fault of the network.
  case cancelled
  /// The connection was reset.
  case connectionLost
  /// The connection ended before the first byte of an answer.
  case emptyAnswer
  /// The connection ended before the announced end of the body.
  case truncated
  /// Nobody listens at the address.
  case connectionRefused
  /// The name has no address.
  case hostNotFound
  /// The device has no network at all.
  case offline
  /// What came is not HTTP.
  case malformedResponse
  /// The body's content encoding does not decode.
  case undecodableBody
  /// The redirects did not end.
  case tooManyRedirects
  /// The address is not a URL.
  case badURL
  /// The scheme is not spoken.
  case unsupportedURL
  /// The TLS handshake failed: an alert, plain text, or a connection that closed in it.
  case secureConnectionFailed
  /// The server's certificate does not fit: self-signed, or another host's.
  case serverCertificateUntrusted
  /// The server's certificate has expired.
  case serverCertificateHasBadDate
  /// The server's certificate is not valid yet.
  case serverCertificateNotYetValid
  /// The server's certificate was issued by nobody the client knows.
  case serverCertificateHasUnknownRoot
  /// The server refused the client's certificate.
  case clientCertificateRejected
  /// The server wants a certificate of the client.
  case clientCertificateRequired
  /// Something else; the platform's own text says what.
  case unknown
}
