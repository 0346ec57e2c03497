/// An alert of TLS, by the names and numbers of RFC 8446 §6.
public enum TLSAlert: String, Sendable, Hashable, CaseIterable {
  /// The sender sends no more; said before there is anything, it ends the handshake.
  case closeNotify
  /// The sender gives the handshake up for a reason of its own.
  case userCanceled
  /// A message came out of turn.
  case unexpectedMessage
  /// A record cannot be opened.
  case badRecordMAC
  /// A record is too long.
  case recordOverflow
  /// The two ends agree on nothing.
  case handshakeFailure
  /// The peer's certificate is damaged.
  case badCertificate
  /// The peer's certificate is of a kind that is not taken.
  case unsupportedCertificate
  /// The peer's certificate was revoked.
  case certificateRevoked
  /// The peer's certificate has expired.
  case certificateExpired
  /// Something else is wrong with the peer's certificate.
  case certificateUnknown
  /// A field has a value that it must not have.
  case illegalParameter
  /// The peer's certificate leads to nobody who is known.
  case unknownCA
  /// The peer is known, and not let in.
  case accessDenied
  /// A message does not read.
  case decodeError
  /// A signature or a Finished message does not hold.
  case decryptError
  /// The peer's version is not spoken.
  case protocolVersion
  /// What the peer offers is too weak.
  case insufficientSecurity
  /// The sender has a trouble of its own.
  case internalError
  /// The peer fell back to an older version than both speak (RFC 7507).
  case inappropriateFallback
  /// An extension is missing.
  case missingExtension
  /// An extension came that must not come here.
  case unsupportedExtension
  /// No server has the name that was asked for (RFC 6066 §3).
  case unrecognizedName
  /// The peer's certificate status does not hold (RFC 6066 §8).
  case badCertificateStatusResponse
  /// The key that the peer names is not known.
  case unknownPSKIdentity
  /// A certificate of the client is wanted, and none was given.
  case certificateRequired
  /// The two ends speak no application protocol in common (RFC 7301 §3.2).
  case noApplicationProtocol

  /// The number that travels.
  public var number: UInt8 {
    switch self {
    case .closeNotify: 0
    case .unexpectedMessage: 10
    case .badRecordMAC: 20
    case .recordOverflow: 22
    case .handshakeFailure: 40
    case .badCertificate: 42
    case .unsupportedCertificate: 43
    case .certificateRevoked: 44
    case .certificateExpired: 45
    case .certificateUnknown: 46
    case .illegalParameter: 47
    case .unknownCA: 48
    case .accessDenied: 49
    case .decodeError: 50
    case .decryptError: 51
    case .protocolVersion: 70
    case .insufficientSecurity: 71
    case .internalError: 80
    case .inappropriateFallback: 86
    case .userCanceled: 90
    case .missingExtension: 109
    case .unsupportedExtension: 110
    case .unrecognizedName: 112
    case .badCertificateStatusResponse: 113
    case .unknownPSKIdentity: 115
    case .certificateRequired: 116
    case .noApplicationProtocol: 120
    }
  }

  /// Tells whether it says that the connection is over by an error, which all but two do.
  public var isFatal: Bool { self != .closeNotify && self != .userCanceled }

  /// The record that carries it in plain: type 21, the version that middleboxes expect, two bytes
  /// (RFC 8446 §5.1, §6).
  public var record: [UInt8] { [21, 3, 3, 0, 2, isFatal ? 2 : 1, number] }
}
