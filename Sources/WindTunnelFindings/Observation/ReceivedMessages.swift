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

extension JSONFields {
  /// Lists a message's digest.
  mutating func digest(_ name: String, _ value: inout UInt64?) throws(FormatError) {
    guard isReading else { return write(name, value.map { .text(MessageDigest.text($0)) }) }
    value = try object.string(name).map { text throws(FormatError) in
      guard text.utf8.count == 16, let digest = UInt64(text, radix: 16) else {
        throw object.error(name, "a digest has sixteen hexadecimal digits")
      }
      return digest
    }
  }
}

extension ReceivedMessages.Message: JSONObject {
  package static let blank = Self(digest: 0, at: .zero)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let missing: JSONFields.Missing = ("digest", "a message needs its digest and its time")
    var told: UInt64? = digest
    try fields.digest("digest", &told)
    digest = try fields.required(told, missing)
    try fields.time("atMilliseconds", &at, missing)
  }
}

extension ReceivedMessages: JSONObject {
  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.list("messages", &messages)
    try fields.count("further", &further)
  }
}
