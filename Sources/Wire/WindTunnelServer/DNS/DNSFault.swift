/// A failure of a name server's answer.
public enum DNSFault: String, Sendable, Hashable, CaseIterable {
  /// The name does not exist (RFC 1035 §4.1.1, code 3).
  case nxdomain
  /// The name exists without such a record: no error, and no answer (RFC 2308 §2.2).
  case nodata
  /// The server fails (code 2).
  case servfail
  /// The server refuses to answer (code 5).
  case refused
  /// The server does not understand the question (code 1).
  case formerr
  /// The server does not support such questions (code 4).
  case notimp
  /// No answer arrives: the packet was lost, or the server is down.
  case drop
  /// The answer has another question's id.
  case wrongID
  /// The answer by UDP has only the bit for an answer that is too long (TC); by TCP it is whole.
  case truncated
  /// The answer by UDP has only the TC bit, and by TCP the connection is closed without an answer.
  case truncatedWithoutTCP
  /// The packet ends in the middle of the answer.
  case cutPacket
  /// The packet has the question's id and cannot be parsed.
  case malformed
  /// The name is an alias of itself (RFC 1034 §3.6.2).
  case cnameLoop

  /// Tells whether the answer contains the entry's addresses, so that an entry needs some.
  public var bearsAddresses: Bool { [.wrongID, .truncated, .cutPacket].contains(self) }

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
