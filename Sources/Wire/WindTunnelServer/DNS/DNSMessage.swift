/// A response under construction (RFC 1035 §4.1).
struct DNSMessage {
  /// The maximum size of a response by UDP in bytes, unless the client has announced more.
  static let udpBytesMax = 512

  private let isTruncated: Bool
  private let query: DNSQuery
  private let code: UInt8
  private var count: UInt16 = 0
  private var records: [UInt8] = []

  init(to query: DNSQuery, code: UInt8, isTruncated: Bool = false) {
    (self.query, self.code, self.isTruncated) = (query, code, isTruncated)
  }

  /// Adds a record for the question's name.
  mutating func add(_ type: UInt16, _ seconds: UInt32, _ data: [UInt8]) {
    count += 1
    records += [0xC0, 0x0C] + Self.bytes(type) + Self.bytes(1)
    records += Self.bytes(UInt16(seconds >> 16)) + Self.bytes(UInt16(truncatingIfNeeded: seconds))
    records += Self.bytes(UInt16(truncatingIfNeeded: data.count)) + data
  }

  var bytes: [UInt8] {
    // QR, opcode, AA, TC and RD; RA and the code.
    let first = 0x84 | query.opcode << 3 | (isTruncated ? 2 : 0) | (query.wantsRecursion ? 1 : 0)
    return Self.bytes(query.id) + [first, 0x80 | code] + Self.bytes(1) + Self.bytes(count)
      + [0, 0, 0, 0] + query.question + records
  }

  private static func bytes(_ number: UInt16) -> [UInt8] {
    [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
  }
}

/// A question to a name server (RFC 1035 §4.1), parsed from untrusted bytes.
public struct DNSQuery: Sendable, Hashable {
  /// The id, which the response must repeat.
  public var id: UInt16
  /// The kind of question; 0 is the usual one.
  public var opcode: UInt8
  /// Whether the client requests a recursive look-up.
  public var wantsRecursion: Bool
  /// The name in lower case, without a final dot; the root is empty.
  ///
  /// Bytes other than letters, digits, hyphens and underscores are written as `\DDD` (RFC 1035
  /// §5.1).
  public var name: String
  /// The type of the requested record: 1 is A, 28 is AAAA.
  public var type: UInt16
  /// The class; 1 is the Internet.
  public var recordClass: UInt16
  /// The bytes of the question, which the response repeats. Resolvers even compare the case.
  public var question: [UInt8]

  /// The maximum length of a name in bytes (RFC 1035 §3.1).
  public static let nameBytesMax = 255
  /// The maximum length of a label in bytes (RFC 1035 §2.3.4).
  public static let labelBytesMax = 63
  /// The maximum length of a message in bytes, which is the limit of UDP and TCP.
  public static let messageBytesMax = 65_535

  /// The reasons why bytes are not a question.
  public enum ParseError: Error, Sendable, Hashable {
    /// The header is missing, or the message is a response. Neither gets a response, because two
    /// servers could otherwise respond to each other indefinitely.
    case silence
    /// Only the header can be parsed. The response is FORMERR with the question's id.
    case malformed(id: UInt16, opcode: UInt8)
  }

  /// Parses a message. All data after the question, such as EDNS (RFC 6891), is ignored.
  public init(_ bytes: [UInt8]) throws(ParseError) {
    guard bytes.count >= 12, bytes.count <= Self.messageBytesMax, bytes[2] & 0x80 == 0 else {
      throw .silence
    }
    id = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    opcode = bytes[2] >> 3 & 0xF
    wantsRecursion = bytes[2] & 1 == 1
    let malformed = ParseError.malformed(id: id, opcode: opcode)
    guard bytes[4] == 0, bytes[5] == 1 else { throw malformed }
    var labels: [String] = []
    var place = 12
    while true {
      guard place < bytes.count else { throw malformed }
      let count = Int(bytes[place])
      place += 1
      if count == 0 { break }
      // The first name cannot be a pointer, because no name precedes it (RFC 1035 §4.1.4).
      guard count <= Self.labelBytesMax, place + count <= bytes.count,
        place + count - 12 < Self.nameBytesMax
      else { throw malformed }
      labels.append(Self.text(of: bytes[place..<place + count]))
      place += count
    }
    guard place + 4 <= bytes.count else { throw malformed }
    name = labels.joined(separator: ".")
    type = UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
    recordClass = UInt16(bytes[place + 2]) << 8 | UInt16(bytes[place + 3])
    question = Array(bytes[12..<place + 4])
  }

  private static func text(of label: ArraySlice<UInt8>) -> String {
    label.map { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): String(UnicodeScalar(byte | 0x20))
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        String(UnicodeScalar(byte))
      default: "\\" + String(repeating: "0", count: 3 - "\(byte)".count) + "\(byte)"
      }
    }.joined()
  }

  /// The type's name, such as `AAAA`, or its number as `TYPE65` (RFC 3597 §5).
  public var typeName: String { DNSType(rawValue: type)?.name ?? "TYPE\(type)" }
}

/// The types of address records.
public enum DNSType: UInt16, Sendable, Hashable, CaseIterable {
  /// An IPv4 address (RFC 1035 §3.4.1).
  case a = 1
  /// An IPv6 address (RFC 3596).
  case aaaa = 28

  /// The type's name, `A` or `AAAA`.
  public var name: String { self == .a ? "A" : "AAAA" }
}
