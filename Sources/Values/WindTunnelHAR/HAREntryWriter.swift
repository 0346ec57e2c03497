internal import Foundation
internal import WindTunnelSymptoms

/// A writer of entries in order. Each entry begins no earlier than the previous one.
struct HAREntryWriter {
  /// The start of the next entry, in whole milliseconds since 1970.
  private var date = Duration.zero

  mutating func entry(_ interaction: Interaction) -> JSON {
    if let recorded = interaction.recordedAt.flatMap({ DateText.sinceEpoch($0) }), recorded > date {
      date = .milliseconds(Int64(recorded.inMilliseconds.rounded(.down)))
    }
    var interaction = interaction
    interaction.notes = interaction.notes.withoutHAR
    let written = JSON.object(standard(interaction))
    let addition = Self.addition(written, for: interaction)
    let duration = interaction.timing.map { max($0.firstByte, $0.lastByte) } ?? .zero
    date += .milliseconds(Int64(duration.inMilliseconds.rounded(.up)))
    return addition.map { written.adding([JSON.Member(JSON.Text(HARAddition.key), $0)]) } ?? written
  }

  private static func addition(_ entry: JSON, for interaction: Interaction) -> JSON? {
    var reader = HAREntryReader(source: "", index: 0)
    // If the standard fields cannot be read back, the whole interaction is added.
    let read = try? reader.interaction(entry)
    return HARAddition.of(interaction, readAs: read)
  }

  private func standard(_ interaction: Interaction) -> [JSON.Member] {
    let notes = interaction.innerNotes
    let timing = interaction.timing
    let wait = timing?.firstByte.inMilliseconds
    let receive = timing.map { max(0, ($0.lastByte - $0.firstByte).inMilliseconds) }
    let timings = JSON.members([
      "send": .number(timing == nil ? -1 : 0), "wait": .number(wait ?? -1, places: 3),
      "receive": .number(receive ?? -1, places: 3),
    ])
    var members = JSON.members([
      "startedDateTime": .text(DateText.text(date)),
      "time": .number((wait ?? 0) + (receive ?? 0), places: 3),
      "request": .object(request(interaction.request) + kept(notes["request"])),
      "response": .object(response(interaction)), "cache": .object([]),
      "timings": .object(timings + kept(timing == nil ? nil : notes["timing"])),
    ])
    if !interaction.messages.isEmpty {
      let start = date + (timing?.firstByte ?? .zero)
      // Chrome does not list control frames, and a close is a control frame.
      let messages = interaction.messages.filter { !$0.isClose }.map { message($0, start: start) }
      members.append(JSON.Member("_webSocketMessages", .array(messages)))
    }
    return members + kept(interaction.notes)
  }

  private func kept(_ notes: [JSON.Member]?) -> [JSON.Member] {
    (notes ?? []).filter {
      $0.name.value.hasPrefix("_") && !HARAddition.isAmbiguous($0)
        && !Self.keysOfOurs.contains($0.name.value)
    }
  }

  private static let keysOfOurs: Set<String> = ["_webSocketMessages", "_error", "_encoding"]

  private func request(_ request: Request) -> [JSON.Member] {
    let body = request.body.data
    let members = JSON.members([
      "method": .text(request.method), "url": .text(Self.address(request.url)),
      "httpVersion": "HTTP/1.1", "cookies": HARCookie.sent(request.headers),
      "headers": Self.fields(request.headers),
      "queryString": Self.parameters(request.url.query), "headersSize": -1,
      "bodySize": .number(body.count),
    ])
    guard !body.isEmpty else { return members }
    let type = request.headers["Content-Type"] ?? ""
    let content = [JSON.Member("mimeType", .text(type))] + Self.text(body, type, in: "_encoding")
    return members + [JSON.Member("postData", .object(content))]
  }

  /// Returns a body as text, or as base64 with the member that declares the encoding.
  private static func text(_ body: Data, _ type: String, in encoding: String) -> [JSON.Member] {
    let text = Charset.text(body, charset: ContentType(type).charset ?? "utf-8")
    if let text { return [JSON.Member("text", .text(text))] }
    return JSON.members(["text": .text(body.base64EncodedString()), encoding: "base64"])
  }

