internal import Foundation
internal import WindTunnelSymptoms

/// A reader of one entry; `warnings` lists what was lost.
struct HAREntryReader {
  private(set) var warnings: [String] = []
  /// The time at which the request began, since 1970.
  private(set) var date: Duration?
  /// The reason why the entry is omitted; `nil` if it is read.
  private(set) var whyOutside: String?
  /// The error because of which the entry is omitted.
  private(set) var error: FormatError?
  /// A description of a body that the exporter has lost; `nil` if no body is missing.
  var lostBody: String?

  private let source: String
  private let path: String
  private var name = ""

  init(source: String, index: Int) {
    self.source = source
    path = "log.entries[\(index)]"
  }

  /// Returns the interaction; `nil` if the entry is not HTTP.
  ///
  /// - Throws: `FormatError` if the entry contains no valid request.
  mutating func interaction(_ entry: JSON) throws(FormatError) -> Interaction? {
    guard case .object = entry else { throw fault("", "expected an object") }
    guard let asked = entry.present("request"), case .object = asked else {
      throw fault(".request", "the request is missing")
    }
    guard let method = asked["method"]?.stringValue, method.isHTTPToken else {
      throw fault(".request.method", "expected a method")
    }
    guard let address = asked["url"]?.stringValue else {
      throw fault(".request.url", "the URL is missing")
    }
    date = entry["startedDateTime"].flatMap { DateText.sinceEpoch($0) }
    guard let url = Self.address(address, askedBy: method) else {
      // The rest of the URL may contain anything, including credentials, so it is not shown.
      let scheme = address.prefix { $0.isASCII && ($0.isLetter || $0 == "-") }
      whyOutside = "its URL (\(scheme.prefix(20))…) is not an HTTP URL"
      return nil
    }
    name = ", \(method) \(url.origin ?? "")\(url.path)"
    guard method != "CONNECT" else {
      whyOutside = "a tunnel has no data about its content"
      return nil
    }
    if date == nil {
      warn("startedDateTime is not a date; the entry keeps its position in the file")
    }
    let halves = asked.halfTextCount + (entry["response"]?.halfTextCount ?? 0)
    if halves > 0 {
      warn("texts with half a surrogate pair (RFC 8259 §8.2), which is read as U+FFFD: \(halves)")
    }
    let request = request(asked, method: method, url: url)
    guard let answer = answer(entry, to: request) else { return nil }
    var interaction = Interaction(request, answer, timing: Self.timing(entry["timings"]))
    interaction.messages = messages(entry)
    interaction.notes = Self.notes(entry)
    interaction.innerNotes = Self.innerNotes(entry, of: interaction)
    return interaction
  }

  /// Returns the interaction completed by the "_windtunnel" addition; with an addition, nothing was
  /// lost.
  ///
  /// An entry without a request or with an unknown addition is omitted.
  mutating func completed(_ entry: JSON) -> Interaction? {
    do throws(FormatError) {
      let read = try interaction(entry)
      guard let addition = entry.present(HARAddition.key) else { return read }
      (warnings, whyOutside, lostBody) = ([], nil, nil)
      return try HARAddition.applied(addition, to: read, source: source, path: path)
    } catch {
      let key = error.place.dropFirst(path.count + 1)
      leaveOut((key.isEmpty ? "" : "\(key): ") + error.problem)
      self.error = error
      return nil
    }
  }

  /// Omits the entry without an error.
  mutating func leaveOut(_ reason: String) { whyOutside = reason }

  mutating func warn(_ problem: String) { warnings.append("\(path)\(name): \(problem).") }

  private func fault(_ key: String, _ problem: String) -> FormatError {
    FormatError(source: source, place: path + key, problem: problem)
  }

  /// Returns the URL if it is an HTTP URL. WebSocket URLs are included, because the handshake is
  /// HTTP (RFC 6455 §4.1).
  private static func address(_ text: String, askedBy method: String) -> RequestURL? {
    var url = RequestURL(text.asHead.escapingOctets, askedBy: method)
    switch url.scheme {
    case "http", "https": break
    case "ws": url.scheme = "http"
    case "wss": url.scheme = "https"
    // Two slashes begin an authority, which may contain a secret.
    case nil where text.hasPrefix("/") && !text.hasPrefix("//"): break
    default: return nil
    }
    if url.host?.isEmpty == true { return nil }
    // On a cassette, {name} in a path matches any segment.
    url.path = url.path.percentEncoded { $0 <= 0x20 || $0 == 0x7F || "{}".utf8.contains($0) }
    url.query = url.query?.percentEncoded { $0 <= 0x20 || $0 == 0x7F }
    return url
  }

