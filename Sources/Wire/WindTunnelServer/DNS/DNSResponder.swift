/// A name server as a value: it returns a response and a delay for each message. Its only state is
/// the number of questions for each name.
public struct DNSResponder: Sendable {
  /// The transport of a question.
  public enum Transport: Sendable, Hashable {
    /// UDP (RFC 1035 §4.2.1).
    case udp
    /// A query over TCP (RFC 7766).
    case tcp
  }

  /// The reply to a message.
  public struct Reply: Sendable, Hashable {
    /// The bytes of the response; `nil` if none is sent. A TCP connection then stays open.
    public var bytes: [UInt8]?
    /// The delay of the response.
    public var delay: Duration
    /// Whether a TCP connection is closed after the response.
    public var closes: Bool
    /// The decision about the question; `nil` if the bytes are not a question.
    public var decision: DNSDecision?
  }

  /// The maximum number of counted names. Every question for a further name counts as its first.
  public static let namesMax = 65_536

  private let script: DNSScript
  private let seed: UInt64
  private var counts: [String: Int] = [:]

  /// Creates a responder that has not received questions yet.
  public init(_ script: DNSScript, seed: UInt64 = 1) { (self.script, self.seed) = (script, seed) }

  /// Returns the reply to one message of a client.
  public mutating func reply(to bytes: [UInt8], over transport: Transport) -> Reply {
    let query: DNSQuery
    do throws(DNSQuery.ParseError) { query = try DNSQuery(bytes) } catch {
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

  private static func refusal(_ refusal: DNSQuery.ParseError) -> Reply {
    switch refusal {
    case .silence: return Reply(bytes: nil, delay: .zero, closes: true)
    case .malformed(let id, let opcode):
      // QR and the opcode; FORMERR; and no question, because none was parsed.
      let head = [UInt8(id >> 8), UInt8(truncatingIfNeeded: id), 0x80 | opcode << 3, 1]
      return Reply(bytes: head + [UInt8](repeating: 0, count: 8), delay: .zero, closes: false)
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
      bytes = DNSMessage(to: query, code: 0, isTruncated: true).bytes
    case .truncated?: break
    case .truncatedWithoutTCP?: return Reply(bytes: nil, delay: .zero, closes: true)
    // The last record is announced but incomplete.
    case .cutPacket?: bytes?.removeLast(2)
    case .malformed?: bytes = message.bytes.prefix(2) + [0xFF, 0xFF, 0xFF]
    case .cnameLoop?:
      var loop = DNSMessage(to: query, code: 0)
      // CNAME, and a pointer to the question's name (RFC 1035 §3.3.1, §4.1.4).
      loop.add(5, decision.entry?.seconds ?? 0, [0xC0, 0x0C])
      bytes = loop.bytes
    }
    // A client repeats the question by TCP if the response is too large (RFC 1035 §4.2.1).
    if transport == .udp, let whole = bytes, whole.count > DNSMessage.udpBytesMax {
      bytes = DNSMessage(to: query, code: 0, isTruncated: true).bytes
    }
    return Reply(bytes: bytes, delay: .zero, closes: false)
  }
}
