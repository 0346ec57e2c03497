internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// One interaction as `cassette show --json` tells it.
struct ShownInteraction {
  private let interaction: Interaction
  private let number: Int

  init(_ interaction: Interaction, number: Int) {
    (self.interaction, self.number) = (interaction, number)
  }

  /// What stands in the list: `status` and `bytes` are `null` where there is no answer, and `failure`
  /// where it is whole.
  var json: JSON { .object(members) }

  /// The same with fields and bodies; a body is opened for reading, and `null` where it is no text.
  var wholeJSON: JSON {
    let response = interaction.response.map { response in
      Self.message(response.headers, response.body)
    }
    let rest: [JSON.Member] = [
      JSON.Member("request", Self.message(interaction.request.headers, interaction.request.body)),
      JSON.Member("response", response ?? .null),
    ]
    return .object([JSON.Member("windtunnelShow", 1)] + members + rest)
  }

  private var members: [JSON.Member] {
    let request = interaction.request
    let response = interaction.response
    return [
      JSON.Member("number", .number(number)), JSON.Member("method", .text(request.method)),
      JSON.Member("url", .text("\(request.url)")),
      JSON.Member("status", response.map { .number($0.status) } ?? .null),
      JSON.Member("bytes", response.map { .number($0.body.count) } ?? .null),
      JSON.Member("type", response?.headers["Content-Type"].map { .text($0) } ?? .null),
      JSON.Member("failure", interaction.failure.map { .text($0.symptom.rawValue) } ?? .null),
      JSON.Member("recordedAt", interaction.recordedAt.map { .text($0) } ?? .null),
    ]
  }

  private static func message(_ headers: HeaderFields, _ body: Body) -> JSON {
    let coding = headers["Content-Encoding"] ?? ""
    let opened = Inflate.open(body.data, coding: coding).map { Body($0) } ?? body
    return [
      "headers": .array(headers.map { [.text($0.name), .text($0.value)] }),
      "text": opened.text.map { .text($0) } ?? .null,
    ]
  }
}
