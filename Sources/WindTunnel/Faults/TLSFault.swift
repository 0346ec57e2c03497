public import WindTunnelSymptoms

/// A way for a TLS handshake to go wrong.
///
/// The raw value is the name in a scenario's file; an alert's is `alert` and its name, but for the
/// one that is just called ``handshakeFailure``.
public enum TLSFault: Sendable, Hashable {
  /// An alert answers the ClientHello, and the connection closes.
  case alert(TLSAlert)
  /// Plain HTTP answers the ClientHello.
  case plaintext
  /// Bytes that are no TLS answer the ClientHello.
  case garbage
  /// The connection closes within the first record that answers the ClientHello.
  case truncatedRecord
  /// Nothing answers the ClientHello, and the connection stays open.
  case stallAfterClientHello
  /// The connection closes after the ClientHello.
  case closeAfterClientHello
  /// The connection is reset after the ClientHello.
  case resetAfterClientHello
  /// The certificate is self-signed and another host's.
  case untrusted
  /// The certificate is signed by nobody but itself.
  case selfSigned
  /// The certificate is another host's.
  case wrongHost
  /// The certificate has expired.
  case expired
  /// The certificate is not valid yet.
  case notYetValid
  /// The certificate's issuer is not known.
  case unknownRoot
  /// The certificate's issuer is not sent along, and stands between it and one who is known.
  case incompleteChain
  /// The certificate is signed with SHA-1.
  case weakSignature
  /// Nothing newer than TLS 1.1 is spoken, which is refused everywhere by now (RFC 8996).
  case oldProtocol
  /// A certificate of the client's is demanded; whichever is shown is taken.
  case clientCertificateRequired

  /// A fatal `handshake_failure` answers the ClientHello (RFC 8446 §6.2).
  public static let handshakeFailure = TLSFault.alert(.handshakeFailure)
}

extension TLSFault: CaseIterable, RawRepresentable {
  /// Every kind, with every alert.
  public static let allCases: [TLSFault] =
    [
      .handshakeFailure, .plaintext, .garbage, .truncatedRecord, .stallAfterClientHello,
      .closeAfterClientHello, .resetAfterClientHello, .untrusted, .selfSigned, .wrongHost, .expired,
      .notYetValid, .unknownRoot, .incompleteChain, .weakSignature, .oldProtocol,
      .clientCertificateRequired,
    ] + TLSAlert.allCases.filter { $0 != .handshakeFailure }.map { .alert($0) }

  private static let named = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  /// The kind of a name.
  public init?(rawValue: String) {
    guard let fault = Self.named[rawValue] else { return nil }
    self = fault
  }

  /// The name in a scenario's file.
  public var rawValue: String {
    switch self {
    case .alert(.handshakeFailure): "handshakeFailure"
    case .alert(let alert):
      "alert\(alert.rawValue.prefix(1).uppercased())\(alert.rawValue.dropFirst())"
    case .plaintext: "plaintext"
    case .garbage: "garbage"
    case .truncatedRecord: "truncatedRecord"
    case .stallAfterClientHello: "stallAfterClientHello"
    case .closeAfterClientHello: "closeAfterClientHello"
    case .resetAfterClientHello: "resetAfterClientHello"
    case .untrusted: "untrusted"
    case .selfSigned: "selfSigned"
    case .wrongHost: "wrongHost"
    case .expired: "expired"
    case .notYetValid: "notYetValid"
    case .unknownRoot: "unknownRoot"
    case .incompleteChain: "incompleteChain"
    case .weakSignature: "weakSignature"
    case .oldProtocol: "oldProtocol"
    case .clientCertificateRequired: "clientCertificateRequired"
    }
  }
}

extension TLSFault {
  /// The handshake that fails by what is shown or spoken in it; `nil` where bytes alone
  /// make it fail, and no TLS library is needed.
  public var handshake: Handshake? {
    var handshake = Handshake()
    switch self {
    case .alert, .plaintext, .garbage, .truncatedRecord, .stallAfterClientHello,
      .closeAfterClientHello, .resetAfterClientHello:
      return nil
    case .untrusted: (handshake.issuer, handshake.isForAnotherHost) = (.itself, true)
    case .selfSigned: handshake.issuer = .itself
    case .wrongHost: handshake.isForAnotherHost = true
    case .expired: handshake.validity = .expired
    case .notYetValid: handshake.validity = .notYet
    case .unknownRoot: handshake.issuer = .stranger
    case .incompleteChain: handshake.issuer = .unsentIntermediate
    case .weakSignature: handshake.isWeaklySigned = true
    case .oldProtocol: handshake.isOld = true
    case .clientCertificateRequired: handshake.demandsCertificate = true
    }
    return handshake
  }

  /// Tells whether it takes a handshake that gets as far as a certificate, and so a TLS library.
  public var needsCertificate: Bool { handshake != nil }

  /// Tells whether a client meets it for what it is only if it trusts the authority that issued the
  /// certificate: any other finds that fault first.
  public var needsTrust: Bool {
    switch self {
    case .wrongHost, .expired, .notYetValid, .weakSignature, .clientCertificateRequired: true
    // Some take the version and stumble over the certificate before the signature (libcurl 7.88).
    case .oldProtocol: true
    default: false
    }
  }

  /// The name of a client's error.
  public var symptom: Symptom {
    switch self {
    case .alert(.certificateRequired), .clientCertificateRequired: .clientCertificateRequired
    case .alert(let alert) where alert.isAboutCertificate: .clientCertificateRejected
    case .alert, .plaintext, .garbage, .truncatedRecord, .closeAfterClientHello, .oldProtocol:
      .secureConnectionFailed
    case .stallAfterClientHello: .timedOut
    case .resetAfterClientHello: .connectionLost
    case .untrusted, .selfSigned, .wrongHost, .weakSignature: .serverCertificateUntrusted
    case .expired: .serverCertificateHasBadDate
    case .notYetValid: .serverCertificateNotYetValid
    case .unknownRoot, .incompleteChain: .serverCertificateHasUnknownRoot
    }
  }
}

extension TLSAlert {
  /// Tells whether a server says it of the certificate that a client has shown.
  fileprivate var isAboutCertificate: Bool {
    switch self {
    case .badCertificate, .unsupportedCertificate, .certificateRevoked, .certificateExpired,
      .certificateUnknown, .unknownCA:
      true
    default: false
    }
  }
}

// MARK: In the catalogue

extension TLSFault {
  /// The clients' views of it.
  var expected: FaultExpectation {
    let seen = FaultExpectation.Sight.failure(symptom)
    let failed = FaultExpectation.Sight.failure(.secureConnectionFailed)
    return switch self {
    case .alert(.certificateExpired): FaultExpectation(apple: failed, linux: seen, curl: [60])
    case .alert(.certificateRequired): FaultExpectation(apple: failed, linux: seen, curl: [98])
    case .stallAfterClientHello: FaultExpectation(.timedOut, apple: .timedOut, 28)
    case .alert, .plaintext, .garbage, .truncatedRecord, .closeAfterClientHello,
      .resetAfterClientHello, .oldProtocol:
      FaultExpectation(apple: failed, linux: seen, curl: [35])
    case .clientCertificateRequired:
      // TLS 1.3 tells it after the client has finished (RFC 8446 §4.4.2.4).
      FaultExpectation(apple: seen, linux: seen, curl: [56, 55, 35])
    case .untrusted, .selfSigned, .wrongHost, .expired, .notYetValid, .unknownRoot,
      .incompleteChain, .weakSignature:
      FaultExpectation(apple: seen, linux: seen, curl: [60])
    }
  }
}
