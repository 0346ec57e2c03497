public import WindTunnelSymptoms

/// A failure of a TLS handshake.
///
/// The raw value is the name in a scenario's file; an alert's is `alert` and its name, but for the
/// one that is just called ``handshakeFailure``.
public enum TLSFault: Sendable, Hashable {
  /// An alert answers the ClientHello, and the connection closes.
  case alert(TLSAlert)
  /// Plain HTTP answers the ClientHello.
  case plaintext
  /// Bytes that are not TLS answer the ClientHello.
  case garbage
  /// The connection closes within the first record that answers the ClientHello.
  case truncatedRecord
  /// Nothing answers the ClientHello, and the connection stays open.
  case stallAfterClientHello
  /// The connection closes after the ClientHello.
  case closeAfterClientHello
  /// The connection is reset after the ClientHello.
  case resetAfterClientHello
  /// The certificate is self-signed and made out to another host.
  case untrusted
  /// The certificate is self-signed.
  case selfSigned
  /// The certificate is made out to another host.
  case wrongHost
  /// The certificate has expired.
  case expired
  /// The certificate is not valid yet.
  case notYetValid
  /// The certificate's issuer is unknown to the client.
  case unknownRoot
  /// The certificate was issued by an intermediate authority whose own certificate is not sent.
  case incompleteChain
  /// The certificate is signed with SHA-1.
  case weakSignature
  /// The server speaks nothing newer than TLS 1.1, which clients refuse by now (RFC 8996).
  case oldProtocol
  /// The server demands a certificate of the client, and accepts any.
  case clientCertificateRequired

  /// A fatal `handshake_failure` answers the ClientHello (RFC 8446 §6.2).
  public static let handshakeFailure = TLSFault.alert(.handshakeFailure)
}

extension TLSFault: CaseIterable, RawRepresentable {
  /// Every kind of fault, with every alert.
  public static let allCases: [TLSFault] =
    [
      .handshakeFailure, .plaintext, .garbage, .truncatedRecord, .stallAfterClientHello,
      .closeAfterClientHello, .resetAfterClientHello, .untrusted, .selfSigned, .wrongHost, .expired,
      .notYetValid, .unknownRoot, .incompleteChain, .weakSignature, .oldProtocol,
      .clientCertificateRequired,
    ] + TLSAlert.allCases.filter { $0 != .handshakeFailure }.map { .alert($0) }

  private static let named = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  /// Makes the fault with this name.
  public init?(rawValue: String) {
    guard let fault = Self.named[rawValue] else { return nil }
    self = fault
  }

  /// The fault's name in a scenario's file.
  public var rawValue: String {
    switch self {
    case .alert(.handshakeFailure): "handshakeFailure"
    case .alert(let alert):
      "alert\(alert.rawValue.prefix(1).uppercased())\(alert.rawValue.dropFirst())"
    default: "\(self)"
    }
  }
}

extension TLSFault {
  /// The handshake that fails by its certificate or parameters; `nil` where bytes alone make it
  /// fail, and no TLS library is needed.
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

  /// Tells whether the fault needs a handshake that gets as far as a certificate, and so a TLS
  /// library.
  public var needsCertificate: Bool { handshake != nil }

  /// Tells whether a client meets this very fault only if it trusts the authority that issued the
  /// certificate: any other client refuses the issuer first.
  ///
  /// This includes an old version: some clients accept it, and refuse the certificate before the
  /// signature (libcurl 7.88).
  public var needsTrust: Bool { handshake?.issuer == .authority }

  /// Tells whether the certificate itself is invalid: it is out of date, not this host's, or not
  /// issued by a known authority (RFC 5280 §6.1, RFC 9525 §6).
  public var isOfBadCertificate: Bool {
    guard let handshake else { return false }
    return handshake.validity != .current || handshake.isForAnotherHost
      || [.itself, .stranger].contains(handshake.issuer)
  }

