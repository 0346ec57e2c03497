import Mutations
import TestSupport

@testable import WindTunnel
@testable import WindTunnelReports

@Suite struct GateParserTests {
  private func gate(
    _ text: String,
    _ metric: GateMetric,
    of endpoint: RequestPattern? = nil,
    _ comparison: Gate.Comparison,
    _ bar: Gate.Bar
  ) -> Gate {
    Gate(description: text, metric: metric, endpoint: endpoint, comparison: comparison, bar: bar)
  }

  @Test func `a gate is a metric, perhaps an endpoint, a comparison and a value`() throws {
    let expected = [
      gate("successRate >= 0.99", .successRate, .atLeast, .figure(0.99)),
      gate("successRate>=99.9%", .successRate, .atLeast, .figure(0.999)),
      gate(" successRate.lower\t> 95 % ", .successRateLower, .above, .figure(0.95)),
      gate("successRateLower >= 1", .successRateLower, .atLeast, .figure(1)),
      gate("averageRetries <= 1.5", .averageRetries, .atMost, .figure(1.5)),
      gate("p95(POST /payments) <= 3s", .p95, of: "POST /payments", .atMost, .figure(3_000_000)),
      gate("p95( /a/(b)/* )<800ms", .p95, of: "/a/(b)/*", .below, .figure(800_000)),
      gate("p90 < 0.8 s", .p90, .below, .figure(800_000)),
      gate("p99Milliseconds <= 41.237", .p99, .atMost, .figure(41_237)),
      gate("maxMilliseconds <= 2s", .max, .atMost, .figure(2_000_000)),
      gate("max != 0ms", .max, .unequal, .figure(0)),
      gate("blankScreens == 0", .blankScreens, .equal, .figure(0)),
      gate("p95 <= baseline", .p95, .atMost, .baseline(times: 1)),
      gate("p95 <= baseline*1.10", .p95, .atMost, .baseline(times: 1.1)),
      gate("calls(* /x) >= baseline * 90 %", .calls, of: "* /x", .atLeast, .baseline(times: 0.9)),
    ]
    for gate in expected { try expectEqual(Gate(gate.description), gate) }
  }

  @Test func `every metric has the name of its key and the name that people use`() throws {
    let names = TestData.text("gate-metrics.txt").split(separator: "\n").map(String.init)
    expectEqual(GateMetric.names, names)
    // Where a figure stands by itself it bears its key; the others stand in an object of their own.
    let figures = JSON.object(Metrics([]).members)
    guard case .object(let members) = figures, case .object(let ends)? = figures["latencyIntervals"]
    else {
      Issue.record("\(figures)")
      return
    }
    let keys = Set((members + ends).map(\.name.value))
    let elsewhere = GateMetric.allCases.filter { !keys.contains($0.key) }
    expectEqual(
      elsewhere,
      [.succeededP95, .failedP95, .coverage] + GateMetric.allCases.filter(\.isOfPair)
    )
    for name in GateMetric.names { #expect(GateMetric(name: name) != nil) }
  }

  static let all = "There are \(GateMetric.allCases.map(\.rawValue).joined(separator: ", "))."

  @Test(arguments: try TestData.rows("refused-gates.json", count: 29) as [(String, Int, String)])
  func `a gate that does not read is refused with its place`(
    text: String,
    column: Int,
    sentence: String
  ) {
    let sentence = sentence.replacing("⟨metrics⟩", with: Self.all)
    expectEqual(refusal { try Gate(text) }, "gate \"\(text)\", column \(column): \(sentence)")
  }

  @Test func `a gate without end is refused, and not quoted whole`() {
    let text = "calls >= " + String(repeating: "1", count: 100_000)
    expectEqual(
      refusal { try Gate(text) },
      "gate \"\(text.prefix(80))…\", column 501: a gate has at most 500 characters."
    )
  }

  @Test(.world, arguments: 0..<40)
  func `no text crashes the reader, and what is read is what was written`(seed: UInt64) {
    var generator = Generator(seed: seed)
    let pieces =
      GateMetric.names + Gate.Comparison.allCases.map(\.rawValue) + [
        "(", ")", "(GET /home)", "(* /x/**)", " ", "\t", "%", "s", "ms", "baseline", "*", "1.10",
        "0", "99", ".", "-1", "≥", "\u{301}", "\u{1F469}\u{200D}\u{1F680}", "\n", "\0", "٣",
      ]
    var read = 0
    for round in 0..<400 {
      var text =
        round.isMultiple(of: 2)
        ? "\(generator.pick(GateMetric.names)) \(generator.pick([">=", "<", "=="])) 1"
        : (0..<Int.random(in: 0...6, using: &generator)).map { _ in generator.pick(pieces) }
          .joined()
      if round.isMultiple(of: 4) {
        text = String(decoding: generator.mutated(Array(text.utf8)), as: UTF8.self)
      }
      do throws(GateError) {
        let gate = try Gate(text)
        expectEqual(gate.description, text)
        expectEqual((try? Gate(gate.description)), gate)
        read += 1
      } catch {
        expectEqual(error.gate, text)
        #expect((1...text.count + 1).contains(error.column), "\(error)")
      }
    }
    #expect(read > 0, "none of the texts was a gate, so nothing was tried")
  }
}
