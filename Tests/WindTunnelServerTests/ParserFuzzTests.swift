import Foundation
import Testing

@testable import WindTunnel
@testable import WindTunnelServer

@Suite struct ParserFuzzTests {
  /// Mutations of good messages: what a parser accepts must mean the same when it is written down
  /// again, whole and however it is cut.
  @Test(arguments: UInt64(0)..<8)
  func `a mutated request is refused, or means the same when it is written again`(
    seed: UInt64
  ) throws {
    var numbers = SeededNumbers(state: seed)
    for _ in 0..<500 {
      let bytes = Self.mutated(RequestParserTests.good, &numbers)
      var parser = RequestParser()
      let events = parser.events(of: bytes, by: bytes.count + 1)
      var cut = RequestParser()
      #expect(cut.events(of: bytes, by: Int.random(in: 1...9, using: &numbers)) == events)
      for (head, content, trailers) in Self.messages(events) {
        var again = RequestParser()
        again.feed(Self.written(head, content, trailers))
        let second = Self.messages(again.events())
        #expect(second.count == 1, "seed \(seed): \(bytes)")
        #expect(second.first?.0.headers == head.headers)
        #expect(second.first?.0.target == head.target)
        #expect(second.first?.1 == content)
        #expect(second.first?.2 == trailers)
      }
    }
  }

  @Test(arguments: UInt64(0)..<8)
  func `a mutated answer is the same however it is cut`(seed: UInt64) {
    var numbers = SeededNumbers(state: seed)
    for _ in 0..<500 {
      let bytes = Self.mutated(ResponseParserTests.whole.map(\.1), &numbers)
      var (one, two) = (ResponseParser(), ResponseParser())
      one.expectAnswer(to: "GET")
      two.expectAnswer(to: "GET")
      let step = Int.random(in: 1...9, using: &numbers)
      #expect(two.events(of: bytes, by: step) == one.events(of: bytes, by: bytes.count + 1))
    }
  }

  private static func mutated(_ good: [String], _ numbers: inout SeededNumbers) -> [UInt8] {
    let spice = Array("\r\n\t :;,0123456789abcxyz\u{0}\u{7F}é".utf8)
    var bytes = Array((good.randomElement(using: &numbers) ?? "").utf8)
    if Bool.random(using: &numbers) {
      bytes += Array((good.randomElement(using: &numbers) ?? "").utf8)
    }
    for _ in 0..<Int.random(in: 1...4, using: &numbers) {
      let place = Int.random(in: 0..<bytes.count, using: &numbers)
      let byte = spice.randomElement(using: &numbers) ?? 0
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0: bytes[place] = byte
      case 1: bytes.insert(byte, at: place)
      case 2: bytes.remove(at: place)
      default: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
      }
    }
    return bytes
  }

  /// The requests that came to their end.
  private static func messages(
    _ events: [RequestParser.Event]
  ) -> [(RequestHead, Data, HeaderFields)] {
    var whole: [(RequestHead, Data, HeaderFields)] = []
    var current: (RequestHead, Data, HeaderFields)?
    for event in events {
      switch event {
      case .head(let head): current = (head, Data(), [:])
      case .content(let data): current?.1 += data
      case .trailers(let fields): current?.2 = fields
      case .end: if let current { whole.append(current) }
      case .failed: current = nil
      }
    }
    return whole
  }

  private static func written(
    _ head: RequestHead,
    _ content: Data,
    _ trailers: HeaderFields
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(contentsOf: "\(head.method) \(head.target) \(head.version.rawValue)\r\n".utf8)
    bytes.appendFields(head.headers)
    switch head.framing {
    case .chunked:
      bytes.appendChunk(content)
      bytes.appendLastChunk(trailers: trailers)
    case .length, .none, .untilClose: bytes += content
    }
    return bytes
  }
}
