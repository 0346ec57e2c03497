@_spi(WindTunnel) internal import WindTunnelCore

/// The messages of a call's conversations that its client says it received, in the order in which
/// it said so.
public struct ReceivedMessages: Sendable, Hashable {
  /// A message that the client has said it received.
  public struct Message: Sendable, Hashable {
    /// The digest of its content (`ConversationLog.digest(of:)`).
    public var digest: UInt64
    /// The time at which the client said so, counted as an attempt's.
    public var at: Duration

    /// Makes a message of its digest and its time.
    public init(digest: UInt64, at: Duration) { (self.digest, self.at) = (digest, at) }
  }

  /// The greatest number of messages that are kept: those of two full logs.
  public static let messagesMax = 2 * ConversationLog.messagesMax

  /// The first messages, in order.
  public var messages: [Message] = []
  /// The number of messages that were not kept.
  public var further = 0

  /// Makes the word of a client that has received nothing.
  public init() {}

  /// Notes a message behind the others.
  package mutating func note(_ message: Message) {
    guard messages.count < Self.messagesMax else { return further += 1 }
    messages.append(message)
  }
}

/// The spelling of a message's digest in a report: a JSON number has not room for all of it.
enum MessageDigest {
  /// Writes a digest as sixteen hexadecimal digits.
  static func text(_ digest: UInt64) -> String {
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension ObjectReader {
  /// Returns a message's digest, where it is there.
  mutating func digest(_ name: String) throws(FormatError) -> UInt64? {
    guard let text = try string(name) else { return nil }
    guard text.utf8.count == 16, let digest = UInt64(text, radix: 16) else {
      throw error(name, "a digest has sixteen hexadecimal digits")
    }
    return digest
  }
}

extension ReceivedMessages {
  var json: JSON {
    let rows = messages.map { message -> JSON in
      [
        "digest": .text(MessageDigest.text(message.digest)),
        "atMilliseconds": .number(message.at.inMilliseconds, places: 3),
      ]
    }
    var members = [JSON.Member("messages", .array(rows))]
    if further > 0 { members.append(JSON.Member("further", .number(further))) }
    return .object(members)
  }

  init(reading object: ObjectReader) throws(FormatError) {
    self.init()
    var object = object
    for (index, json) in (try object.array("messages") ?? []).enumerated() {
      let place = object.place("messages[\(index)]")
      var row = try ObjectReader(json, source: object.source, path: place)
      guard let digest = try row.digest("digest"), let at = try row.offset("atMilliseconds") else {
        throw row.error("digest", "a message needs its digest and its time")
      }
      messages.append(Message(digest: digest, at: at))
      try row.refuseUnknownKeys()
    }
    further = try object.int("further", in: 0...(1 << 40)) ?? 0
    try object.refuseUnknownKeys()
  }
}
