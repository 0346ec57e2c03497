internal import Foundation
internal import WindTunnelSymptoms

/// The protocol of an exchange, by its ALPN name except for HTTP/1.1.
private enum HTTPProtocol: String, CaseIterable {
  case http1 = "HTTP/1.1"
  case h2, h3
}

/// The end of an exchange in HTTP/2: an error code of `RST_STREAM` (RFC 9113 §7), or a `GOAWAY`.
private enum StreamFailure: String, CaseIterable {
  case refusedStream, cancel, internalError, enhanceYourCalm, goAway
}

/// A reader of the members of one interaction.
package struct InteractionReader {
  static let statusRange = 100...999
  static let millisecondsRange = 0.0...1e12
  /// The valid size of a body's chunk in bytes. No body is larger than a side file.
  static let chunkRange = 0...SideFiles.bodyBytesMax
  static let jsonType = "application/json"
  static let textType = "text/plain; charset=utf-8"
  static let binaryType = "application/octet-stream"

  private let sideFile: (String) throws -> Body
  private var innerNotes: [String: [JSON.Member]] = [:]
  private var joined: [String] = []

  package init(sideFile: @escaping (String) throws -> Body) { self.sideFile = sideFile }

  /// Throws an error about an unknown key, and keeps the notes.
  private mutating func close(_ object: ObjectReader, _ place: String) throws {
    try object.refuseUnknownKeys()
    if !object.notes.isEmpty { innerNotes[place] = object.notes }
  }

  package mutating func interaction(_ object: ObjectReader) throws -> Interaction {
    var object = object
    let request = try object.object("request").map { try self.request($0) }
    let response = try object.object("response").map { try self.response($0) }
    let failure = try object.object("failure").map { try self.failure($0) }
    let timing = try object.object("timing").map { try self.timing($0) }
    let messages = try messages(&object)
    let then = try object.choice("then", EndPolicy.self)
    object.keep("template", "critical", "protocol")
    _ = try (object.bool("template"), object.bool("critical"))
    _ = try object.choice("protocol", HTTPProtocol.self)
    let recordedAt = try object.string("recordedAt")
    // An unknown key is reported first, because it may be the misspelling of the missing key.
    try object.refuseUnknownKeys()
    guard let request else { throw object.error("request", "the request is missing") }
    // A WebSocket conversation always begins with this response (RFC 6455 §4.2.2).
    let usual = messages.isEmpty ? nil : RecordedResult.response(Response(status: 101))
    guard let answer = RecordedResult(response, failure) ?? usual else {
      throw object.error("response", "a \"response\" or a \"failure\" is missing")
    }
    var interaction = Interaction(request, answer)
    interaction.joined = joined
    interaction.timing = timing
    interaction.messages = messages
    interaction.then = then
    interaction.recordedAt = recordedAt
    interaction.notes = object.notes
    interaction.innerNotes = innerNotes
    if interaction.isTemplate { try TemplateValues.check(interaction, object) }
    return interaction
  }

  private mutating func request(_ object: ObjectReader) throws -> Request {
    var object = object
    let method = try object.string("method") ?? "GET"
    guard method.isHTTPToken else {
      throw object.error("method", "\(JSON.text(method)) is not a method (RFC 9110 §9.1)")
    }
    let url = try object.string("url")
    let headers = try headers(&object)
    let body = try sent(&object)
    try close(object, "request")
    guard let url else { throw object.error("url", "the URL is missing") }
    let address = RequestURL(url, askedBy: method)
    return Request(method, address, headers: headers ?? [:], body: body?.body ?? .empty)
  }

  fileprivate mutating func response(_ object: ObjectReader) throws -> Response {
    var object = object
    let status = try object.int("status", in: Self.statusRange) ?? 200
    let reason = try object.string("reason")
    guard reason?.breaksFieldLine != true else {
      throw object.error("reason", "the reason contains a line break (RFC 9112 §4)")
    }
    let headers = try headers(&object)
    let trailers = try self.headers(&object, "trailers")
    let informational = try object.list("informational") { $0 } ?? []
    object.keep("trailersOnly")
    _ = try object.bool("trailersOnly")
    let body = try sent(&object)
    for (index, name) in (try object.array("joined") ?? []).enumerated() {
      guard let name = name.stringValue, let headers, headers[name] != nil else {
        throw object.error("joined[\(index)]", "\(name) is not a field of this response")
      }
      joined.append(name)
    }
    try close(object, "response")
    var response = Self.response(status, reason, headers, trailers, body)
    response.head.informational = try informational.enumerated().map { index, object in
      try interim(object, at: index)
    }
    return response
  }

  /// Reads an interim response. A 101 is not valid, because it is the final response of its
  /// connection.
  private mutating func interim(_ object: ObjectReader, at index: Int) throws -> ResponseHead {
    var object = object
    guard let status = try object.int("status", in: 100...199), status != 101 else {
      throw object.error("status", "the status of an interim response is missing, or 101")
    }
    let headers = try headers(&object)
    try close(object, "informational[\(index)]")
    return ResponseHead(status: status, headers: headers ?? [:])
  }

  /// Creates a response; without any fields, it has the default ones.
  static func response(
    _ status: Int,
    _ reason: String?,
    _ headers: HeaderFields?,
    _ trailers: HeaderFields?,
    _ body: (body: Body, contentType: String)?
  ) -> Response {
    var response = Response(status: status, headers: headers ?? [:], body: body?.body ?? .empty)
    if let reason { response.head.customReasonPhrase = reason }
    if let trailers { response.head.trailers = trailers }
    if headers == nil, let body {
      response.head.headers["Content-Type"] = body.contentType
      response.head.headers["Content-Length"] = String(body.body.count)
    }
    return response
  }

  private func headers(
    _ object: inout ObjectReader,
    _ key: String = "headers"
  ) throws -> HeaderFields? {
    guard let value = object.take(key) else { return nil }
    switch value {
    case .object(let members):
      return HeaderFields(
        try members.map { member in
          guard let value = member.value.stringValue else {
            throw object.error(key, "the value of \"\(member.name.value)\" is not a string")
          }
          return try field(member.name.value, value, object, key)
        }
      )
    case .array(let pairs):
      return HeaderFields(
        try pairs.map { pair in
          guard case .array(let parts) = pair, parts.count == 2, let name = parts[0].stringValue,
            let value = parts[1].stringValue
          else { throw object.error(key, "\(pair) is not a pair of a name and a value") }
          return try field(name, value, object, key)
        }
      )
    case .null, .bool, .number, .string:
      throw object.error(key, "expected a list of [name, value]")
    }
  }

  /// Returns a header field; throws if it is invalid (RFC 9110 §5.1, §5.5). A line break in a field
  /// could inject a response.
  private func field(
    _ name: String,
    _ value: String,
    _ object: ObjectReader,
    _ key: String
  ) throws -> HeaderField {
    guard name.isHTTPToken else {
      throw object.error(key, "\(JSON.text(name)) is not a field name (RFC 9110 §5.1)")
    }
    guard !value.breaksFieldLine else {
      throw object.error(key, "the value of \(name) contains a line break (RFC 9110 §5.5)")
    }
    return HeaderField(name, value)
  }

  /// Reads a body, and compresses it if its object contains the parameters in `gzip`.
  private func sent(_ object: inout ObjectReader) throws -> (body: Body, contentType: String)? {
    let body = try body(&object)
    guard let numbers = try object.array("gzip") else { return body }
    guard let body, [Self.jsonType, Self.textType].contains(body.contentType),
      let form = GzipForm(numbers.map { $0.intValue ?? -1 })
    else {
      let words = "\"json\" or \"text\", and [level, memory, MTIME, XFL, OS]"
      throw object.error(
        "gzip",
        Inflate.isThere ? "gzip requires \(words)" : "zlib is missing for it"
      )
    }
    return (Body(form.coded(body.body.data)), body.contentType)
  }

  private func body(_ object: inout ObjectReader) throws -> (body: Body, contentType: String)? {
    let json = object.take("json")
    let layout = try object.string("layout")
    let text = try object.string("text")
    let base64 = try object.string("base64")
    let file = try object.string("file")
    let given = [json != nil, text != nil, base64 != nil, file != nil].count { $0 }
    guard given <= 1 else {
      throw object.error("json", "a body is one of \"json\", \"text\", \"base64\" and \"file\"")
    }
    if let layout, json == nil {
      throw object.error("layout", "\"\(layout)\" requires a \"json\" body")
    }
    if let json {
      guard let layout = JSON.Layout(name: layout ?? JSON.Layout.compact.name) else {
        throw object.error(
          "layout",
          "\"\(layout ?? "")\" is not a layout",
          fix: "Layouts: \(JSON.Layout.all.map(\.name).joined(separator: ", "))."
        )
      }
      return (Body(Data(json.bytes(layout))), Self.jsonType)
    }
    if let text { return (Body(text), Self.textType) }
    if let base64 {
      guard let data = Data(base64Encoded: base64) else {
        throw object.error("base64", "not base64 (RFC 4648 §4)")
      }
      return (Body(data), Self.binaryType)
    }
    if let file { return (try sideFile(file), Self.binaryType) }
    return nil
  }

  private mutating func failure(_ object: ObjectReader) throws -> Failure {
    var object = object
    guard let symptom = try object.choice("symptom", Symptom.self) else {
      throw object.error("symptom", "the symptom is missing")
    }
    let failure = Failure(symptom, text: try object.string("text"))
    object.keep("stream")
    _ = try object.choice("stream", StreamFailure.self)
    try close(object, "failure")
    return failure
  }

  private mutating func timing(_ object: ObjectReader) throws -> Timing {
    var object = object
    let range = Self.millisecondsRange
    let first = try object.double("firstByteMilliseconds", in: range) ?? 0
    let last = try object.double("lastByteMilliseconds", in: range) ?? first
    let chunks = try object.array("chunks") ?? []
    try close(object, "timing")
    return Timing(
      firstByte: Duration(milliseconds: first),
      lastByte: Duration(milliseconds: last),
      chunks: try chunks.map { try Self.chunk($0, of: object) }
    )
  }

  private static func chunk(_ json: JSON, of object: ObjectReader) throws -> Timing.Chunk {
    guard case .array(let parts) = json, parts.count == 2, let bytes = parts[0].intValue,
      bytes >= 0, let offset = parts[1].doubleValue, millisecondsRange.contains(offset)
    else { throw object.error("chunks", "\(json) is not [bytes, milliseconds]") }
    guard chunkRange.contains(bytes) else {
      throw object.error(
        "chunks",
        "\(json) is a piece of \(bytes) bytes; the maximum is \(chunkRange.upperBound)"
      )
    }
    return Timing.Chunk(bytes: bytes, offset: Duration(milliseconds: offset))
  }

  private mutating func messages(_ object: inout ObjectReader) throws -> [WebSocketMessage] {
    let (source, path) = (object.source, object.place("messages"))
    var messages: [WebSocketMessage] = []
    for (index, json) in (try object.array("messages") ?? []).enumerated() {
      let object = try ObjectReader(json, source: source, path: "\(path)[\(index)]")
      messages.append(try message(object, behind: messages))
    }
    return messages
  }

  private mutating func message(
    _ object: ObjectReader,
    behind messages: [WebSocketMessage]
  ) throws -> WebSocketMessage {
    var object = object
    guard let sender = try object.choice("from", WebSocketMessage.Sender.self) else {
      throw object.error("from", "expected \"client\" or \"server\"")
    }
    let code = try object.int("close", in: WebSocketMessage.closeCodes)
    let offset = Duration(
      milliseconds: try object.double("offsetMilliseconds", in: Self.millisecondsRange) ?? 0
    )
    let body = try body(&object)?.body ?? .empty
    let isText = object.take("text") != nil || object.take("json") != nil
    var message = WebSocketMessage(from: sender, body, isText: isText, offset: offset)
    if let code {
      guard WebSocketMessage.mayHave(code: code) else {
        throw object.error("close", "\(code) is not allowed in a close frame (RFC 6455 §7.4)")
      }
      guard body.text != nil, body.count == 0 || isText else {
        throw object.error("close", "the reason of a close is a \"text\" (RFC 6455 §5.5.1)")
      }
      message.kind = .close(code)
    }
    message.fragments = try object.values("fragments", "length in bytes") { json in
      json.intValue.flatMap { Self.chunkRange.contains($0) ? $0 : nil }
    }
    let after = try object.int("after", in: 0...messages.count)
    if let after {
      guard Self.isCause(after, of: message, behind: messages) else {
        throw object.error(
          "after",
          "\(after) is not the number of an earlier message of a client",
          fix:
            "Messages are counted from 1; 0 is the handshake. Only a server's message has a cause."
        )
      }
      message.cause = after
    }
    try close(object, "messages[\(messages.count)]")
    return message
  }

  /// Whether a server's message can be caused by a client's message with this number, or by the
  /// handshake.
  static func isCause(
    _ number: Int,
    of message: WebSocketMessage,
    behind messages: [WebSocketMessage]
  ) -> Bool {
    guard message.sender == .server, 0...messages.count ~= number else { return false }
    return number == 0 || messages[number - 1].sender == .client
  }
}

extension Response {
  /// Reads a response in the format of a cassette, with its whole body inline.
  ///
  /// - Throws: `FormatError` if it is not a response or references a side file.
  package init(onCassette object: ObjectReader) throws {
    var reader = InteractionReader { name in
      throw object.error("file", "\(JSON.text(name)) is a side file, but this is not in a cassette")
    }
    self = try reader.response(object)
  }
}