  /// The symptom of the client's error.
  public var symptom: Symptom {
    switch self {
    case .alert(.certificateRequired), .clientCertificateRequired: .clientCertificateRequired
    // What a server says of the certificate that a client has shown.
    case .alert(.badCertificate), .alert(.unsupportedCertificate), .alert(.certificateRevoked),
      .alert(.certificateExpired), .alert(.certificateUnknown), .alert(.unknownCA):
      .clientCertificateRejected
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

  // MARK: In the catalogue

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

/// A TLS alert, with the names and numbers of RFC 8446 §6.
public enum TLSAlert: String, Sendable, Hashable, CaseIterable {
  /// The sender will send no more; before any data it ends the handshake.
  case closeNotify
  /// The sender cancels the handshake for a reason of its own.
  case userCanceled
  /// A message came out of order.
  case unexpectedMessage
  /// A record cannot be decrypted.
  case badRecordMAC
  /// A record is too long.
  case recordOverflow
  /// The two ends agree on nothing.
  case handshakeFailure
  /// The peer's certificate is damaged.
  case badCertificate
  /// The peer's certificate is of a kind that is not supported.
  case unsupportedCertificate
  /// The peer's certificate was revoked.
  case certificateRevoked
  /// The peer's certificate has expired.
  case certificateExpired
  /// Something else is wrong with the peer's certificate.
  case certificateUnknown
  /// A field has a value that it must not have.
  case illegalParameter
  /// The peer's certificate chain leads to no known authority.
  case unknownCA
  /// The peer is known, but not admitted.
  case accessDenied
  /// A message cannot be decoded.
  case decodeError
  /// A signature or a Finished message is invalid.
  case decryptError
  /// The peer's protocol version is not supported.
  case protocolVersion
  /// The peer offers nothing that is strong enough.
  case insufficientSecurity
  /// The sender has an internal problem.
  case internalError
  /// The peer fell back to an older version than both support (RFC 7507).
  case inappropriateFallback
  /// An extension is missing.
  case missingExtension
  /// An extension came that is not allowed in this message.
  case unsupportedExtension
  /// The server has no name like the requested one (RFC 6066 §3).
  case unrecognizedName
  /// The status of the peer's certificate is invalid (RFC 6066 §8).
  case badCertificateStatusResponse
  /// The key that the peer names is not known.
  case unknownPSKIdentity
  /// A certificate of the client is required, and none was sent.
  case certificateRequired
  /// The two ends have no application protocol in common (RFC 7301 §3.2).
  case noApplicationProtocol

  /// The alert's number in a record.
  public var number: UInt8 { Self.numbers[self, default: 0] }

  private static let numbers: [TLSAlert: UInt8] = [
    .closeNotify: 0, .unexpectedMessage: 10, .badRecordMAC: 20, .recordOverflow: 22,
    .handshakeFailure: 40, .badCertificate: 42, .unsupportedCertificate: 43,
    .certificateRevoked: 44, .certificateExpired: 45, .certificateUnknown: 46,
    .illegalParameter: 47, .unknownCA: 48, .accessDenied: 49, .decodeError: 50, .decryptError: 51,
    .protocolVersion: 70, .insufficientSecurity: 71, .internalError: 80, .inappropriateFallback: 86,
    .userCanceled: 90, .missingExtension: 109, .unsupportedExtension: 110, .unrecognizedName: 112,
    .badCertificateStatusResponse: 113, .unknownPSKIdentity: 115, .certificateRequired: 116,
    .noApplicationProtocol: 120,
  ]

  /// Tells whether the alert ends the connection by an error, which all but two do.
  public var isFatal: Bool { self != .closeNotify && self != .userCanceled }

  /// The unencrypted record of the alert: type 21, the version that middleboxes expect, two bytes
  /// (RFC 8446 §5.1, §6).
  public var record: [UInt8] { [21, 3, 3, 0, 2, isFatal ? 2 : 1, number] }
}

/// The properties of a server's TLS handshake: its certificate, its version and its demands.
public struct Handshake: Sendable, Hashable {
  /// The period in which the certificate is valid.
  public enum Validity: Sendable, Hashable {
    /// The certificate is valid now.
    case current
    /// The certificate was valid before.
    case expired
    /// The certificate will be valid later.
    case notYet
  }

  /// The issuer of the certificate.
  public enum Issuer: Sendable, Hashable {
    /// The authority that clients are told to trust.
    case authority
    /// An intermediate authority that the trusted one has signed, and whose certificate is not
    /// sent.
    case unsentIntermediate
    /// The certificate itself: it is self-signed.
    case itself
    /// An authority that no client knows.
    case stranger
  }

  /// The period in which the certificate is valid.
  public var validity = Validity.current
  /// The issuer of the certificate.
  public var issuer = Issuer.authority
  /// Tells whether the certificate is made out to another host.
  public var isForAnotherHost = false
  /// Tells whether the certificate is signed with SHA-1.
  public var isWeaklySigned = false
  /// Tells whether the server speaks nothing newer than TLS 1.1.
  public var isOld = false
  /// Tells whether the server demands a certificate of the client.
  public var demandsCertificate = false

  /// Makes a handshake that succeeds.
  public init() {}
}
