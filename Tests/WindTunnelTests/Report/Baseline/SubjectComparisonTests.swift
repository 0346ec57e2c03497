import Schemas
import TestSupport

@testable import WindTunnelReports

/// Two subjects of one drill, compared call by call.
@Suite struct SubjectComparisonTests {
  /// Forty calls, of which some are lost and the others take so long.
  private func calls(lost: Set<Int> = [], milliseconds: Int) -> [Observation] {
    (0..<40).map { number in
      Flights.call(
        number,
        lost.contains(number) ? .failed("timedOut") : .succeeded,
        milliseconds: milliseconds + number,
        [Flights.attempt(call: number)]
      )
    }
  }

  private func report() -> Report {
    func flown(_ name: String, _ calls: [Observation]...) -> Report.ScenarioResult {
      let rows = zip(["client:a", "client:b"], calls).map { Report.Row($0, $1) }
      return .init(name, on: .onTheWire, subjects: rows)
    }
    return Report(
      flown("calm", calls(milliseconds: 100), calls(milliseconds: 50)),
      flown(
        "metro",
        calls(lost: [1], milliseconds: 100),
        calls(lost: [2, 3, 4], milliseconds: 100)
      ),
      facts: [Report.Fact(Report.compared, "client:a, client:b")]
    )
  }

  @Test func `a report compares the second client with the first, by scenario and in total`() throws
  {
    let lines = report().comparingSubjects().text().components(separatedBy: "\n")
    let head = try #require(lines.firstIndex(of: "client:b against client:a, call by call:"))
    expectEqual(
      Array(lines[(head + 1)...(head + 3)]),
      [
        "  calm: 0 lost, 0 won; success 0.0 (-4.7 to +4.7) points; P95 × 0.64 (0.62 to 0.64); "
          + "median × 0.58 (0.56 to 0.60); faster",
        "  metro: 3 lost, 1 won; success -5.0 (-15.1 to +5.6) points; P95 × 1.00 (1.00 to 1.00); "
          + "median × 1.00 (1.00 to 1.00)",
        "  together: 3 lost, 1 won; success -2.5 (-7.8 to +2.9) points; P95 × 0.99 (0.95 to 1.00); "
          + "median × 0.64 (0.62 to 1.00); faster",
      ]
    )
    // Whoever did not ask for it is told nothing of it.
    #expect(!report().text().contains("call by call"))
  }

  @Test func `it stands in the file, as the schema says, and is read back`() throws {
    let compared = report().comparingSubjects()
    let again = try Report(data: compared.data(), source: "r")
    expectEqual(again.data(), compared.data())
    expectEqual(again.scenarios[1].subjects[1].against?.comparison.flips?.lost, 3)
    expectNil(again.scenarios[1].subjects[0].against)
    let schema = try JSONSchema(
      contentsOf: ShippedFileTests.folder.appending(path: "format/report-1.schema.json")
    )
    let json = try JSON(parsing: compared.data(), source: "r")
    expectEqual(schema.problems(json, schema.root), [])
    #expect(compared.markdown().contains("### client:b against client:a"))
    #expect(compared.html().contains("<h3>Against client:a, call by call</h3>"))
  }
}
