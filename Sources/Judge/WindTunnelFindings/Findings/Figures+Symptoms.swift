internal import WindTunnelSymptoms

extension Figures {
  /// Returns a symptom's name in plain words. Any other text is returned unchanged.
  static func symptom(_ name: String) -> String { Symptom(rawValue: name)?.words ?? name }
}

extension Symptom {
  /// The failure in plain words.
  fileprivate var words: String {
    switch self {
    case .timedOut: "a timeout"
    case .cancelled: "a cancellation"
    case .connectionLost: "a broken connection"
    case .emptyAnswer: "a connection that ended before a response"
    case .truncated: "a truncated body"
    case .connectionRefused: "a refused connection"
    case .hostNotFound: "an unknown host"
    case .offline: "no network"
    case .malformedResponse: "bytes that are not HTTP"
    case .undecodableBody: "a body that cannot be decoded"
    case .tooManyRedirects: "too many redirects"
    case .badURL: "an invalid URL"
    case .unsupportedURL: "a URL with an unsupported scheme"
    case .secureConnectionFailed: "a failed TLS handshake"
    case .serverCertificateUntrusted: "an untrusted certificate"
    case .serverCertificateHasBadDate: "an expired certificate"
    case .serverCertificateNotYetValid: "a certificate that is not valid yet"
    case .serverCertificateHasUnknownRoot: "a certificate from an unknown authority"
    case .clientCertificateRejected: "a rejected client certificate"
    case .clientCertificateRequired: "a missing client certificate"
    case .unknown: "an unknown failure"
    }
  }
}
