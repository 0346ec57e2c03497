internal import WindTunnelSymptoms

// The objects of an interaction.

/// The protocol of an exchange, by its ALPN name except for HTTP/1.1.
private enum HTTPProtocol: String, CaseIterable {
  case http1 = "HTTP/1.1"
  case h2, h3
}

/// The end of an exchange in HTTP/2: an error code of `RST_STREAM` (RFC 9113 §7), or a `GOAWAY`.
private enum StreamFailure: String, CaseIterable {
  case refusedStream, cancel, internalError, enhanceYourCalm, goAway
}

extension CassetteScanner {
  private typealias Parts = (
    request: Request?, response: Response?, failure: WindTunnelCassettes.Failure?,
    interaction: Interaction
  )

  private static let keys = Keys<Parts>([
    ("request", { $1.request = try $0.request() }),
    ("response", { $1.response = try $0.response() }),
    ("failure", { $1.failure = try $0.failure() }),
    ("timing", { $1.interaction.timing = try $0.timing() }),
    ("messages", { $1.interaction.messages = try $0.messages() }),
    ("then", { $1.interaction.then = try $0.choice(EndPolicy.self) }),
    ("template", { scanner, _ in try scanner.keepFlag() }),
    ("critical", { scanner, _ in try scanner.keepFlag() }),
    ("protocol", { scanner, _ in try scanner.keepChoice(HTTPProtocol.self) }),
    ("recordedAt", { $1.interaction.recordedAt = try $0.string() }),
  ])

  /// Reads the interaction at the current position.
  mutating func interaction() throws -> Interaction {
    let start = parser.position
    (joined, innerNotes) = ([], [:])
    let draft: Parts = (nil, nil, nil, Interaction(Request("GET", "/"), Response()))
    return try object("", Self.keys, draft) { scanner, draft in
      let request = try scanner.required(draft.request, "request", "the request is missing")
      // A WebSocket conversation always begins with this response (RFC 6455 §4.2.2).
      let isConversation = !draft.interaction.messages.isEmpty
      let usual = isConversation ? RecordedResult.response(Response(status: 101)) : nil
      let answer = RecordedResult(draft.response, draft.failure) ?? usual
      let missing = "a \"response\" or a \"failure\" is missing"
      draft.interaction.result = try scanner.required(answer, "response", missing)
      draft.interaction.request = request
      draft.interaction.joined = scanner.joined
      draft.interaction.innerNotes = scanner.innerNotes
      draft.interaction.notes = scanner.notes
      if draft.interaction.isTemplate {
        let (tree, here) = (try scanner.parser.value(at: start), scanner.here)
        let object = try ObjectReader(tree, source: here.source, path: here.path)
        try TemplateValues.check(draft.interaction, object)
      }
      return draft.interaction
    }
  }

  private mutating func keepChoice<Choice: RawRepresentable & CaseIterable>(
    _ choice: Choice.Type
  ) throws where Choice.RawValue == String {
    _ = try self.choice(choice)
    try keep()
  }

  private static let requestKeys = Keys<(method: String, url: String?, headers: HeaderFields)>(
    [
      ("method", { $1.method = try $0.string() }),
      ("url", { $1.url = try $0.string() }),
      ("headers", { $1.headers = try $0.headers(like: 0) }),
    ],
    body: bodyKeys + ["gzip"]
  )

  private mutating func request() throws -> Request {
    content = BodyKeys()
    return try object("request", Self.requestKeys, ("GET", nil, [:])) { scanner, draft in
      guard draft.method.isHTTPToken else {
        let words = "\(JSON.text(draft.method)) is not a method (RFC 9110 §9.1)"
        throw scanner.error(words, at: "method")
      }
      let body = try scanner.body()?.body ?? .empty
      let url = try scanner.required(draft.url, "url", "the URL is missing")
      var address = RequestURL(url, askedBy: draft.method)
      address.share(with: scanner.lastURL)
      scanner.lastURL = address
      return Request(draft.method, address, headers: draft.headers, body: body)
    }
  }

  private typealias ResponseDraft = (
    head: ResponseHead, reason: String?, headers: HeaderFields?, joined: [JSON]
  )

  private static let responseKeys = Keys<ResponseDraft>(
    [
      ("status", { $1.head.status = try $0.number(in: 100...999) }),
      ("reason", { $1.reason = try $0.string() }),
      ("headers", { $1.headers = try $0.headers(like: 1) }),
      ("trailers", { $1.head.trailers = try $0.headers(like: 2) }),
      ("informational", { $1.head.informational = try $0.informational() }),
      ("trailersOnly", { scanner, _ in try scanner.keepFlag() }),
    ],
    body: bodyKeys + ["gzip"],
    [("joined", { $1.joined = try $0.list { try $0.parser.value() } })]
  )

