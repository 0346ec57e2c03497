/// A failure of a name server's response.
public enum DNSFault: String, Sendable, Hashable, CaseIterable {
  /// The name does not exist (RFC 1035 §4.1.1, code 3).
  case nxdomain
  /// The name exists without such a record: no error, and no records (RFC 2308 §2.2).
  case nodata
  /// The server fails (code 2).
  case servfail
  /// The server refuses to respond (code 5).
  case refused
  /// The server does not understand the question (code 1).
  case formerr
  /// The server does not support such questions (code 4).
  case notimp
  /// No response arrives: the packet was lost, or the server is down.
  case drop
  /// The response has another question's id.
  case wrongID
  /// The response by UDP only has the bit for truncation (TC); the response by TCP is complete.
  case truncated
  /// The response by UDP only has the TC bit, and the TCP connection is closed without a response.
  case truncatedWithoutTCP
  /// The packet ends in the middle of the response.
  case cutPacket
  /// The packet has the question's id but cannot be parsed.
  case malformed
  /// The name is an alias of itself (RFC 1034 §3.6.2).
  case cnameLoop

  /// Whether the response contains the entry's addresses, so that an entry needs some.
  public var bearsAddresses: Bool { [.wrongID, .truncated, .cutPacket].contains(self) }

  /// The code in the response's header.
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
