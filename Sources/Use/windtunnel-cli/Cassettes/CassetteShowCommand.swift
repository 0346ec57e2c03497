internal import WindTunnelSymptoms

enum CassetteShowCommand: Command {
  static let name = "cassette show"
  static let summary = "List the interactions of a cassette, one per line."
  static let synopsis = "FILE [--number N] [--json]"
  static let example = "windtunnel cassette show Cassettes/examples/shop.json"
  static let operandsMax = 1
  static let flags = [
    Flag("--number", "N", "Show the fields and the decoded body of this interaction."),
    Flag("--json", nil, "Print the same as JSON."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let path = try arguments.operand(0, "FILE", "the cassette to show")
    let cassette = try CassetteFile.read(path)
    let interactions = cassette.interactions
    if let number = try arguments.int("--number", in: 1...Int.max) {
      guard number <= interactions.count else {
        throw CommandError.usage(
          "Interaction #\(number) does not exist; the last is #\(interactions.count)."
        )
      }
      let interaction = interactions[number - 1]
      return arguments.has("--json")
        ? Terminal.answer(interaction.wholeJSON(number))
        : Terminal.answer(Self.whole(interaction))
    }
    if arguments.has("--json") {
      let list = interactions.enumerated().map { JSON.object($1.members($0 + 1)) }
      return Terminal.answer(
        ["windtunnelShow": 1, "file": .text(path), "interactions": .array(list)] as JSON
      )
    }
    for (number, interaction) in zip(1..., interactions) {
      let (request, outcome) = (interaction.request, Self.outcome(interaction))
      Terminal.answer(line: "#\(number) \(request.method) \(request.url) → \(outcome)")
    }
    return .done
  }

  private static func outcome(_ interaction: Interaction) -> String {
    func told(_ response: Response) -> String {
      "\(response.status), \(response.body.count) bytes"
        + (response.headers["Content-Type"].map { " of \($0)" } ?? "")
    }
    return switch interaction.result {
    case .response(let response): told(response)
    case .failure(let failure): failure.symptom.rawValue
    case .cut(let response, let failure): "\(told(response)), then \(failure.symptom.rawValue)"
    }
  }

  private static func whole(_ interaction: Interaction) -> String {
    let request = interaction.request
    var text = "\(request.method) \(request.url)\n" + fields(request.headers)
    text += readable(request.body, request.headers)
    text += "\n→ \(outcome(interaction))\n"
    if let response = interaction.response {
      text += fields(response.headers)
      let events = interaction.events.map { event in
        String(decoding: event.json.bytes(), as: UTF8.self) + "\n"
      }
      text +=
        events.isEmpty
        ? readable(response.body, response.headers) : "\n\(events.joined())"
      if !response.trailers.isEmpty { text += "\n" + fields(response.trailers) }
    }
    return text
  }

  private static func fields(_ headers: HeaderFields) -> String {
    headers.map { "\($0.name): \($0.value)\n" }.joined()
  }

  private static func readable(_ body: Body, _ headers: HeaderFields) -> String {
    guard !body.data.isEmpty else { return "" }
    let coding = headers.values("Content-Encoding").joined(separator: ", ")
    let opened = headers.openedBody(body)
    let note = coding.isEmpty ? "" : " (\(coding), opened)"
    guard let text = opened.text else { return "\n\(opened.data.count) binary bytes\(note)\n" }
    return "\n\(text)\(text.hasSuffix("\n") ? "" : "\n")"
  }
}

// An interaction as `cassette show --json` prints it.
extension Interaction {
  /// Returns its entry with fields and bodies. A body is decoded, and `null` if it is not text.
  fileprivate func wholeJSON(_ number: Int) -> JSON {
    let events = events.map(\.json)
    let response = self.response.map { response in
      JSON.object(
        Self.message(response.headers, response.body)
          + JSON.members(["events": events.isEmpty ? JSON?.none : .array(events)])
          + (response.trailers.isEmpty ? [] : [Self.fields("trailers", response.trailers)])
      )
    }
    let rest = JSON.members([
      "request": .object(Self.message(request.headers, request.body)),
      "response": response ?? .null,
    ])
    return .object(JSON.members(["windtunnelShow": 1]) + members(number) + rest)
  }

  /// Returns its entry in the list.
  ///
  /// `status` and `bytes` are `null` if there is no response, `failure` is `null` if it is
  /// complete.
  fileprivate func members(_ number: Int) -> [JSON.Member] {
    JSON.members([
      "number": .number(number), "method": .text(request.method), "url": .text("\(request.url)"),
      "status": .orNull(response?.status), "bytes": .orNull(response?.body.count),
      "type": .orNull(response?.headers["Content-Type"]),
      "failure": .orNull(failure?.symptom.rawValue),
      "recordedAt": .orNull(recordedAt),
    ])
  }

  private static func message(_ headers: HeaderFields, _ body: Body) -> [JSON.Member] {
    [fields("headers", headers), JSON.Member("text", .orNull(headers.openedBody(body).text))]
  }

  private static func fields(_ key: JSON.Text, _ fields: HeaderFields) -> JSON.Member {
    JSON.Member(key, .array(fields.map { [.text($0.name), .head($0.value)] }))
  }
}

extension HeaderFields {
  /// Returns a body without its content coding, if it can be decoded.
  fileprivate func openedBody(_ body: Body) -> Body {
    opened(body.data).map { Body($0.content) } ?? body
  }
}

extension StreamedEvent {
  /// The event's fields and its time, without missing members.
  fileprivate var json: JSON {
    .object(
      JSON.members([
        "offsetMilliseconds": offset.map { .number($0.inMilliseconds, places: 3) },
        "id": id.map { .text($0) }, "event": type.map { .text($0) },
        "retryMilliseconds": retryMilliseconds.map { .number($0) }, "data": .text(data),
      ])
    )
  }
}
