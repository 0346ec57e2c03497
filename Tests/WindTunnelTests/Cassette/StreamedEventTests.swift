import TestSupport
import WindTunnel
import WindTunnelSymptoms

/// The events of a recorded stream as values, and changes to them.
@Suite struct StreamedEventTests {
  private static func interaction(
    _ pieces: [(text: String, milliseconds: Int)],
    type: String = "text/event-stream",
    headers: HeaderFields = [:]
  ) -> Interaction {
    var headers = headers
    headers["Content-Type"] = type
    return Interaction(
      Request("GET", "/events"),
      .response(Response(headers: headers, body: Body(pieces.map(\.text).joined()))),
      timing: Timing(
        firstByte: .milliseconds(5),
        lastByte: .milliseconds(99),
        chunks: pieces.map {
          Timing.Chunk(bytes: $0.text.utf8.count, offset: .milliseconds($0.milliseconds))
        }
      )
    )
  }

  private static let stream = interaction([
    ("\u{FEFF}: hello\n\nid: 1\ndata: a\n\nid: 2\nevent: de", 10),
    ("lta\nretry: 300\n: why\ndata: b\ndata: c\n\n", 20), ("id\ndata: d\n\ndata: cut", 30),
  ])

  @Test func `events are what they say and when they were there`() {
    let events = Self.stream.events
    expectEqual(events.map(\.id), ["1", "2", ""])
    expectEqual(events.map(\.type), [nil, "delta", nil])
    expectEqual(events.map(\.data), ["a", "b\nc", "d"])
    expectEqual(events.map(\.retryMilliseconds), [nil, 300, nil])
    expectEqual(events.map(\.offset), [10, 20, 30].map { .milliseconds($0) })
    var timeless = Self.stream
    timeless.timing = nil
    expectEqual(timeless.events.map(\.offset), [nil, nil, nil])
    timeless.timing = Timing(firstByte: .zero, lastByte: .seconds(1))
    expectEqual(timeless.events.map(\.offset), [.seconds(1), .seconds(1), .seconds(1)])
  }

  @Test func `what streams no events has none, and is not edited`() {
    for other in [
      Self.interaction([("data: a\n\n", 1)], type: "text/plain"),
      Self.interaction([("data: a\n\n", 1)], headers: ["Content-Encoding": "gzip"]),
      Interaction(Request("GET", "/"), .failure(Failure(.timedOut))),
    ] {
      var edited = other
      edited.editEvents { $0.data = "none" }
      #expect(other.events == [] && edited == other)
    }
  }

  @Test func `an event that is changed keeps all else, and pieces keep their times`() {
    var edited = Self.stream
    edited.editEvents { event in
      if event.id == "2" {
        event.data = "one line"
        event.retryMilliseconds = nil
      }
    }
    expectEqual(
      edited,
      Self.interaction([
        ("\u{FEFF}: hello\n\nid: 1\ndata: a\n\nid: 2\nevent: de", 10),
        ("lta\n: why\ndata: one line\n\n", 20), ("id\ndata: d\n\ndata: cut", 30),
      ])
    )
    expectEqual(edited.events.map(\.data), ["a", "one line", "d"])
  }

  @Test func `fields come and go, in the ends of lines that the event has`() {
    var edited = Self.interaction(
      [("data: a\r\nid: 1\r\n\r\ndata: b\r\rdata: c\n\n", 1)],
      headers: ["Content-Length": "36", "Content-MD5": "abc"]
    )
    edited.editEvents { event in
      if event.data == "a" { (event.id, event.data) = (nil, "x\ny") }
      if event.data == "b" { (event.type, event.retryMilliseconds) = ("t\nu", 0) }
      if event.data == "c" { event.id = "3" }
    }
    let body =
      "data: x\r\ndata: y\r\n\r\ndata: b\revent: tu\rretry: 0\r\rdata: c\nid: 3\n\n"
    expectEqual(edited.response?.body.text, body)
    expectEqual(
      edited.response?.headers,
      ["Content-Length": "\(body.utf8.count)", "Content-Type": "text/event-stream"]
    )
    expectEqual(
      edited.timing?.chunks,
      [Timing.Chunk(bytes: body.utf8.count, offset: .milliseconds(1))]
    )
  }

  @Test func `lines and sequences have data alone`() {
    var lines = Self.interaction(
      [("{\"n\":1}\r\n\n", 1), ("{\"n\":2}\n{\"cut", 2)],
      type: "application/x-ndjson"
    )
    expectEqual(lines.events.map(\.data), ["{\"n\":1}", "{\"n\":2}"])
    expectEqual(lines.events.map(\.offset), [.milliseconds(1), .milliseconds(2)])
    lines.editEvents { event in
      if event.data.contains("1") { (event.data, event.id) = ("{\n}", "9") }
    }
    expectEqual(
      lines,
      Self.interaction([("{ }\r\n\n", 1), ("{\"n\":2}\n{\"cut", 2)], type: "application/x-ndjson")
    )
    var sequence = Self.interaction([("\u{1E}1\n\u{1E}2\n", 1)], type: "application/json-seq")
    sequence.editEvents { $0.data += "0" }
    expectEqual(sequence.response?.body.text, "\u{1E}10\n\u{1E}20\n")
    expectEqual(sequence.events.map(\.data), ["10", "20"])
  }

  @Test func `an answer that was cut stays cut`() {
    var cut = Self.stream
    let failure = Failure(.connectionLost)
    cut.result = .cut(
      Response(headers: ["Content-Type": "text/event-stream"], body: Body("data: a\n\n")),
      failure
    )
    cut.editEvents { $0.data = "b" }
    #expect(cut.response?.body.text == "data: b\n\n" && cut.failure == failure)
  }
}