  private func response(_ interaction: Interaction) -> [JSON.Member] {
    let response = interaction.response
    let body = response?.body.data ?? Data()
    let headers = response?.headers ?? [:]
    let members = JSON.members([
      "status": .number(response?.status ?? 0), "statusText": "", "httpVersion": "HTTP/1.1",
      "cookies": HARCookie.set(headers), "headers": Self.fields(headers),
      "content": .object(content(body, headers)),
      "redirectURL": .text(headers["Location"] ?? ""), "headersSize": -1,
      "bodySize": .number(response == nil ? -1 : body.count),
      "_error": interaction.failure.map { .text($0.text ?? $0.symptom.rawValue) },
    ])
    let place = response == nil ? "failure" : "response"
    return members + kept(interaction.innerNotes[place])
  }

  /// Returns the body for display, with its content coding decoded if possible.
  private func content(_ body: Data, _ headers: HeaderFields) -> [JSON.Member] {
    let opened = headers.opened(body)?.content ?? body
    let type = headers["Content-Type"] ?? ""
    var members = [JSON.Member("size", .number(opened.count))]
    if opened.count > body.count { members.add("compression", .number(opened.count - body.count)) }
    members.append(JSON.Member("mimeType", .text(type)))
    return opened.isEmpty ? members : members + Self.text(opened, type, in: "encoding")
  }

  private func message(_ message: WebSocketMessage, start: Duration) -> JSON {
    let text = message.isText ? message.body.text : nil
    return [
      "type": message.sender == .client ? "send" : "receive",
      "time": .number((start + message.offset).inMilliseconds / 1000, places: 6),
      "opcode": text == nil ? 2 : 1,
      "data": .text(text ?? message.body.data.base64EncodedString()),
    ]
  }

  private static func fields(_ fields: HeaderFields) -> JSON {
    .array(fields.map { ["name": .text($0.name), "value": .text($0.value)] })
  }

  /// Returns the absolute URL, which HAR requires. A URL on a cassette may lack its host.
  private static func address(_ url: RequestURL) -> String {
    var url = url
    if url.host == nil { (url.scheme, url.host) = ("http", "any-host.invalid") }
    url.path = url.path.escapingOctets.percentEncoded {
      !(0x21...0x7E ~= $0) || "{}".utf8.contains($0)
    }
    url.query = url.query?.escapingOctets.percentEncoded { !(0x21...0x7E ~= $0) }
    return url.description
  }

  /// Returns the query's parameters, decoded like form fields (WHATWG URL §5.1).
  private static func parameters(_ query: String?) -> JSON {
    .array(
      (query ?? "").split(separator: "&").map { item in
        let name = item.prefix { $0 != "=" }
        let value = item[name.endIndex...].dropFirst()
        return ["name": .text(decoded(name)), "value": .text(decoded(value))]
      }
    )
  }

  private static func decoded(_ text: Substring) -> String {
    let spaced = String(text.map { $0 == "+" ? " " : $0 })
    return spaced.removingPercentEncoding ?? spaced
  }
}

/// The cookies of a message, which HAR lists in addition to the header fields.
private enum HARCookie {
  /// Returns the cookies of a request (RFC 6265 §4.2.1).
  static func sent(_ fields: HeaderFields) -> JSON {
    let pairs = fields.values("Cookie").flatMap { $0.split(separator: ";") }
    return .array(pairs.map { .object(members($0)) })
  }

  /// Returns the cookies of a response (RFC 6265 §4.1.1).
  static func set(_ fields: HeaderFields) -> JSON {
    .array(
      fields.values("Set-Cookie").map { value in
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        return .object(members(parts.first ?? "") + attributes(parts.dropFirst()))
      }
    )
  }

  private static func members(_ pair: Substring) -> [JSON.Member] {
    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let texts = parts.map { String($0.trimmingOptionalWhitespace()) }
    // A cookie without "=" consists of a value only.
    let (name, value) = texts.count == 2 ? (texts[0], texts[1]) : ("", texts.first ?? "")
    return [JSON.Member("name", .text(name)), JSON.Member("value", .text(value))]
  }

  private static func attributes(_ parts: ArraySlice<Substring>) -> [JSON.Member] {
    var found: [String: String] = [:]
    for part in parts {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = (pair.first ?? "").trimmingOptionalWhitespace().lowercased()
      // The last of several equal attributes wins (RFC 6265 §5.3).
      found[name] = pair.count > 1 ? String(pair[1].trimmingOptionalWhitespace()) : ""
    }
    let expiry = found["expires"].flatMap { DateText.sinceEpoch(http: $0) }
    return JSON.members([
      "path": found["path"].map { .text($0) }, "domain": found["domain"].map { .text($0) },
      "expires": expiry.map { .text(DateText.text($0)) },
      "httpOnly": found["httponly"].map { _ in true }, "secure": found["secure"].map { _ in true },
    ])
  }
}
