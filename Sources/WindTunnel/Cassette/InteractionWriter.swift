internal import Foundation
internal import Symptoms

/// Writes the slots of one interaction in their fixed order.
struct InteractionWriter {
  let sideFile: (Data) throws -> String?

  func json(_ interaction: Interaction) throws -> JSON {
    var members = [JSON.Member("request", try request(interaction.request))]
    switch interaction.answer {
    case .response(let response): members.append(JSON.Member("response", try json(response)))
    case .failure(let failure): members.append(JSON.Member("failure", json(failure)))
    case .cut(let response, let failure):
      members.append(JSON.Member("response", try json(response)))
      members.append(JSON.Member("failure", json(failure)))
    }
    if let timing = interaction.timing { members.append(JSON.Member("timing", json(timing))) }
    if !interaction.messages.isEmpty {
      members.append(JSON.Member("messages", .array(interaction.messages.map(json))))
    }
    if let then = interaction.then { members.append(JSON.Member("then", .text(then.rawValue))) }
    if let date = interaction.recordedAt { members.append(JSON.Member("recordedAt", .text(date))) }
    return .object(members + interaction.notes)
  }

  private func request(_ request: Request) throws -> JSON {
    var members = [
      JSON.Member("method", .text(request.method)),
      JSON.Member("url", .text(request.url.description)),
    ]
    if !request.headers.isEmpty { members.append(headers(request.headers)) }
    return .object(members + (try body(request.body)))
  }

  private func json(_ response: Response) throws -> JSON {
    .object(
      [JSON.Member("status", .number(response.status)), headers(response.headers)]
        + (try body(response.body))
    )
  }

  private func headers(_ fields: HeaderFields) -> JSON.Member {
    JSON.Member("headers", .array(fields.map { .array([.text($0.name), .text($0.value)]) }))
  }

  /// How deep a body may nest to be stored as structure: it stands four levels down in a file
  /// that is itself read to ``JSONParser/depthMax``.
  private static let bodyDepthMax = JSONParser.depthMax - 8

  private func body(_ body: Body) throws -> [JSON.Member] {
    let data = body.data
    if data.isEmpty { return [] }
    if let name = try sideFile(data) { return [JSON.Member("file", .text(name))] }
    if let (json, layout) = Self.structure(data) {
      let spelled = layout == .compact ? [] : [JSON.Member("layout", .text(layout.name))]
      return spelled + [JSON.Member("json", json)]
    }
    if let text = body.text, !text.unicodeScalars.contains("\0") {
      return [JSON.Member("text", .text(text))]
    }
    return [JSON.Member("base64", .text(data.base64EncodedString()))]
  }

  /// The structure of a JSON body and the layout that gives its bytes back, if there is one.
  /// A bare number or word stays text: nobody gains by calling it JSON.
  static func structure(_ data: Data) -> (JSON, JSON.Layout)? {
    guard data.first == UInt8(ascii: "{") || data.first == UInt8(ascii: "["),
      // A body that is no JSON is kept as text, so the reason does not matter.
      let json = try? JSONParser.parse(data, depthMax: bodyDepthMax)
    else { return nil }
    return JSON.Layout.all.first { data.elementsEqual(json.bytes($0)) }.map { (json, $0) }
  }

  private func json(_ failure: Failure) -> JSON {
    .object(
      [JSON.Member("symptom", .text(failure.symptom.rawValue))]
        + (failure.text.map { [JSON.Member("text", .text($0))] } ?? [])
    )
  }

  private func json(_ timing: Timing) -> JSON {
    var members = [
      JSON.Member("firstByteMilliseconds", .number(timing.firstByte.inMilliseconds, places: 3)),
      JSON.Member("lastByteMilliseconds", .number(timing.lastByte.inMilliseconds, places: 3)),
    ]
    if !timing.chunks.isEmpty {
      let chunks = timing.chunks.map { chunk in
        JSON.array([.number(chunk.bytes), .number(chunk.offset.inMilliseconds, places: 3)])
      }
      members.append(JSON.Member("chunks", .array(chunks)))
    }
    return .object(members)
  }

  private func json(_ message: WebSocketMessage) -> JSON {
    let content =
      message.isText
      ? JSON.Member("text", .text(message.body.text ?? ""))
      : JSON.Member("base64", .text(message.body.data.base64EncodedString()))
    return .object([
      JSON.Member("from", .text(message.sender.rawValue)), content,
      JSON.Member("offsetMilliseconds", .number(message.offset.inMilliseconds, places: 3)),
    ])
  }
}
