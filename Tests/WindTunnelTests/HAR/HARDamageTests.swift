import Mutations
import TestSupport
import WindTunnel
import WindTunnelHAR

@Suite struct HARDamageTests {
  @Test(arguments: try TestData.rows("HAR/damaged.json", count: 13) as [(String, String)])
  func `a damaged file is refused in one sentence`(text: String, sentence: String) {
    let error = #expect(throws: FormatError.self) {
      try Cassette(har: Data(text.utf8), source: "a.har")
    }
    expectEqual(error?.description, sentence)
  }

  @Test(arguments: try TestData.rows("HAR/wrapped.json", count: 9) as [([UInt8], String)])
  func `another wrapping is called by its name`(bytes: [UInt8], sentence: String) {
    let error = #expect(throws: FormatError.self) {
      try Cassette(har: Data(bytes), source: "a.har")
    }
    expectEqual(error?.description, sentence)
  }

  @Test func `nesting beyond the limit is refused by line and column`() {
    let text = #"{"log": "# + String(repeating: "[", count: 5000)
    let error = #expect(throws: FormatError.self) {
      try Cassette(har: Data(text.utf8), source: "a.har")
    }
    expectEqual(error?.problem, "not JSON: nested deeper than 256 levels")
    expectEqual(error?.place, "line 1, column 265")
  }

  @Test func `no values at all where numbers, lists and strings are expected do no harm`() throws {
    let text = """
      {"log": {"version": 1.2, "entries": [{"startedDateTime": 7, "_a": null,
        "request": {"method": "GET", "url": "http://api.example.test", "headers": {"Accept": true},
          "postData": [], "bodySize": "many"},
        "response": {"status": "200", "headers": 7, "content": {"size": -1e999, "text": {"a": 1}}},
        "timings": {"wait": 1e999, "receive": -5}, "_webSocketMessages": 3}]}}
      """
    let cassette = try Cassette(har: Data(text.utf8), source: "a.har")
    expectEqual(
      cassette,
      Cassette([
        Interaction(
          Request("GET", "http://api.example.test/", headers: ["Accept": "true"]),
          Response(body: Body(#"{"a":1}"#))
        )
      ])
    )
  }

  /// 3,000 texts that are each a few edits away from a good one. What is read must be a cassette
  /// that can be written and read again; everything else must be refused, not crash.
  @Test(.bothTiers, arguments: [1, 2, 3] as [UInt64])
  func `no edit of a file does worse than a refusal`(seed: UInt64) throws {
    let good = har(oddEntry)
    let tree = try JSON(parsing: good, source: "a.har")
    var random = Generator(seed: seed)
    var readCount = 0
    for round in 0..<(Tier.includesWorld ? 1000 : 250) {
      var text = Array(good)
      if round % 2 == 0 {
        let place = random.below(text.count)
        let length = min(random.below(8), text.count - place)
        let snippet = ["null", "\"", "\\ud800", ",", "0", "é", "\u{0}"][random.below(7)]
        text.replaceSubrange(place..<place + length, with: Array(snippet.utf8))
      } else {
        text = random.edited(random.edited(tree)).bytes(.compact)
      }
      do throws(FormatError) {
        let cassette = try Cassette(har: Data(text), source: "a.har")
        // What cannot be read again is not equal, and the text says the rest.
        let again = try? Cassette(data: cassette.data(), source: "a.json")
        expectEqual(again, cassette, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
        readCount += 1
      } catch {
        #expect(error.source == "a.har" && !error.problem.isEmpty)
      }
    }
    #expect(100..<1000 ~= readCount)
  }
}

extension Generator {
  fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// The tree with one value somewhere in it replaced.
  fileprivate mutating func edited(_ json: JSON) -> JSON {
    let others: [JSON] = [
      nil, true, -1, 7, .number("1e999"), "", "a\r\nb", "YQ", [], ["a", nil], .object([]),
    ]
    switch json {
    case .array(var elements) where !elements.isEmpty && below(8) > 0:
      let index = below(elements.count)
      elements[index] = edited(elements[index])
      return .array(elements)
    case .object(var members) where !members.isEmpty && below(12) > 0:
      let index = below(members.count)
      members[index].value = edited(members[index].value)
      return .object(members)
    default: return others[below(others.count)]
    }
  }
}
