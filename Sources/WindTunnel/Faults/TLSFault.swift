public import Symptoms

/// A way for a TLS handshake to go wrong.
public enum TLSFault: String, Sendable, Hashable, CaseIterable {
  /// A fatal `handshake_failure` alert answers the ClientHello (RFC 8446 §6.2).
  case handshakeFailure
  /// Plain HTTP answers the ClientHello.
  case plaintext
  /// The connection closes after the ClientHello.
  case closeAfterClientHello
  /// The certificate is self-signed or another host's.
  case untrusted
  /// The certificate has expired.
  case expired
  /// The certificate is not valid yet.
  case notYetValid
  /// The certificate's issuer is not known.
  case unknownRoot

  /// Whether it takes a handshake that gets as far as a certificate, and so a TLS library.
  public var needsCertificate: Bool {
    switch self {
    case .handshakeFailure, .plaintext, .closeAfterClientHello: false
    case .untrusted, .expired, .notYetValid, .unknownRoot: true
    }
  }

  /// What a client sees.
  public var symptom: Symptom {
    switch self {
    case .handshakeFailure, .plaintext, .closeAfterClientHello: .secureConnectionFailed
    case .untrusted: .serverCertificateUntrusted
    case .expired: .serverCertificateHasBadDate
    case .notYetValid: .serverCertificateNotYetValid
    case .unknownRoot: .serverCertificateHasUnknownRoot
    }
  }
}
