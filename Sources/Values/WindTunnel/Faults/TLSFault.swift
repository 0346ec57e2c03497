public import WindTunnelSymptoms

/// A failure of a TLS handshake.
///
/// The raw value is the name in a scenario's file. For an alert it is `alert` and the alert's name,
/// except ``handshakeFailure``, which has no prefix.
public enum TLSFault: Sendable, Hashable {
  /// The server replies to the ClientHello with an alert, and closes the connection.
  case alert(TLSAlert)
  /// The server replies to the ClientHello with plain HTTP.
  case plaintext
  /// The server replies to the ClientHello with bytes that are not TLS.
  case garbage
  /// The server closes the connection within the first record of its reply to the ClientHello.
  case truncatedRecord
  /// The server does not reply to the ClientHello, and keeps the connection open.
  case stallAfterClientHello
  /// The connection closes after the ClientHello.
  case closeAfterClientHello
  /// The connection is reset after the ClientHello.
  case resetAfterClientHello
  /// The certificate is self-signed and issued for another host.
  case untrusted
  /// The certificate is self-signed.
  case selfSigned
  /// The certificate is issued for another host.
  case wrongHost
  /// The certificate has expired.
  case expired
  /// The certificate is not valid yet.
  case notYetValid
  /// The issuer of the certificate is unknown to the client.
  case unknownRoot
  /// The certificate was issued by an intermediate authority whose own certificate is not sent.
  case incompleteChain
  /// The certificate is signed with SHA-1.
  case weakSignature
  /// The server supports no version newer than TLS 1.1, which current clients refuse (RFC 8996).
  case oldProtocol
  /// The server requires a client certificate, and accepts any.
  case clientCertificateRequired

  /// The server replies to the ClientHello with a fatal `handshake_failure` (RFC 8446 §6.2).
  public static let handshakeFailure = TLSFault.alert(.handshakeFailure)

  /// The handshake that fails by its certificate or parameters; `nil` if bytes alone make it fail,
  /// without a TLS library.
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

  /// Whether the fault needs a handshake that reaches the certificate, and therefore a TLS library.
  public var needsCertificate: Bool { handshake != nil }

  /// Whether a client must trust the issuing authority to detect this fault: any other client
  /// refuses the issuer first.
  ///
  /// This includes an old version: some clients accept it, and refuse the certificate before the
  /// signature (libcurl 7.88).
  public var needsTrust: Bool { handshake?.issuer == .authority }

  /// Whether the certificate itself is invalid: its date, its host or its issuer (RFC 5280 §6.1,
  /// RFC 9525 §6).
  public var isOfBadCertificate: Bool {
    guard let handshake else { return false }
    return handshake.validity != .current || handshake.isForAnotherHost
      || [.itself, .stranger].contains(handshake.issuer)
  }

  /// The symptom of the client's error.
  public var symptom: Symptom {
    switch self {
    case .alert(.certificateRequired), .clientCertificateRequired: .clientCertificateRequired
    // A server's alerts about the client's certificate.
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

  /// The results of the fault in clients.
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
      // TLS 1.3 reports it after the client has finished (RFC 8446 §4.4.2.4).
      FaultExpectation(apple: seen, linux: seen, curl: [56, 55, 35])
    case .untrusted, .selfSigned, .wrongHost, .expired, .notYetValid, .unknownRoot,
      .incompleteChain, .weakSignature:
      FaultExpectation(apple: seen, linux: seen, curl: [60])
    }
  }
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

  /// Creates the fault with this name; `nil` if there is none.
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

/// A TLS alert, with the names and numbers of RFC 8446 §6.
public enum TLSAlert: String, Sendable, Hashable, CaseIterable {
  /// The sender will send no more data; before any data the alert ends the handshake.
  case closeNotify
  /// The sender cancels the handshake for a reason of its own.
  case userCanceled
  /// A message arrived out of order.
  case unexpectedMessage
  /// A record cannot be decrypted.
  case badRecordMAC
  /// A record is too long.
  case recordOverflow
  /// The two ends have no common parameters.
  case handshakeFailure
  /// The peer's certificate is damaged.
  case badCertificate
  /// The peer's certificate has an unsupported type.
  case unsupportedCertificate
  /// The peer's certificate was revoked.
  case certificateRevoked
  /// The peer's certificate has expired.
  case certificateExpired
  /// The peer's certificate has another problem.
  case certificateUnknown
  /// A field has an invalid value.
  case illegalParameter
  /// The peer's certificate chain does not lead to a known authority.
  case unknownCA
  /// The peer is authenticated, but has no access.
  case accessDenied
  /// A message cannot be decoded.
  case decodeError
  /// A signature or a Finished message is invalid.
  case decryptError
  /// The peer's protocol version is not supported.
  case protocolVersion
  /// The peer offers no parameters that are strong enough.
  case insufficientSecurity
  /// The sender has an internal error.
  case internalError
  /// The peer fell back to an older version than both support (RFC 7507).
  case inappropriateFallback
  /// An extension is missing.
  case missingExtension
  /// A message has an extension that is not allowed in it.
  case unsupportedExtension
  /// The server does not recognise the requested name (RFC 6066 §3).
  case unrecognizedName
  /// The status of the peer's certificate is invalid (RFC 6066 §8).
  case badCertificateStatusResponse
  /// The pre-shared key that the peer names is unknown.
  case unknownPSKIdentity
  /// A client certificate is required, and none was sent.
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

  /// Whether the alert ends the connection with an error, as all but two do.
  public var isFatal: Bool { self != .closeNotify && self != .userCanceled }

  /// The unencrypted record of the alert: type 21, the version for middleboxes, a length of two
  /// bytes (RFC 8446 §5.1, §6).
  public var record: [UInt8] { [21, 3, 3, 0, 2, isFatal ? 2 : 1, number] }
}

/// The properties of a server's TLS handshake: its certificate, its version and its requirements.
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
    /// The authority that clients should trust.
    case authority
    /// An intermediate authority that the trusted one has signed, and whose certificate is not
    /// sent.
    case unsentIntermediate
    /// The certificate itself: it is self-signed.
    case itself
    /// An authority that is unknown to all clients.
    case stranger
  }

  /// The period in which the certificate is valid.
  public var validity = Validity.current
  /// The issuer of the certificate.
  public var issuer = Issuer.authority
  /// Whether the certificate is issued for another host.
  public var isForAnotherHost = false
  /// Whether the certificate is signed with SHA-1.
  public var isWeaklySigned = false
  /// Whether the server supports no version newer than TLS 1.1.
  public var isOld = false
  /// Whether the server requires a client certificate.
  public var demandsCertificate = false

  /// Creates a handshake that succeeds.
  public init() {}
}