  private mutating func request(_ asked: JSON, method: String, url: RequestURL) -> Request {
    var fields = headers(asked["headers"])
    let content = requestContent(asked, headers: fields)
    content.settle(&fields)
    return Request(method, url, headers: fields, body: Body(content.data))
  }

  private mutating func answer(_ entry: JSON, to request: Request) -> RecordedResult? {
    let got = entry.present("response") ?? .object([])
    let texts = ["_error", "_failureText"].flatMap { [got[$0], entry[$0]] }
    let reason = texts.lazy.compactMap { $0?.stringValue }.first { !$0.isEmpty }
    var failure = Failure(reason.map { Symptom(harError: $0) } ?? .unknown, text: reason)
    let status = got["status"]?.wholeValue ?? 0
    guard status > 0 else {
      if reason == nil { warn("there is no response and no reason; it is stored as \"unknown\"") }
      return .failure(failure)
    }
    guard 100...999 ~= status else {
      whyOutside = "\(status) is not an HTTP status"
      return nil
    }
    var fields = headers(got["headers"])
    var content = responseContent(got, headers: fields)
    let type = got["content"]?["mimeType"]?.stringValue ?? ""
    if fields.isEmpty, !content.data.isEmpty, type.contains("/") {
      fields.append("Content-Type", type)
    }
    var isCut = reason != nil && failure.symptom.cutsAnswers
    if Response.hasNoContent(method: request.method, status: status) {
      settleWithoutContent(&content, &fields, method: request.method, status: status)
    } else {
      if content.data.isEmpty {
        noteMissingText(got, fields)
      } else if !isCut, let whole = content.announced(got, fields) {
        let words = "the body has \(content.data.count) of \(whole) bytes"
        warn("\(words); it is stored as truncated")
        (isCut, failure) = (true, Failure(.connectionLost, text: words))
      }
      content.settle(&fields, isCut: isCut)
    }
    let response = Response(status: status, headers: fields, body: Body(content.data))
    return isCut ? .cut(response, failure) : .response(response)
  }

  /// Returns the timing; `nil` if nothing was measured.
  private static func timing(_ timings: JSON?) -> Timing? {
    // Days and weeks are not plausible; -1 means not measured.
    let range = 0...1e9
    let measured = ["wait", "receive"].map { name in
      timings?[name]?.measure.flatMap { range.contains($0) ? $0 : nil }
    }
    guard measured.contains(where: { $0 != nil }) else { return nil }
    let (first, last) = (measured[0] ?? 0, measured[1] ?? 0)
    return Timing(
      firstByte: Duration(milliseconds: first),
      lastByte: Duration(milliseconds: first + last)
    )
  }

  /// Returns the header fields of a message, without the pseudo-fields of HTTP/2 (RFC 9113 §8.3).
  private mutating func headers(_ json: JSON?) -> HeaderFields {
    var pairs = json?.members.map { (name: $0.name.value, value: $0.value) } ?? []
    pairs += json?.elements.map { ($0["name"]?.spelled ?? "", $0["value"] ?? .null) } ?? []
    var fields = HeaderFields()
    var refused = 0
    for pair in pairs {
      let name = String(pair.name.trimmingOptionalWhitespace())
      if name.hasPrefix(":") { continue }
      guard name.isHTTPToken else {
        refused += 1
        continue
      }
      for value in Self.values(pair.value, of: name) { fields.append(name, value) }
    }
    // Neither name nor value is shown, because an invalid field may contain anything.
    if refused > 0 { warn("\(refused) header fields without a valid name are omitted") }
    return fields
  }

  /// Returns the field values of one JSON value.
  private static func values(_ json: JSON, of name: String) -> [String] {
    guard case .array(let list) = json else { return lines(json == .null ? "" : json.said) }
    let values = list.flatMap { lines($0 == .null ? "" : $0.said) }
    // Several values may be joined with commas (RFC 9110 §5.3), except for Set-Cookie (RFC 6265
    // §3).
    return name.equalsIgnoringASCIICase("Set-Cookie") ? values : [values.joined(separator: ", ")]
  }

