import Foundation
import Mutations
import WindTunnelSymptoms

@testable import WindTunnel

extension Generator {
  mutating func cassette() -> Cassette {
    var cassette = Cassette((0..<Int.random(in: 0...4, using: &self)).map { _ in interaction() })
    if Bool.random(using: &self) { cassette.notes = [JSON.Member("_note", ["a": [1, nil]])] }
    return cassette
  }

  private mutating func interaction() -> Interaction {
    let request = Request(
      pick(["GET", "POST", "M-SEARCH"]),
      RequestURL(pick(["https://a.example/b?c=%20d", "/users/{id}", "http://u:p@[::1]:8080/é"])),
      headers: headers(),
      body: body()
    )
    let response = Response(
      status: pick([100, 200, 204, 404, 999]),
      headers: headers(),
      body: body()
    )
    let failure = Failure(pick(Symptom.allCases), text: pick([nil, "", "line\nbreak"]))
    var interaction = Interaction(
      request,
      pick([.response(response), .cut(response, failure), .failure(failure)] as [RecordedResult]),
      then: pick([nil, .fail, .cycle, .repeat])
    )
    if Bool.random(using: &self) {
      let chunks = (0..<Int.random(in: 0...3, using: &self)).map { _ in
        Timing.Chunk(bytes: Int.random(in: 0...9999, using: &self), offset: moment())
      }
      interaction.timing = Timing(firstByte: moment(), lastByte: moment(), chunks: chunks)
    }
    interaction.recordedAt = pick([nil, "2025-11-03T10:00:00Z"])
    if Bool.random(using: &self) {
      interaction.messages = [
        WebSocketMessage(from: .server, Body(pick(["", "a"])), isText: true, offset: moment()),
        WebSocketMessage(from: .client, body(), isText: false, offset: moment()),
      ]
      interaction.innerNotes["messages[1]"] = [JSON.Member("_a", .number("1.50"))]
    }
    if Bool.random(using: &self) { interaction.notes = [JSON.Member("_", .null)] }
    return interaction
  }

  private mutating func headers() -> HeaderFields {
    HeaderFields(
      (0..<Int.random(in: 0...3, using: &self)).map { _ in
        HeaderField(pick(["A", "a", "X-Y"]), pick(["", "b, c", "é\t\"\\"]))
      }
    )
  }

  private mutating func body() -> Body {
    let texts = ["", "{}", "[1,2]", "{\n\t\"a\": []\n}", "{ }", "plain \u{7F}", "\r\n", "\u{2028}"]
    let bytes = (0..<Int.random(in: 0...40, using: &self)).map { _ in
      UInt8.random(in: 0...255, using: &self)
    }
    return Bool.random(using: &self) ? Body(pick(texts)) : Body(Data(bytes))
  }

  private mutating func moment() -> Duration {
    .microseconds(Int64.random(in: 0...10_000_000_000, using: &self))
  }
}
