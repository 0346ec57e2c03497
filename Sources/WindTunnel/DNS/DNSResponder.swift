/// A name server as a value: bytes in, bytes and a time out. It counts the questions, and does nothing
/// else.
public struct DNSResponder: Sendable {
  /// How a question came.
  public enum Transport: Sendable, Hashable {
    /// RFC 1035 §4.2.1.
    case udp
    /// RFC 7766.
    case tcp
  }

  /// What becomes of a question.
  public struct Reply: Sendable, Hashable {
    /// The message; `nil` where nothing is said, which by TCP is a connection that stays open.
    public var bytes: [UInt8]?
    /// How long it takes.
    public var delay: Duration
    /// Tells whether a TCP connection is closed then.
    public var closes: Bool
    /// What was decided; `nil` for what was no question.
    public var decision: DNSDecision?
  }

  /// As many names are counted; of the rest each question is the first.
  public static let namesMax = 65_536

  private let script: DNSScript
  private let seed: UInt64
  private var counts: [String: Int] = [:]

  /// Makes a server.
  public init(_ script: DNSScript, seed: UInt64 = 1) { (self.script, self.seed) = (script, seed) }

  /// Answers one message.
  public mutating func reply(to bytes: [UInt8], over transport: Transport) -> Reply {
    let query: DNSQuery
    do throws(DNSQuery.Refusal) { query = try DNSQuery(bytes) } catch {
      return Self.refusal(error)
    }
    guard query.opcode == 0, query.recordClass == 1 else {
      return Reply(bytes: DNSMessage(to: query, code: 4).bytes, delay: .zero, closes: false)
    }
    let decision = script.decide(query, seed: seed, ordinal: count(query))
    var reply = Self.reply(query, decision, transport)
    (reply.delay, reply.decision) = (decision.delay, decision)
    return reply
  }

  private mutating func count(_ query: DNSQuery) -> Int {
    let key = "\(query.name) \(query.type)"
    if counts[key] == nil, counts.count >= Self.namesMax { return 1 }
    let ordinal = counts[key, default: 0] + 1
    counts[key] = ordinal
    return ordinal
  }

  private static func refusal(_ refusal: DNSQuery.Refusal) -> Reply {
    switch refusal {
    case .silence: return Reply(bytes: nil, delay: .zero, closes: true)
    case .malformed(let id, let opcode):
      // QR and the opcode; FORMERR; and no question, since none was understood.
      let head = [UInt8(id >> 8), UInt8(truncatingIfNeeded: id), 0x80 | opcode << 3, 1]
      return Reply(
        bytes: head + [UInt8](repeating: 0, count: 8),
        delay: .zero,
        closes: false
      )
    }
  }

  private static func reply(
    _ query: DNSQuery,
    _ decision: DNSDecision,
    _ transport: Transport
  ) -> Reply {
    var message = DNSMessage(to: query, code: 0)
    if let entry = decision.entry {
      for address in entry.addresses where address.type.rawValue == query.type {
        message.add(query.type, entry.seconds, address.bytes)
      }
    }
    var bytes: [UInt8]? = message.bytes
    let fault = decision.entry == nil ? .nxdomain : decision.entry?.fault
    switch fault {
    case nil: break
    case .nxdomain?, .nodata?, .servfail?, .refused?, .formerr?, .notimp?:
      bytes = DNSMessage(to: query, code: fault?.code ?? 0).bytes
    case .drop?: bytes = nil
    case .wrongID?: bytes?[0] ^= 0xFF
    case .truncated? where transport == .udp, .truncatedWithoutTCP? where transport == .udp:
      var empty = DNSMessage(to: query, code: 0)
      empty.isTruncated = true
      bytes = empty.bytes
    case .truncated?: break
    case .truncatedWithoutTCP?: return Reply(bytes: nil, delay: .zero, closes: true)
    // The last record is announced and not all there.
    case .cutPacket?: bytes?.removeLast(2)
    case .malformed?: bytes = message.bytes.prefix(2) + [0xFF, 0xFF, 0xFF]
    case .cnameLoop?:
      var loop = DNSMessage(to: query, code: 0)
      // CNAME, and a pointer to the question's name (RFC 1035 §3.3.1, §4.1.4).
      loop.add(5, decision.entry?.seconds ?? 0, [0xC0, 0x0C])
      bytes = loop.bytes
    }
    // What does not fit is asked for by TCP (RFC 1035 §4.2.1).
    if transport == .udp, let whole = bytes, whole.count > DNSMessage.udpBytesMax {
      var empty = DNSMessage(to: query, code: 0)
      empty.isTruncated = true
      bytes = empty.bytes
    }
    return Reply(bytes: bytes, delay: .zero, closes: false)
  }
}

/// An answer while it is put together (RFC 1035 §4.1).
struct DNSMessage {
  /// More is not sent by UDP to one who has not said that it takes more.
  static let udpBytesMax = 512

  var isTruncated = false
  private let query: DNSQuery
  private let code: UInt8
  private var count: UInt16 = 0
  private var records: [UInt8] = []

  init(to query: DNSQuery, code: UInt8) { (self.query, self.code) = (query, code) }

  /// Adds a record about the question's name.
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
