import Mutations
import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelCassettes
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
      gate("blankPages == 0", .blankPages, .equal, .figure(0)),
      gate("p95 <= baseline", .p95, .atMost, .baseline(times: 1)),
      gate("p95 <= baseline*1.10", .p95, .atMost, .baseline(times: 1.1)),
      gate("calls(* /x) >= baseline * 90 %", .calls, of: "* /x", .atLeast, .baseline(times: 0.9)),
    ]
    for gate in expected { try expectEqual(Gate(gate.description), gate) }
  }

  @Test func `every metric has the name of its key and the name that people use`() throws {
    expectEqual(
      GateMetric.names,
      [
        "calls", "successRate", "successRate.lower", "successRate.upper",
        "firstTrySuccessRate", "recoveredRate", "averageRetries", "retriesP95", "retriesMax",
        "amplification", "worstSecondAmplification", "silentRetries", "duplicates",
        "retryAfterCompliance", "earlyRetries", "thunderingHerdIndex", "p50", "p90", "p95",
        "p99", "max", "p50.upper", "p90.upper", "p95.upper", "p99.upper", "succeeded.p95",
        "failed.p95", "recoveryP95", "firstRecovery", "steadyRecovery", "cancelReturnP95",
        "blankPages", "blankPageRate",
        "staleServed", "silentTruncations", "crashes", "hangs", "unexpectedErrors",
        "cancelledCalls", "attemptsAfterCancel", "faultCoverage", "coverage", "reconnectP95",
        "reconnectedRate", "resubscribeP95", "firstEventP95", "longestGap", "pingsAnswered",
        "messagesLost", "messagesDoubled", "messagesOutOfOrder", "messagesLate", "p95Ratio",
        "p95Ratio.lower",
        "p95Ratio.upper", "medianRatio", "medianRatio.lower", "medianRatio.upper", "lostCalls",
        "wonCalls", "lossProbability", "successRateLower", "successRateUpper", "p50Milliseconds",
        "p90Milliseconds", "p95Milliseconds", "p99Milliseconds", "maxMilliseconds",
        "p50UpperMilliseconds", "p90UpperMilliseconds", "p95UpperMilliseconds",
        "p99UpperMilliseconds", "succeededP95Milliseconds", "failedP95Milliseconds",
        "recoveryP95Milliseconds", "firstRecoveryMilliseconds", "steadyRecoveryMilliseconds",
        "cancelReturnP95Milliseconds", "reconnectP95Milliseconds", "resubscribeP95Milliseconds",
        "firstEventP95Milliseconds", "longestGapMilliseconds", "p95RatioLower",
        "p95RatioUpper", "medianRatioLower", "medianRatioUpper",
      ]
    )
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

  @Test(arguments: [
    ("", 1, "a metric should stand here. Write for example successRate >= 0.99."),
    (">= 1", 1, "a metric should stand here. Write for example successRate >= 0.99."),
    ("sucessRate >= 0.99", 1, "there is no metric \"sucessRate\". Did you mean successRate?"),
    ("  P95 <= 3s", 3, "there is no metric \"P95\". Did you mean p95?"),
    ("happiness == 1", 1, "there is no metric \"happiness\". \(all)"),
    ("duplicate == 0", 1, "there is no metric \"duplicate\". Did you mean duplicates?"),
    ("p95(POST /payments <= 3s", 4, "the parenthesis is not closed."),
    ("p95() <= 3s", 5, "\"\" is no endpoint. Write a method and a path, such as POST /payments."),
    (
      "p95(payments) <= 3s", 5,
      "\"payments\" is no endpoint. Write a method and a path, such as POST /payments."
    ),
    (
      "p95(GET https://a.example/x) <= 3s", 5,
      "\"GET https://a.example/x\" is no endpoint. Write a method and a path, such as POST /payments."
    ),
    ("p95(GET /x?page=2) <= 3s", 5, "an endpoint is a method and a path, without a query."),
    ("p95", 4, "a comparison is missing. There are >=, <=, >, <, == and !=."),
    ("p95 = 3s", 5, "\"= 3s\" is no comparison. There are >=, <=, >, <, == and !=."),
    ("p95 ≤ 3s", 5, "\"≤ 3s\" is no comparison. There are >=, <=, >, <, == and !=."),
    ("p95 <=", 7, "a value is missing. Write for example p95 <= 800ms."),
    ("calls >= many", 10, "\"many\" is no value. Write for example calls == 0."),
    ("calls >= -1", 10, "\"-1\" is no value. Write for example calls == 0."),
    ("calls >= .5", 10, "\".5\" is no value. Write for example calls == 0."),
    ("p95 <= 800", 8, "p95 is a time, and 800 has no unit. Write for example p95 <= 800ms."),
    (
      "p95 <= 3 min", 10,
      "p95 is a time and not measured in \"min\". Write for example p95 <= 800ms."
    ),
    (
      "blankPages == 0s", 16,
      "blankPages is a number and not measured in \"s\". Write for example blankPages == 0."
    ),
    (
      "successRate >= 99", 16,
      "successRate is a share, and 99 is more than all. Write for example 0.99 or 99 %."
    ),
    (
      "successRate >= 101 %", 16,
      "successRate is a share, and 101% is more than all. Write for example 0.99 or 99 %."
    ),
    ("calls >= 9999999999999999", 10, "the number is too large."),
    ("calls >= 1 1", 12, "nothing should follow the value, and \"1\" does."),
    ("calls >= 1.", 11, "nothing should follow the value, and \".\" does."),
    ("p95 <= baseline*", 17, "a value is missing. Write for example baseline*1.10."),
    ("p95 <= baseline+1", 16, "nothing should follow the value, and \"+1\" does."),
    ("p95 <= base", 8, "\"base\" is no value. Write for example p95 <= 800ms."),
  ])
  func `a gate that does not read is refused with its place`(
    text: String,
    column: Int,
    sentence: String
  ) {
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
