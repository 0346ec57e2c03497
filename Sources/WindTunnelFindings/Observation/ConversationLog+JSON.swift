extension ConversationLog {
  /// The words for the ends of conversations.
  private enum EndWord: String, CaseIterable {
    case client, server, clientLeft, serverLeft, stopped
  }

  /// The log as an object, of which what was not seen is left out.
  package var json: JSON {
    func some(_ count: Int) -> JSON? { count > 0 ? .number(count) : nil }
    func time(_ moment: Duration?) -> JSON? {
      moment.map { .number($0.inMilliseconds, places: 3) }
    }
    let (word, code): (EndWord?, Int?) =
      switch ending {
      case .client(let code): (.client, code)
      case .server(let code): (.server, code)
      case .clientLeft: (.clientLeft, nil)
      case .serverLeft: (.serverLeft, nil)
      case .stopped: (.stopped, nil)
      case nil: (nil, nil)
      }
    return .object(
      JSON.members([
        "messages": .array(messages.map(\.json)), "further": some(further),
        "pings": some(pings), "pongs": some(pongs),
        "unansweredSinceMilliseconds": time(unansweredSince), "serverPings": some(serverPings),
        "clientPongs": some(clientPongs), "waiting": some(waiting),
        "silentSinceMilliseconds": time(silentSince), "endMilliseconds": time(end),
        "ending": word.map { .text($0.rawValue) }, "code": code.map { .number($0) },
      ])
    )
  }

  /// Reads one by itself.
  package init(_ json: JSON) throws(FormatError) {
    try self.init(reading: ObjectReader(json, source: "a subject's process", path: "conversation"))
  }

  init(reading object: ObjectReader) throws(FormatError) {
    self.init()
    var object = object
    let counts = 0...(1 << 40)
    messages = try object.list("messages", Message.init(reading:)) ?? []
    further = try object.int("further", in: counts) ?? 0
    pings = try object.int("pings", in: counts) ?? 0
    pongs = try object.int("pongs", in: counts) ?? 0
    unansweredSince = try object.offset("unansweredSinceMilliseconds")
    serverPings = try object.int("serverPings", in: counts) ?? 0
    clientPongs = try object.int("clientPongs", in: counts) ?? 0
    waiting = try object.int("waiting", in: counts) ?? 0
    silentSince = try object.offset("silentSinceMilliseconds")
    end = try object.offset("endMilliseconds")
    let word = try object.choice("ending", EndWord.self)
    let code = try object.int("code", in: 0...65_535)
    switch word {
    case .client: ending = .client(code ?? 1005)
    case .server: ending = .server(code ?? 1005)
    case .clientLeft: ending = .clientLeft
    case .serverLeft: ending = .serverLeft
    case .stopped: ending = .stopped
    case nil: break
    }
    try object.refuseUnknownKeys()
  }
}

extension ConversationLog.Message {
  fileprivate var json: JSON {
    var members = [
      JSON.Member("from", .text(sender.rawValue)),
      JSON.Member("atMilliseconds", .number(at.inMilliseconds, places: 3)),
    ]
    if let number { members.append(JSON.Member("number", .number(number))) }
    if asks { members.append(JSON.Member("asks", true)) }
    if let digest { members.append(JSON.Member("digest", .text(MessageDigest.text(digest)))) }
    return .object(members)
  }

  fileprivate init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    guard let sender = try object.choice("from", WebSocketMessage.Sender.self),
      let at = try object.offset("atMilliseconds")
    else { throw object.error("from", "a message needs its side and its time") }
    self.init(
      from: sender,
      at: at,
      number: try object.int("number", in: 1...(1 << 40)),
      asks: try object.bool("asks") ?? false,
      digest: try object.digest("digest")
    )
    try object.refuseUnknownKeys()
  }
}
