internal import Foundation
internal import WindTunnelSymptoms

/// A writer of entries, one after the other; each begins no earlier than the one before.
struct HAREntryWriter {
  /// The moment at which the next entry begins, in whole milliseconds since 1970.
  private var date = Duration.zero
  /// The moment at which the last one began.
  private var previous = Duration.seconds(-1 << 40)

  mutating func entry(_ interaction: Interaction) -> JSON {
    if let recorded = interaction.recordedAt.flatMap({ DateText.sinceEpoch($0) }), recorded > date {
      date = .milliseconds(Int64(recorded.inMilliseconds.rounded(.down)))
    }
    let written = JSON.object(standard(interaction))
    let addition = Self.addition(written, for: interaction)
    if let overlay = HAROverlay.of(interaction.notes),
      let entry = original(overlay, over: written, addition, of: interaction)
    {
      return entry
    }
    let duration = interaction.timing.map { max($0.firstByte, $0.lastByte) } ?? .zero
    previous = date
    date += .milliseconds(Int64(duration.inMilliseconds.rounded(.up)))
    return Self.entry(written, addition)
  }

  /// Returns an entry that became no interaction, with what every entry must have.
  func aside(_ entry: JSON) -> JSON {
    let frame = Interaction(Request("GET", "http://any-host.invalid/"), Response(status: 0))
    return HAROverlay.applied(entry, to: .object(standard(frame))).withTextOfForm
  }

  /// Returns the entry as it was once; `nil` where the interaction has been changed since, so that
  /// more would have to be added to it.
  private mutating func original(
    _ overlay: JSON,
    over written: JSON,
    _ addition: JSON?,
    of interaction: Interaction
  ) -> JSON? {
    var overlay = HARPart.standing(overlay, for: interaction)
    var start = overlay["startedDateTime"]?.stringValue.flatMap { DateText.sinceEpoch($0) } ?? date
    if start < previous {
      // The order of the cassette wins: a reader sorts by the dates.
      overlay = HAROverlay.removing(["startedDateTime"], from: overlay)
      start = date
    }
    // Where its messages would be read as others, the rest may still be said.
    let candidates = [overlay, HARPart.unread(overlay)].lazy.map { overlay in
      let entry = HAROverlay.applied(overlay, to: written).withTextOfForm
      return (entry, Self.addition(entry, for: interaction))
    }
    let known = Self.names(addition)
    guard let (entry, needed) = candidates.first(where: { Self.names($1).isSubset(of: known) })
    else { return nil }
    previous = start
    date = .milliseconds(Int64(start.inMilliseconds.rounded(.up)))
    return Self.entry(entry, needed)
  }

  private static func names(_ addition: JSON?) -> Set<String> {
    Set((addition?.members ?? []).map(\.name.value))
  }

  private static func addition(_ entry: JSON, for interaction: Interaction) -> JSON? {
    var reader = HAREntryReader(source: "", index: 0)
    // An entry that says nothing to a reader is added whole.
    let read = try? reader.interaction(entry)
    return HARAddition.of(interaction, readAs: read)
  }

  private static func entry(_ entry: JSON, _ addition: JSON?) -> JSON {
    guard let addition, case .object(let members) = entry else { return entry }
    return .object(members + [JSON.Member(JSON.Text(HARAddition.key), addition)])
  }

