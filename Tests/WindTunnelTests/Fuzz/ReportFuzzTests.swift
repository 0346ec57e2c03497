import Mutations
import TestSupport
import WindTunnelReports

@Suite(.world) struct ReportFuzzTests {
  /// Whatever stands in a file, it is refused in words or shown in every form.
  @Test(arguments: 0..<4 as Range<UInt64>)
  func `a damaged report ends no process`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let before = Flights.report(Flights.drawn(25, seed: 9))
    let report = Flights.report(Flights.drawn(25, seed: 8), gates: [try Gate("p95 <= baseline")])
    let bytes = Array(report.compared(to: before).data())
    for _ in 0..<150 {
      let damaged = Data(generator.mutated(bytes))
      do {
        show(try Report(data: damaged, source: "r.json"))
      } catch {
        #expect(error.description.hasPrefix("r.json"))
      }
    }
  }

  @Test(arguments: ["1e300", "-1e300", "9223372036854775807", "-5", "1e-300", "0"])
  func `no number in a comparison ends a process`(number: String) throws {
    let report = Flights.report(Flights.drawn(40, seed: 8))
      .compared(to: Flights.report(Flights.drawn(40, seed: 8)))
    let text = String(decoding: report.data(), as: UTF8.self)
    let doctored = text.replacing(/"(value|lower|upper|pairs|lostCalls)": [0-9.]+/) {
      "\"\($0.1)\": \(number)"
    }
    try #require(doctored != text)
    do {
      show(try Report(data: Data(doctored.utf8), source: "r.json"))
    } catch {
      #expect(error.description.hasPrefix("r.json"))
    }
  }

  @Test func `more attempts than there can be are counted all the same`() throws {
    var calls = Flights.drawn(40, seed: 8)
    for place in calls.indices { calls[place].attemptCount = 1 << 40 }
    let data = Flights.report(calls).data()
    show(try Report(data: data, source: "r.json"))
  }

  private func show(_ report: Report) {
    for rendering in ReportRendering.allCases { #expect(!report.rendered(as: rendering).isEmpty) }
  }
}
