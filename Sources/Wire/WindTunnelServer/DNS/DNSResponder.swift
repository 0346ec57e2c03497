/// A name server as a value: it turns a message into an answer and a delay, and keeps no state but
/// the number of questions for each name.
public struct DNSResponder: Sendable {
  /// The transport that a question came by.
  public enum Transport: Sendable, Hashable {
    /// By UDP (RFC 1035 §4.2.1).
    case udp
    /// By TCP (RFC 7766).
    case tcp
  }

  /// The reply to a message.
  public struct Reply: Sendable, Hashable {
    /// The bytes of the answer; `nil` where none is sent, which by TCP is a connection that stays
    /// open.
    public var bytes: [UInt8]?
    /// The delay of the answer.
    public var delay: Duration
    /// Tells whether a TCP connection is closed after the answer.
    public var closes: Bool
    /// The decision about the question; `nil` for bytes that are not a question.
    public var decision: DNSDecision?
  }

  /// The greatest number of names that are counted; each question for a further name counts as its
  /// first.
  public static let namesMax = 65_536

  private let script: DNSScript
  private let seed: UInt64
  private var counts: [String: Int] = [:]

  /// Makes a responder without any question so far.
  public init(_ script: DNSScript, seed: UInt64 = 1) { (self.script, self.seed) = (script, seed) }

  /// Returns the reply to one message of a client.
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
      bytes = DNSMessage(to: query, code: 0, isTruncated: true).bytes
    }
    return Reply(bytes: bytes, delay: .zero, closes: false)
  }
}
