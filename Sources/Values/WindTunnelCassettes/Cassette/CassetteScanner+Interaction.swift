internal import WindTunnelSymptoms

// The objects of an interaction.

extension CassetteScanner {
  /// Reads the interaction at the current position.
  mutating func interaction() throws(Failure) -> Interaction {
    var object = OpenObject()
    var (request, response): (Request?, Response?) = (nil, nil)
    var failure: WindTunnelCassettes.Failure?
    var interaction = Interaction(Request("GET", "/"), Response())
    while let key = try nextKey(&object) {
      switch key {
      case .request: request = try self.request(&interaction.innerNotes)
      case .response: response = try self.response(&interaction.innerNotes)
      case .failure: failure = try self.failure(&interaction.innerNotes)
      case .timing: interaction.timing = try timing(&interaction.innerNotes)
      case .messages: interaction.messages = try messages(&interaction.innerNotes)
      case .then: interaction.then = try choice(EndPolicy.self)
      case .recordedAt: interaction.recordedAt = try string().value
      default: throw Self.unusual
      }
    }
    let usual = interaction.messages.isEmpty ? nil : RecordedResult.response(Response(status: 101))
    guard let request, let answer = RecordedResult(response, failure) ?? usual else {
      throw Self.unusual
    }
    (interaction.request, interaction.result) = (request, answer)
    interaction.notes = object.notes
    return interaction
  }

  private typealias InnerNotes = [String: [JSON.Member]]

  private func close(_ object: OpenObject, _ place: String, _ notes: inout InnerNotes) {
    if !object.notes.isEmpty { notes[place] = object.notes }
  }

  private mutating func request(_ notes: inout InnerNotes) throws(Failure) -> Request {
    var object = OpenObject()
    var method = "GET"
    var url: String?
    var headers: HeaderFields = [:]
    var body = BodyKeys()
    while let key = try nextKey(&object) {
      switch key {
      case .method: method = try string().value
      case .url: url = try string().value
      case .headers: headers = try self.headers(like: 0)
      case .json, .layout, .text, .base64, .gzip: try self.body(key, &body)
      default: throw Self.unusual
      }
    }
    guard let url, method.isHTTPToken else { throw Self.unusual }
    close(object, "request", &notes)
    var address = RequestURL(url, askedBy: method)
    address.share(with: lastURL)
    lastURL = address
    return Request(method, address, headers: headers, body: try self.body(body)?.body ?? .empty)
  }

  private mutating func response(_ notes: inout InnerNotes) throws(Failure) -> Response {
    var object = OpenObject()
    var status = 200
    var (reason, headers, trailers): (String?, HeaderFields?, HeaderFields?) = (nil, nil, nil)
    var keys = BodyKeys()
    while let key = try nextKey(&object) {
      switch key {
      case .status: status = try int(in: InteractionReader.statusRange)
      case .reason:
        reason = try string().value
        if reason?.breaksFieldLine == true { throw Self.unusual }
      case .headers: headers = try self.headers(like: 1)
      case .trailers: trailers = try self.headers(like: 2)
      case .json, .layout, .text, .base64, .gzip: try body(key, &keys)
      default: throw Self.unusual
      }
    }
    close(object, "response", &notes)
    return InteractionReader.response(status, reason, headers, trailers, try body(keys))
  }

  private mutating func failure(_ notes: inout InnerNotes) throws(Failure)
    -> WindTunnelCassettes.Failure
  {
    var object = OpenObject()
    var symptom: Symptom?
    var text: String?
    while let key = try nextKey(&object) {
      switch key {
      case .symptom: symptom = try choice(Symptom.self)
      case .text: text = try string().value
      default: throw Self.unusual
      }
    }
    guard let symptom else { throw Self.unusual }
    close(object, "failure", &notes)
    return WindTunnelCassettes.Failure(symptom, text: text)
  }

  private mutating func timing(_ notes: inout InnerNotes) throws(Failure) -> Timing {
    var object = OpenObject()
    var (first, last): (Double?, Double?) = (nil, nil)
    var chunks: [Timing.Chunk] = []
    while let key = try nextKey(&object) {
      switch key {
      case .firstByteMilliseconds: first = try milliseconds()
      case .lastByteMilliseconds: last = try milliseconds()
      case .chunks: chunks = try self.chunks()
      default: throw Self.unusual
      }
    }
    close(object, "timing", &notes)
    return Timing(
      firstByte: Duration(milliseconds: first ?? 0),
      lastByte: Duration(milliseconds: last ?? first ?? 0),
      chunks: chunks
    )
  }

  private mutating func chunks() throws(Failure) -> [Timing.Chunk] {
    try list { scanner throws(Failure) in
      guard try scanner.parser.kind() == .array, try scanner.parser.enterList() else {
        throw Self.unusual
      }
      let bytes = try scanner.int(in: InteractionReader.chunkRange)
      guard try scanner.parser.goesOnInList() else { throw Self.unusual }
      let offset = Duration(milliseconds: try scanner.milliseconds())
      guard try !scanner.parser.goesOnInList() else { throw Self.unusual }
      return Timing.Chunk(bytes: bytes, offset: offset)
    }
  }

  private mutating func messages(_ notes: inout InnerNotes) throws(Failure) -> [WebSocketMessage] {
    var messages: [WebSocketMessage] = []
    _ = try list { scanner throws(Failure) in
      messages.append(try scanner.message(behind: messages, &notes))
    }
    return messages
  }

  private mutating func message(
    behind messages: [WebSocketMessage],
    _ notes: inout InnerNotes
  ) throws(Failure) -> WebSocketMessage {
    var object = OpenObject()
    var sender: WebSocketMessage.Sender?
    var offset = 0.0
    var keys = BodyKeys()
    var code: Int?
    var fragments: [Int] = []
    var cause: Int?
    while let key = try nextKey(&object) {
      switch key {
      case .from: sender = try choice(WebSocketMessage.Sender.self)
      case .offsetMilliseconds: offset = try milliseconds()
      case .json, .layout, .text, .base64: try body(key, &keys)
      case .close: code = try int(in: WebSocketMessage.closeCodes)
      case .fragments: fragments = try lengths()
      case .after: cause = try int(in: 0...messages.count)
      default: throw Self.unusual
      }
    }
    guard let sender else { throw Self.unusual }
    close(object, "messages[\(messages.count)]", &notes)
    let body = try body(keys)?.body ?? .empty
    var message = WebSocketMessage(
      from: sender,
      body,
      isText: keys.isText,
      offset: Duration(milliseconds: offset)
    )
    if let code {
      guard WebSocketMessage.mayHave(code: code), body.count == 0 || keys.isText else {
        throw Self.unusual
      }
      message.kind = .close(code)
    }
    (message.fragments, message.cause) = (fragments, cause)
    if let cause, !InteractionReader.isCause(cause, of: message, behind: messages) {
      throw Self.unusual
    }
    return message
  }

  /// Reads a list of lengths in bytes.
  mutating func lengths() throws(Failure) -> [Int] {
    try list { scanner throws(Failure) in try scanner.int(in: InteractionReader.chunkRange) }
  }

  /// Reads a list with a function for its elements.
  private mutating func list<Element>(
    _ element: (inout Self) throws(Failure) -> Element
  ) throws(Failure) -> [Element] {
    guard try parser.kind() == .array else { throw Self.unusual }
    var elements: [Element] = []
    guard try parser.enterList() else { return elements }
    repeat { elements.append(try element(&self)) } while try parser.goesOnInList()
    return elements
  }
}