  private func standard(_ interaction: Interaction) -> [JSON.Member] {
    let notes = interaction.innerNotes
    let timing = interaction.timing
    let wait = timing?.firstByte.inMilliseconds
    let receive = timing.map { max(0, ($0.lastByte - $0.firstByte).inMilliseconds) }
    let timings = [
      JSON.Member("send", timing == nil ? -1 : 0),
      JSON.Member("wait", .number(wait ?? -1, places: 3)),
      JSON.Member("receive", .number(receive ?? -1, places: 3)),
    ]
    var members = [
      JSON.Member("startedDateTime", .text(DateText.text(date))),
      JSON.Member("time", .number((wait ?? 0) + (receive ?? 0), places: 3)),
      JSON.Member("request", .object(request(interaction.request) + kept(notes["request"]))),
      JSON.Member("response", .object(response(interaction))),
      JSON.Member("cache", .object([])),
      JSON.Member("timings", .object(timings + kept(timing == nil ? nil : notes["timing"]))),
    ]
    if !interaction.messages.isEmpty {
      let start = date + (timing?.firstByte ?? .zero)
      // Chrome lists no frames of the connection itself, and an end is one.
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
    var members = [
      JSON.Member("method", .text(request.method)),
      JSON.Member("url", .text(Self.address(request.url))),
      JSON.Member("httpVersion", "HTTP/1.1"),
      JSON.Member("cookies", HARCookie.sent(request.headers)),
      JSON.Member("headers", Self.fields(request.headers)),
      JSON.Member("queryString", Self.parameters(request.url.query)),
      JSON.Member("headersSize", -1),
      JSON.Member("bodySize", .number(body.count)),
    ]
    guard !body.isEmpty else { return members }
    let type = request.headers["Content-Type"] ?? ""
    var content = [JSON.Member("mimeType", .text(type))]
    if let text = Charset.text(body, charset: ContentType(type).charset ?? "utf-8") {
      content.append(JSON.Member("text", .text(text)))
    } else {
      content.append(JSON.Member("text", .text(body.base64EncodedString())))
      content.append(JSON.Member("_encoding", "base64"))
    }
    members.append(JSON.Member("postData", .object(content)))
    return members
  }

  private func response(_ interaction: Interaction) -> [JSON.Member] {
    let response = interaction.response
    let body = response?.body.data ?? Data()
    var members = [
      JSON.Member("status", .number(response?.status ?? 0)),
      JSON.Member("statusText", ""),
      JSON.Member("httpVersion", "HTTP/1.1"),
      JSON.Member("cookies", HARCookie.set(response?.headers ?? [:])),
      JSON.Member("headers", Self.fields(response?.headers ?? [:])),
      JSON.Member("content", .object(content(body, response?.headers ?? [:]))),
      JSON.Member("redirectURL", .text(response?.headers["Location"] ?? "")),
      JSON.Member("headersSize", -1),
      JSON.Member("bodySize", .number(response == nil ? -1 : body.count)),
    ]
    if let failure = interaction.failure {
      let reason = failure.text ?? failure.symptom.rawValue
      members.append(JSON.Member("_error", .text(reason)))
    }
    let place = response == nil ? "failure" : "response"
    return members + kept(interaction.innerNotes[place])
  }

  /// Returns the body as it is shown to people: its coding opened where that can be done.
  private func content(_ body: Data, _ headers: HeaderFields) -> [JSON.Member] {
    let opened = headers.opened(body)?.content ?? body
    let type = headers["Content-Type"] ?? ""
    var members = [JSON.Member("size", .number(opened.count))]
    if opened.count > body.count { members.add("compression", .number(opened.count - body.count)) }
    members.append(JSON.Member("mimeType", .text(type)))
    guard !opened.isEmpty else { return members }
    if let text = Charset.text(opened, charset: ContentType(type).charset ?? "utf-8") {
      return members + [JSON.Member("text", .text(text))]
    }
    return members + [
      JSON.Member("text", .text(opened.base64EncodedString())),
      JSON.Member("encoding", "base64"),
    ]
  }

  private func message(_ message: WebSocketMessage, start: Duration) -> JSON {
    let text = message.isText ? message.body.text : nil
    return .object([
      JSON.Member("type", message.sender == .client ? "send" : "receive"),
      JSON.Member("time", .number((start + message.offset).inMilliseconds / 1000, places: 6)),
      JSON.Member("opcode", text == nil ? 2 : 1),
      JSON.Member("data", .text(text ?? message.body.data.base64EncodedString())),
    ])
  }

  private static func fields(_ fields: HeaderFields) -> JSON {
    .array(fields.map { ["name": .text($0.name), "value": .text($0.value)] })
  }

  /// Returns the address in full: HAR knows no other, and a cassette's may lack its host.
  private static func address(_ url: RequestURL) -> String {
    var url = url
    if url.host == nil { (url.scheme, url.host) = ("http", "any-host.invalid") }
    url.path = visible(url.path, but: "{}")
    url.query = url.query.map { visible($0, but: "") }
    return url.description
  }

  private static func visible(_ text: String, but special: String) -> String {
    text.utf8.reduce(into: "") { result, byte in
      if 0x21...0x7E ~= byte, !special.utf8.contains(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += byte < 0x10 ? "%0\(digits)" : "%\(digits)"
      }
    }
  }

  /// Returns the query's parameters, decoded as forms are (WHATWG URL §5.1).
  private static func parameters(_ query: String?) -> JSON {
    let items = (query ?? "").split(separator: "&")
    return .array(
      items.map { item in
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return [
          "name": .text(decoded(parts[0])),
          "value": .text(parts.count > 1 ? decoded(parts[1]) : ""),
        ]
      }
    )
  }

  private static func decoded(_ text: Substring) -> String {
    let spaced = String(text.map { $0 == "+" ? " " : $0 })
    return spaced.removingPercentEncoding ?? spaced
  }
}

/// The cookies of a message, which HAR shows a second time.
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
        let pair = members(parts.first ?? "")
        return .object(pair + attributes(parts.dropFirst()))
      }
    )
  }

  private static func members(_ pair: Substring) -> [JSON.Member] {
    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let texts = parts.map { String($0.trimmingOptionalWhitespace()) }
    // A cookie without "=" is all value.
    let (name, value) = texts.count == 2 ? (texts[0], texts[1]) : ("", texts.first ?? "")
    return [JSON.Member("name", .text(name)), JSON.Member("value", .text(value))]
  }

  private static func attributes(_ parts: ArraySlice<Substring>) -> [JSON.Member] {
    var found: [String: String] = [:]
    for part in parts {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = (pair.first ?? "").trimmingOptionalWhitespace().lowercased()
      // The last of several counts (RFC 6265 §5.3).
      found[name] = pair.count > 1 ? String(pair[1].trimmingOptionalWhitespace()) : ""
    }
    var members: [JSON.Member] = []
    if let path = found["path"] { members.append(JSON.Member("path", .text(path))) }
    if let domain = found["domain"] { members.append(JSON.Member("domain", .text(domain))) }
    if let date = found["expires"].flatMap({ DateText.sinceEpoch(http: $0) }) {
      members.append(JSON.Member("expires", .text(DateText.text(date))))
    }
    if found["httponly"] != nil { members.append(JSON.Member("httpOnly", true)) }
    if found["secure"] != nil { members.append(JSON.Member("secure", true)) }
    return members
  }
}
