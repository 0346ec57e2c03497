import Testing

@testable import WindTunnel
@testable import WindTunnelReports

/// The sentences by which a report tells newcomers what to do next, and when it keeps quiet.
@Suite struct ReportHintsTests {
  private static func strange(_ call: Observation, _ words: String) -> Observation {
    var call = call
    call.notOnCassette = words
    return call
  }

  private static func failed(_ numbers: Range<Int>) -> [Observation] {
    numbers.map { Flights.call($0, .failed("exit 22")) }
  }

  @Test func `a path behind a call's whole address is named with the address to take`() {
    let call = Self.strange(Flights.call(0), "GET /home/users, nearest #1 GET https://a.test/users")
    let hint =
      "; it put /users behind {url}, which is a call's whole address: {base} is the server's"
    #expect(Flights.report([call]).text().contains("nearest #1 GET https://a.test/users\(hint)"))
    for other in ["GET /homes", "GET /users", "POST /home/users", "GET /home"] {
      #expect(!Flights.report([Self.strange(Flights.call(0), other)]).text().contains("{base}"))
    }
  }

  @Test func `a cassette without anything that was asked for is said to have judged nothing`() {
    let words =
      "nothing was judged: no call asked for what is on the cassette; --cassette FILE takes"
    let strange = (0..<3).map { Self.strange(Flights.call($0), "GET /users") }
    #expect(Flights.report(strange).text().contains(words))
    #expect(Flights.report(strange).html().contains(words))
    #expect(!Flights.report(strange + [Flights.call(3)]).text().contains("nothing was judged"))
    #expect(!Flights.report([]).text().contains("nothing was judged"))
  }

  @Test func `a program that sends nothing is said to have sent nothing`() {
    let words = "no call sent a request; a program finds the address to ask in {url}"
    let mute = (0..<3).map { Flights.call($0, []) }
    #expect(Flights.report(mute).text().contains(words))
    #expect(!Flights.report(mute + [Flights.call(3)]).text().contains(words))
  }

  @Test func `output that is no recorded body is quoted where every call counts as blank`() {
    func report(showing showed: Bool, _ printed: String?) -> String {
      var calls = (0..<3).map { Flights.call($0) }
      for place in calls.indices {
        calls[place].isCritical = true
        calls[place].showed = showed && place == 1
        calls[place].printed = printed
      }
      return Flights.report(calls).text()
    }
    let words = "blank counts every call: what was printed is no recorded body, such as "
    #expect(report(showing: false, "{'a': 1}").contains(words + "\"{'a': 1}\""))
    #expect(!report(showing: true, "{'a': 1}").contains(words))
    #expect(!report(showing: false, "").contains(words))
    #expect(!report(showing: false, nil).contains(words))
  }

  @Test func `failing calls that no rule forbids stand beside the good word`() throws {
    let calls = (0..<7).map { Flights.call($0) } + Self.failed(7..<10)
    let report = Flights.report(calls, gates: [try Gate("calls == 10")])
    let words = "3 of 10 calls failed, and one scenario cannot show every bug"
    #expect(report.verdict == .passed)
    #expect(report.text().hasSuffix("\ngates: 1 met\n  yet \(words)\n"))
    #expect(report.html().contains("nothing that it was held against failed. Yet \(words)."))
    var two = report
    two.scenarios.append(two.scenarios[0])
    for quiet in [two, Flights.report(Array(calls.prefix(7)), gates: [try Gate("calls == 7")])] {
      #expect(!quiet.text().contains("cannot show every bug"))
      #expect(!quiet.html().contains("cannot show every bug"))
    }
  }
}
