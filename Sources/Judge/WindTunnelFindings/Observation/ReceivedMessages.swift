/// The messages of a call's conversations that its client reports as received, in the order of its
/// reports.
public struct ReceivedMessages: Sendable, Hashable, JSONObject {
  /// A message that the client reports as received.
  public struct Message: Sendable, Hashable {
    /// The digest of its content (`ConversationLog.digest(of:)`).
    public var digest: UInt64
    /// The time of the client's report, counted as an attempt's.
    public var at: Duration

    /// Creates a message from its digest and its time.
    public init(digest: UInt64, at: Duration) { (self.digest, self.at) = (digest, at) }
  }

  /// The maximum number of messages that are kept, which is that of two full logs.
  public static let messagesMax = 2 * ConversationLog.messagesMax

  /// The first messages, in order.
  public var messages: [Message] = []
  /// The number of messages that were not kept.
  public var further = 0

  /// Creates the report of a client that has received nothing.
  public init() {}

  /// Adds a message after the others.
  package mutating func note(_ message: Message) {
    guard messages.count < Self.messagesMax else { return further += 1 }
    messages.append(message)
  }

  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.list("messages", &messages)
    try fields.count("further", &further)
  }
}

extension JSONFields {
  /// Lists a message's digest as sixteen hexadecimal digits, because a JSON number cannot contain
  /// all its bits.
  mutating func digest(_ name: String, _ value: inout UInt64?) throws(FormatError) {
    guard isReading else {
      let digits = value.map { String($0, radix: 16) }
      let zeros = String(repeating: "0", count: 16 - (digits?.count ?? 0))
      return write(name, digits.map { .text(zeros + $0) })
    }
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
    let missing: JSONFields.Missing = ("digest", "a message requires its digest and its time")
    var told: UInt64? = digest
    try fields.digest("digest", &told)
    digest = try fields.required(told, missing)
    try fields.time("atMilliseconds", &at, missing)
  }
}

extension ConversationLog: JSONObject {
  /// The names of the ends of conversations.
  private enum EndWord: String, CaseIterable {
    case client, server, clientLeft, serverLeft, stopped
  }

  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.list("messages", &messages)
    try fields.count("further", &further)
    try fields.count("pings", &clientPings)
    try fields.count("pongs", &serverPongs)
    try fields.time("unansweredSinceMilliseconds", &unansweredSince)
    try fields.count("serverPings", &serverPings)
    try fields.count("clientPongs", &clientPongs)
    try fields.count("waiting", &waiting)
    try fields.time("silentSinceMilliseconds", &silentSince)
    try fields.time("endMilliseconds", &end)
    var code: Int? = if case .client(let code)? = ending { code } else { nil }
    if case .server(let ofServer)? = ending { code = ofServer }
    func ends(_ code: Int) -> [(word: EndWord, end: ConversationEnd)] {
      [
        (.client, .client(code)), (.server, .server(code)), (.clientLeft, .clientLeft),
        (.serverLeft, .serverLeft), (.stopped, .stopped),
      ]
    }
    var word = ends(code ?? 1005).first { $0.end == ending }?.word
    try fields.choice("ending", &word)
    try fields.int("code", &code, in: 0...65_535)
    ending = ends(code ?? 1005).first { $0.word == word }?.end
  }
}

extension ConversationLog.Message: JSONObject {
  package static let blank = Self(from: .client, at: .zero)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let missing: JSONFields.Missing = ("from", "a message requires its side and its time")
    var side: WebSocketMessage.Sender? = sender
    try fields.choice("from", &side)
    sender = try fields.required(side, missing)
    try fields.time("atMilliseconds", &at, missing)
    try fields.int("number", &number, in: 1...(1 << 40))
    try fields.flag("asks", &asks)
    try fields.digest("digest", &digest)
  }
}
