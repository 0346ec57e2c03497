extension ConversationLog: JSONObject {
  /// The words for the ends of conversations.
  private enum EndWord: String, CaseIterable {
    case client, server, clientLeft, serverLeft, stopped
  }

  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.list("messages", &messages)
    try fields.count("further", &further)
    try fields.count("pings", &pings)
    try fields.count("pongs", &pongs)
    try fields.time("unansweredSinceMilliseconds", &unansweredSince)
    try fields.count("serverPings", &serverPings)
    try fields.count("clientPongs", &clientPongs)
    try fields.count("waiting", &waiting)
    try fields.time("silentSinceMilliseconds", &silentSince)
    try fields.time("endMilliseconds", &end)
    var (word, code): (EndWord?, Int?) =
      switch ending {
      case .client(let code): (.client, code)
      case .server(let code): (.server, code)
      case .clientLeft: (.clientLeft, nil)
      case .serverLeft: (.serverLeft, nil)
      case .stopped: (.stopped, nil)
      case nil: (nil, nil)
      }
    try fields.choice("ending", &word)
    try fields.int("code", &code, in: 0...65_535)
    ending =
      switch word {
      case .client: .client(code ?? 1005)
      case .server: .server(code ?? 1005)
      case .clientLeft: .clientLeft
      case .serverLeft: .serverLeft
      case .stopped: .stopped
      case nil: nil
      }
  }
}

extension ConversationLog.Message: JSONObject {
  package static let blank = Self(from: .client, at: .zero)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let missing: JSONFields.Missing = ("from", "a message needs its side and its time")
    var side: WebSocketMessage.Sender? = sender
    try fields.choice("from", &side)
    sender = try fields.required(side, missing)
    try fields.time("atMilliseconds", &at, missing)
    try fields.int("number", &number, in: 1...(1 << 40))
    try fields.flag("asks", &asks)
    try fields.digest("digest", &digest)
  }
}
