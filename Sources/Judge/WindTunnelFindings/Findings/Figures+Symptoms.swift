internal import WindTunnelSymptoms

extension Figures {
  /// Writes a symptom's name in plain words; any other text stays as it is.
  static func symptom(_ name: String) -> String { Symptom(rawValue: name)?.words ?? name }
}

extension Symptom {
  /// The failure as a person would name it.
  fileprivate var words: String {
    switch self {
    case .timedOut: "a time-out"
    case .cancelled: "a cancellation"
    case .connectionLost: "a connection that broke"
    case .emptyAnswer: "a connection that ended before an answer"
    case .truncated: "a body that was cut"
    case .connectionRefused: "a connection that was refused"
    case .hostNotFound: "a host that was not found"
    case .offline: "no network"
    case .malformedResponse: "bytes that are not HTTP"
    case .undecodableBody: "a body that does not decode"
    case .tooManyRedirects: "too many redirects"
    case .badURL: "an address that is no URL"
    case .unsupportedURL: "a URL of an unsupported scheme"
    case .secureConnectionFailed: "a TLS handshake that failed"
    case .serverCertificateUntrusted: "a certificate that is not trusted"
    case .serverCertificateHasBadDate: "a certificate that has expired"
    case .serverCertificateNotYetValid: "a certificate that is not valid yet"
    case .serverCertificateHasUnknownRoot: "a certificate of an unknown authority"
    case .clientCertificateRejected: "a client certificate that was refused"
    case .clientCertificateRequired: "a demand for a client certificate"
    case .unknown: "an unknown failure"
    }
  }
}