  private mutating func response() throws -> Response {
    content = BodyKeys()
    let draft: ResponseDraft = (ResponseHead(), nil, nil, [])
    return try object("response", Self.responseKeys, draft) { scanner, draft in
      if let reason = draft.reason, reason.breaksFieldLine {
        throw scanner.error("the reason contains a line break (RFC 9112 §4)", at: "reason")
      }
      let body = try scanner.body()
      for (index, name) in draft.joined.enumerated() {
        guard let field = name.stringValue, draft.headers?[field] != nil else {
          let words = "\(name) is not a field of this response"
          throw scanner.error(words, at: "joined[\(index)]")
        }
        scanner.joined.append(field)
      }
      var response = Response(draft.head, body?.body ?? .empty)
      if let reason = draft.reason { response.head.customReasonPhrase = reason }
      if let headers = draft.headers {
        response.head.headers = headers
      } else if let body {
        response.head.headers["Content-Type"] = body.contentType
        response.head.headers["Content-Length"] = String(body.body.count)
      }
      return response
    }
  }

  private static let interimKeys = Keys<ResponseHead>([
    ("status", { $1.status = try $0.number(in: 100...199) }),
    ("headers", { $1.headers = try $0.headers(like: 1) }),
  ])

  /// Reads interim responses. A 101 is not valid, because it is the final response of its
  /// connection.
  private mutating func informational() throws -> [ResponseHead] {
    var heads: [ResponseHead] = []
    _ = try list { scanner in
      let draft = ResponseHead(status: 101)
      let head = try scanner.object("informational", at: heads.count, Self.interimKeys, draft) {
        guard $1.status != 101 else {
          throw $0.error("the status of an interim response is missing, or 101", at: "status")
        }
        return $1
      }
      heads.append(head)
    }
    return heads
  }

  private static let failureKeys = Keys<(symptom: Symptom?, text: String?)>([
    ("symptom", { $1.symptom = try $0.choice(Symptom.self) }),
    ("text", { $1.text = try $0.string() }),
    ("stream", { scanner, _ in try scanner.keepChoice(StreamFailure.self) }),
  ])

  private mutating func failure() throws -> WindTunnelCassettes.Failure {
    try object("failure", Self.failureKeys, (nil, nil)) { scanner, draft in
      let symptom = try scanner.required(draft.symptom, "symptom", "the symptom is missing")
      return WindTunnelCassettes.Failure(symptom, text: draft.text)
    }
  }

  private typealias TimingDraft = (first: Duration?, last: Duration?, chunks: [Timing.Chunk])

  private static let timingKeys = Keys<TimingDraft>([
    ("firstByteMilliseconds", { $1.first = try $0.time() }),
    ("lastByteMilliseconds", { $1.last = try $0.time() }),
    ("chunks", { $1.chunks = try $0.list { try $0.chunk() } }),
  ])

  private mutating func timing() throws -> Timing {
    try object("timing", Self.timingKeys, (nil, nil, [])) { _, draft in
      let first = draft.first ?? .zero
      return Timing(firstByte: first, lastByte: draft.last ?? first, chunks: draft.chunks)
    }
  }

  private typealias MessageDraft = (
    sender: WebSocketMessage.Sender?, close: Int?, offset: Duration, fragments: [Int], cause: Int?
  )

  private static let messageKeys = Keys<MessageDraft>(
    [
      ("from", { $1.sender = try $0.choice(WebSocketMessage.Sender.self) }),
      ("close", { $1.close = try $0.number(in: WebSocketMessage.closeCodes) }),
      ("offsetMilliseconds", { $1.offset = try $0.time() }),
    ],
    body: bodyKeys,
    [
      ("fragments", { $1.fragments = try $0.lengths() }),
      ("after", { $1.cause = try $0.number(in: 0...($0.index ?? 0)) }),
    ]
  )

  private mutating func messages() throws -> [WebSocketMessage] {
    var messages: [WebSocketMessage] = []
    _ = try list { scanner in
      scanner.content = BodyKeys()
      let draft: MessageDraft = (nil, nil, .zero, [], nil)
      let message = try scanner.object("messages", at: messages.count, Self.messageKeys, draft) {
        try $0.message($1, behind: messages)
      }
      messages.append(message)
    }
    return messages
  }

  private mutating func message(
    _ draft: MessageDraft,
    behind messages: [WebSocketMessage]
  ) throws -> WebSocketMessage {
    let sender = try required(draft.sender, "from", "expected \"client\" or \"server\"")
    let (isText, body) = (content.isText, try self.body()?.body ?? .empty)
    var message = WebSocketMessage(from: sender, body, isText: isText, offset: draft.offset)
    if let code = draft.close {
      guard WebSocketMessage.mayHave(code: code) else {
        throw error("\(code) is not allowed in a close frame (RFC 6455 §7.4)", at: "close")
      }
      guard body.count == 0 || isText else {
        throw error("the reason of a close is a \"text\" (RFC 6455 §5.5.1)", at: "close")
      }
      message.kind = .close(code)
    }
    // A server's message can be caused by a client's message, or by the handshake.
    if let cause = draft.cause,
      sender != .server || cause > 0 && messages[cause - 1].sender != .client
    {
      throw error(
        "\(cause) is not the number of an earlier message of a client",
        at: "after",
        fix: "Messages are counted from 1; 0 is the handshake. Only a server's message has a cause."
      )
    }
    (message.fragments, message.cause) = (draft.fragments, draft.cause)
    return message
  }
}
