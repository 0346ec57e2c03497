import Mutations
import TestSupport

@testable import WindTunnelHTTP

/// The ends of the events of a streamed body, and the identifiers by which a client comes back.
@Suite struct EventStreamTests {
  /// The events as a client is told of them, and their identifiers.
  private static func events(_ body: String, _ format: EventStream.Format = .serverSent) -> [String]
  {
    var start = 0
    return EventStream(Data(body.utf8), format).events.map { event in
      defer { start = event.end }
      let bytes = Array(body.utf8)[start..<event.end]
      return String(decoding: bytes, as: UTF8.self) + (event.id.isEmpty ? "" : "#\(event.id)")
    }
  }

  // The examples of WHATWG HTML §9.2.6, and each end of a line.
  @Test(
    arguments: try TestData.rows("event-streams.json", count: 16) as [(String, [String])]
      // Foundation drops byte order marks of texts in JSON.
      + [("\u{FEFF}data: a\n\n", ["\u{FEFF}data: a\n\n"]), ("\u{FEFF}\u{FEFF}data: a\n\n", [])]
  )
  func `an event ends with an empty line, and is one with data alone`(
    body: String,
    expected: [String]
  ) {
    expectEqual(Self.events(body), expected)
  }

  @Test func `lines and sequences of JSON have events, too`() {
    expectEqual(
      Self.events("{\"a\":1}\n\n  \n{\"b\":2}\n{\"cut\"", .lines),
      ["{\"a\":1}\n", "\n  \n{\"b\":2}\n"]
    )
    expectEqual(
      Self.events("\u{1E}{\"a\":1}\n\u{1E}\u{1E}2\n\u{1E}[cut", .sequence),
      ["\u{1E}{\"a\":1}\n", "\u{1E}\u{1E}2\n"]
    )
    expectEqual(EventStream.Format(contentType: "text/event-stream; charset=utf-8"), .serverSent)
    expectEqual(EventStream.Format(contentType: "Application/X-NDJSON"), .lines)
    expectEqual(EventStream.Format(contentType: "application/json-seq"), .sequence)
    expectNil(EventStream.Format(contentType: "application/json"))
  }

  @Test func `no bytes are too much for it, and ends grow`() {
    var generator = Generator(seed: 11)
    let seed = Array("id: 1\r\ndata: é\n\n: c\n\u{1E}{}\n\rdata\r\revent: x\n\n".utf8)
    for _ in 0..<20_000 {
      let bytes = Data(generator.mutated(seed + seed))
      for format in [EventStream.Format.serverSent, .lines, .sequence] {
        let ends = EventStream(bytes, format).events.map(\.end)
        #expect(ends == ends.sorted() && Set(ends).count == ends.count)
        #expect(ends.allSatisfy { 1...bytes.count ~= $0 })
      }
    }
  }

  @Test func `an event begins behind what is none`() {
    let body = ": keep alive\n\nid: 1\ndata: a\n\n\ndata: b\n\n"
    let events = EventStream(Data(body.utf8), .serverSent).events
    #expect(events.map(\.start) == [14, 30] && events.map(\.end) == [29, 39])
  }

  @Test func `fields of an event block are parsed by the standard, in incomplete blocks as well`() {
    func fields(_ block: String) -> EventFields { EventFields(Data(block.utf8)) }
    let all = fields("id: 7\revent:x\r\nretry: 10\n: c\ndata: a\ndata:  b\ndata\ndata: é")
    #expect(all.id == "7" && all.event == "x" && all.retry == "10")
    expectEqual(all.data, Data("a\n b\n\né".utf8))
    let none = fields("id: a\u{0}b\nretry: -1\nretry: soon\nretry\nDATA: x\n\n")
    expectEqual(none, fields(""))
    expectEqual(fields("id\n").id, "")
  }

  @Test func `parts of a stream end with blocks, and make the whole`() {
    var generator = Generator(seed: 12)
    let seed = Array("id: 1\r\ndata: é\n\n: c\n\u{1E}{}\n\rdata\r\revent: x\n\n{}\r\n\r\n".utf8)
    for _ in 0..<2_000 {
      let bytes = Data(generator.mutated(seed + seed + seed))
      for format in [EventStream.Format.serverSent, .lines, .sequence] {
        let parts = Array(EventBatches(Body(bytes), format, bytes: 8))
        #expect(parts.first?.lowerBound ?? 0 == 0 && parts.last?.upperBound ?? 0 == bytes.count)
        #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        let whole: [Data] = EventStream(bytes, format).events.map { Data(bytes[$0.start..<$0.end]) }
        var apart: [Data] = []
        for place in parts {
          let part = Data(bytes[place])
          for event in EventStream(part, format).events {
            apart.append(Data(part[event.start..<event.end]))
          }
        }
        expectEqual(apart, whole, "\(Array(bytes))")
      }
    }
  }

  @Test func `a block that is too large to be read is told by its part`() {
    let body = Body("data: 1\n\ndata: \(String(repeating: "x", count: 40))\n\ndata: 3\n\n")
    let parts = EventBatches(body, .serverSent, bytes: 8, atMost: 20)
    #expect(parts.map(\.count).first == 9 && parts.map(\.count).contains(21))
    expectEqual(Array(EventBatches(body, .serverSent, bytes: 8, atMost: 60)).map(\.count), [9, 57])
  }
}
