internal import WindTunnel

/// A way for a name server's answer to go wrong.
public enum DNSFault: String, Sendable, Hashable, CaseIterable {
  /// The name does not exist (RFC 1035 §4.1.1, code 3).
  case nxdomain
  /// The name exists and has no such record: no error, and no answer (RFC 2308 §2.2).
  case nodata
  /// The server fails (code 2).
  case servfail
  /// The server will not say (code 5).
  case refused
  /// The server does not understand the question (code 1).
  case formerr
  /// The server does not know such questions (code 4).
  case notimp
  /// Nothing comes: a packet that was lost, or a server that is gone.
  case drop
  /// The answer is another question's, by its id.
  case wrongID
  /// By UDP nothing but the sign that the answer is too long for it (TC); by TCP the answer.
  case truncated
  /// The same, and by TCP the connection is closed without an answer.
  case truncatedWithoutTCP
  /// The packet ends in the middle of the answer.
  case cutPacket
  /// The packet bears the question's id and makes no sense.
  case malformed
  /// The name is another name for itself (RFC 1034 §3.6.2).
  case cnameLoop

  /// Tells whether the answer has the entry's addresses in it, so that an entry needs some.
  public var bearsAddresses: Bool {
    switch self {
    case .wrongID, .truncated, .cutPacket: true
    case .nxdomain, .nodata, .servfail, .refused, .formerr, .notimp, .drop, .truncatedWithoutTCP,
      .malformed, .cnameLoop:
      false
    }
  }

  /// The code of the answer's header.
  var code: UInt8 {
    switch self {
    case .formerr: 1
    case .servfail: 2
    case .nxdomain: 3
    case .notimp: 4
    case .refused: 5
    default: 0
    }
  }
}
