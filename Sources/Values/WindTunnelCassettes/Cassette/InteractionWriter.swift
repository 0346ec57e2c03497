internal import Foundation
internal import WindTunnelSymptoms

/// A writer of the members of one interaction, in their fixed order.
package struct InteractionWriter {
  private let sideFile: (Body) throws -> String?
  /// Whether JSON bodies are written as structure if that restores their bytes.
  private let keepsStructure: Bool

  package init(sideFile: @escaping (Body) throws -> String?, keepsStructure: Bool = true) {
    (self.sideFile, self.keepsStructure) = (sideFile, keepsStructure)
  }

  package func json(_ interaction: Interaction) throws -> JSON {
    let notes = interaction.innerNotes
    func object(_ place: String, _ members: [JSON.Member]) -> JSON {
      .object(members + (notes[place] ?? []))
    }
    let (result, messages) = (interaction.response, interaction.messages)
    return .object(
      JSON.members([
        "request": object("request", try request(interaction.request)),
        "response": try result.map { object("response", try members($0, interaction)) },
        "failure": interaction.failure.map { object("failure", members($0)) },
        "timing": interaction.timing.map { object("timing", members($0)) },
        "messages": messages.isEmpty
          ? JSON?.none
          : .array(
            try messages.enumerated().map { object("messages[\($0)]", try members($1)) }
          ),
        "then": interaction.then.map { .text($0.rawValue) },
        "recordedAt": interaction.recordedAt.map { .text($0) },
      ]) + interaction.notes
    )
  }

  private func request(_ request: Request) throws -> [JSON.Member] {
    JSON.members([
      "method": .text(request.method), "url": .head(request.url.description),
      "headers": request.headers.isEmpty ? JSON?.none : Self.headers(request.headers),
    ]) + (try body(request.body, request.headers))
  }

  private func members(_ response: Response, _ interaction: Interaction) throws -> [JSON.Member] {
    let (trailers, joined) = (response.trailers, interaction.joined)
    // A digest of the body may be in the trailers.
    let all = HeaderFields(Array(response.headers) + trailers)
    return JSON.members([
      "status": .number(response.status),
      "reason": response.head.customReasonPhrase.map { .head($0) },
      "informational": Self.interims(response.head, interaction.innerNotes),
      "headers": Self.headers(response.headers),
      "trailers": trailers.isEmpty ? JSON?.none : Self.headers(trailers),
      "joined": joined.isEmpty ? JSON?.none : .texts(joined),
    ]) + (try body(response.body, all))
  }

  /// The interim responses of a head with their notes; `nil` if there are none.
  package static func interims(_ head: ResponseHead, _ notes: [String: [JSON.Member]]) -> JSON? {
    if head.informational.isEmpty { return nil }
    return .array(
      head.informational.enumerated().map { index, head in
        let members: JSON = ["status": .number(head.status), "headers": headers(head.headers)]
        return members.adding(notes["informational[\(index)]"] ?? [])
      }
    )
  }

  private static func headers(_ fields: HeaderFields) -> JSON {
    .array(fields.map { .array([.text($0.name), .head($0.value)]) })
  }

  /// The maximum nesting of a body that is stored as structure. The body is nested four levels deep
  /// in the file, which is itself read up to ``JSONParser/depthMax``.
  private static let bodyDepthMax = JSONParser.depthMax - 8

  private func body(_ body: Body, _ headers: HeaderFields) throws -> [JSON.Member] {
    if body.count == 0 { return [] }
    if let name = try sideFile(body) { return [JSON.Member("file", .text(name))] }
    if keepsStructure, headers.haveFreeGzip, let (form, content) = GzipForm.of(body.data),
      let readable = readable(content)
    {
      return [JSON.Member("gzip", .numbers(form.numbers))] + readable
    }
    return readable(body.data) ?? [JSON.Member("base64", .text(body.data.base64EncodedString()))]
  }

  /// Returns a body in readable form; `nil` if it is not readable.
  private func readable(_ data: Data) -> [JSON.Member]? {
    if let structured = structured(data) { return structured }
    guard let text = String(utf8: data),
      text.utf8.withContiguousStorageIfAvailable(Self.isReadable) != false
    else { return nil }
    return [JSON.Member("text", .text(text))]
  }

  /// Whether a text is readable: it has no zero byte, and control characters are at most one in
  /// five bytes.
  ///
  /// A JSON string needs six bytes for each control character (RFC 8259 §7), so such a text is
  /// shorter in base64.
  private static func isReadable(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if text.has(0) { return false }
    var count = 0
    for byte in text where byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D {
      count += 1
    }
    return count * 5 <= text.count
  }

  /// Returns the structure of a JSON body and the layout that restores its bytes; `nil` if there is
  /// none. A bare number or literal stays text.
  static func structure(_ data: Data) -> (JSON, JSON.Layout)? {
    guard data.first == UInt8(ascii: "{") || data.first == UInt8(ascii: "["),
      // A body that is not JSON is stored as text, so the reason does not matter.
      let json = try? JSONParser.parse(data, depthMax: bodyDepthMax)
    else { return nil }
    return JSON.Layout.all.first { data.elementsEqual(json.bytes($0)) }.map { (json, $0) }
  }

  /// Returns the members of a body as structure; `nil` if it cannot be restored.
  private func structured(_ data: Data) -> [JSON.Member]? {
    guard keepsStructure, let (json, layout) = Self.structure(data) else { return nil }
    return JSON.members([
      "layout": layout == .compact ? JSON?.none : .text(layout.name), "json": json,
    ])
  }

  private func members(_ failure: Failure) -> [JSON.Member] {
    JSON.members([
      "symptom": .text(failure.symptom.rawValue), "text": failure.text.map { .text($0) },
    ])
  }

  private func members(_ timing: Timing) -> [JSON.Member] {
    let chunks = timing.chunks.map { chunk in
      JSON.array([.number(chunk.bytes), .number(chunk.offset.inMilliseconds, places: 3)])
    }
    return JSON.members([
      "firstByteMilliseconds": .number(timing.firstByte.inMilliseconds, places: 3),
      "lastByteMilliseconds": .number(timing.lastByte.inMilliseconds, places: 3),
      "chunks": chunks.isEmpty ? JSON?.none : .array(chunks),
    ])
  }

  private func members(_ message: WebSocketMessage) throws -> [JSON.Member] {
    var members = [JSON.Member("from", .text(message.sender.rawValue))]
    switch message.kind {
    case .close(let code):
      members.append(JSON.Member("close", .number(code)))
      if message.body.count > 0 { members.add("text", .text(message.body.text ?? "")) }
    case .text: members += texts(message.body)
    case .binary:
      members.append(
        try sideFile(message.body).map { JSON.Member("file", .text($0)) }
          ?? JSON.Member("base64", .text(message.body.data.base64EncodedString()))
      )
    }
    return members
      + JSON.members([
        "fragments": message.fragments.isEmpty ? JSON?.none : .numbers(message.fragments),
        "offsetMilliseconds": .number(message.offset.inMilliseconds, places: 3),
        "after": message.cause.map { .number($0) },
      ])
  }

  /// Returns the content of a text message. It is never in a side file, because a side file does
  /// not record that it is text.
  private func texts(_ body: Body) -> [JSON.Member] {
    structured(body.data) ?? body.text.map { [JSON.Member("text", .text($0))] }
      ?? [JSON.Member("base64", .text(body.data.base64EncodedString()))]
  }
}