  /// Splits a value at line feeds, because Chrome joins repeated fields by them. Other control
  /// characters are invalid in a field (RFC 9110 §5.5).
  private static func lines(_ value: String) -> [String] {
    let values = value.unicodeScalars.split { $0 == "\n" || $0 == "\r" }.map { line in
      let clean = line.map { ($0.value < 0x20 && $0 != "\t") || $0.value == 0x7F ? " " : $0 }
      return String(String(String.UnicodeScalarView(clean)).trimmingOptionalWhitespace())
    }
    let filled = values.filter { !$0.isEmpty }
    return filled.isEmpty ? [""] : filled
  }
}

// Extensions of exporters beyond the specification.
extension HAREntryReader {
  /// Returns the messages in Chrome's format: "type", "time" in seconds since 1970, "opcode" and
  /// "data". Playwright uses the same format with a time in milliseconds.
  private mutating func messages(_ entry: JSON) -> [WebSocketMessage] {
    guard let list = entry.present("_webSocketMessages")?.elements else {
      if let response = entry["response"], response["status"]?.wholeValue == 101,
        let file = response["content"].flatMap({ Self.file(of: $0) })
      {
        warn("the list of WebSocket messages \(file)")
      }
      return []
    }
    guard !list.isEmpty else { return [] }
    let phases = ["blocked", "dns", "connect", "send", "wait"]
    let handshake = phases.reduce(0.0) { sum, phase in
      // "ssl" is part of "connect".
      sum + max(0, entry["timings"]?[phase]?.measure ?? 0)
    }
    let first = list.lazy.compactMap { Self.seconds($0["time"]) }.first ?? 0
    let start = date.map { ($0.inMilliseconds + handshake) / 1000 } ?? first
    let messages = list.compactMap { message -> WebSocketMessage? in
      let text = message["data"]?.stringValue ?? ""
      let isText = message["opcode"]?.wholeValue != 2
      let body = isText ? Body(text) : Data(tolerantBase64: text).map { Body($0) }
      guard ["send", "receive"].contains(message["type"]?.stringValue),
        [1, 2].contains(message["opcode"]?.wholeValue ?? 1), let body
      else { return nil }
      let offset = ((Self.seconds(message["time"]) ?? start) - start) * 1000
      return WebSocketMessage(
        from: message["type"] == "send" ? .client : .server,
        body,
        isText: isText,
        offset: Duration(milliseconds: 0...1e9 ~= offset ? offset : 0)
      )
    }
    let others = list.count - messages.count
    if others > 0 {
      warn("\(others) of \(list.count) WebSocket messages have no usable data")
    }
    return messages
  }

  /// Returns a time in seconds. A number from 1e12 is in milliseconds; as seconds, it would be
  /// thirty thousand years in the future.
  private static func seconds(_ time: JSON?) -> Double? {
    time?.measure.map { $0 >= 1e12 ? $0 / 1000 : $0 }
  }

  private static let entryKeys: Set<String> = [
    HARAddition.key, "_webSocketMessages", "_initiator", "_error", "_failureText",
  ]

  /// Returns the notes of an interaction.
  private static func notes(_ entry: JSON) -> [JSON.Member] { notes(entry, but: entryKeys) }

  /// Returns the nested notes by the key of their object on a cassette.
  private static func innerNotes(_ entry: JSON, of interaction: Interaction) -> [String: [JSON
    .Member]]
  {
    let answer = interaction.response == nil ? "failure" : "response"
    var places = [
      "request": notes(entry["request"], but: ["_content"]),
      answer: notes(entry["response"], but: ["_error", "_failureText"]),
    ]
    if interaction.timing != nil { places["timing"] = notes(entry["timings"], but: []) }
    return places.filter { !$0.value.isEmpty }
  }

  /// Returns the unknown members whose name begins with `_`; for equal names, the first.
  static func notes(_ json: JSON?, but understood: Set<String>) -> [JSON.Member] {
    var seen = understood
    return (json?.members ?? []).filter { member in
      let name = member.name.value
      return name.hasPrefix("_") && member.value != .null && seen.insert(name).inserted
    }
  }
}
