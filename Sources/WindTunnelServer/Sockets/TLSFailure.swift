internal import WindTunnelSymptoms

/// Why a TLS connection ended otherwise than by agreement, as one of its ends saw it.
struct TLSFailure: Error, Sendable, Hashable {
  /// The kinds that mean different things to a client.
  enum Kind: Sendable, Hashable {
    /// The server's certificate does not hold; OpenSSL's number for the reason (`X509_V_ERR_…`).
    case certificate(Int)
    /// The peer ended it, by the number of an alert (RFC 8446 §6).
    case alert(UInt8)
    /// What came is no TLS, is damaged, or offers nothing that both ends speak.
    case unusable
    /// The peer ended the connection within the handshake.
    case brokenOff
    /// The handshake took too long.
    case tooSlow
    /// The handshake was larger than allowed.
    case tooLarge
  }

  let kind: Kind
  /// The reason as half a sentence.
  let text: String
  /// Which end saw it.
  let role: TLSRole

  /// What the client of the connection meets, whichever end tells of it.
  var symptom: Symptom {
    switch kind {
    case .certificate(let number): Self.symptom(ofCertificate: number)
    case .alert(let number):
      role == .client ? Self.symptom(fromServer: number) : Self.symptom(fromClient: number)
    case .unusable, .brokenOff, .tooLarge: .secureConnectionFailed
    case .tooSlow: .timedOut
    }
  }

  /// The numbers of `x509_vfy.h`.
  private static func symptom(ofCertificate number: Int) -> Symptom {
    switch number {
    case 10: .serverCertificateHasBadDate
    case 9: .serverCertificateNotYetValid
    // Some certificate above it is missing or is nobody's whom this end trusts.
    case 2, 19, 20, 21: .serverCertificateHasUnknownRoot
    // Self-signed (18), another host's (62, 64), and what is rare.
    default: .serverCertificateUntrusted
    }
  }

  /// What a server's alert says to a client that has shown a certificate or none.
  private static func symptom(fromServer number: UInt8) -> Symptom {
    switch number {
    case 116: .clientCertificateRequired
    // bad, unsupported, revoked, expired and unknown certificate; unknown authority.
    case 42...46, 48: .clientCertificateRejected
    default: .secureConnectionFailed
    }
  }

  /// What a client's alert says that the client has seen in the server's certificate.
  private static func symptom(fromClient number: UInt8) -> Symptom {
    switch number {
    case 45: .serverCertificateHasBadDate
    case 48: .serverCertificateHasUnknownRoot
    case 42...44, 46: .serverCertificateUntrusted
    default: .secureConnectionFailed
    }
  }
}

extension TLSFailure: CustomStringConvertible {
  var description: String { text }
}

/// The two ends of a TLS connection.
enum TLSRole: Sendable, Hashable { case client, server }
