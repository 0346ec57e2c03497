import TestSupport
import WindTunnelReports

/// What was seen of none of a flight's calls, in a report and in its parts.
@Suite struct TrafficReportTests {
  private static func report(calls: Range<Int>, _ edit: (inout ClientRun.Traffic) -> Void) -> Report
  {
    var traffic = ClientRun.Traffic()
    edit(&traffic)
    let observations = calls.map { number in
      RuleTests.call(
        number,
        .succeeded,
        showed: true,
        start: number * 200,
        [RuleTests.attempt(number * 200, to: number * 200 + 3)]
      )
    }
    let row = Report.Row("exec", observations, of: .service, traffic: traffic)
    return Report(.init("reuse", on: .onTheWire, subjects: [row]))
  }

  private static let leak = {
    var leak = ClientRun.Connections(calls: 60, opened: 60, mostOpen: 60, leftOpen: 60)
    leak.leftUnread = 3
    return leak
  }()

  @Test func `it comes back from a report's text, and is judged again`() throws {
    let report = Self.report(calls: 0..<60) {
      $0.connections = [Self.leak]
      $0.lateRequests = [.milliseconds(5), .microseconds(7001)]
    }
    let read = try Report(data: report.data(), source: "report.json")
    expectEqual(read.scenarios, report.scenarios)
    expectEqual(read.findings.map(\.finding.rule), ["leaks-connections"])
    let without = Self.report(calls: 0..<60) { _ in }
    #expect(!String(decoding: without.data(), as: UTF8.self).contains("traffic"))
  }

  @Test func `parts of a drill have their own, and the whole has both`() throws {
    let one = Self.report(calls: 0..<60) { $0.connections = [Self.leak] }
    let other = Self.report(calls: 60..<120) { $0.lateRequests = [.seconds(1)] }
    let parts = [Report.Part(one, from: "1.json"), Report.Part(other, from: "2.json")]
    let whole = try Report(merging: parts)
    expectEqual(whole, (try Report(merging: parts.reversed())))
    let traffic = try #require(whole.scenarios.first?.subjects.first?.traffic)
    #expect(traffic.connections == [Self.leak] && traffic.lateRequests == [.seconds(1)])
  }
}
