import Testing

@testable import WindTunnelReports

/// The sentences by which a report tells newcomers what to do next, and when it keeps quiet.
@Suite struct ReportHintsTests {
  /// The report of a program that was started for each call.
  private static func report(
    _ calls: [Observation],
    by command: String = "python3 client.py {url}"
  ) -> Report {
    var report = Flights.report(calls)
    report.scenarios[0].subjects[0].client = .program
    report.environment.append(Report.Fact("command", command))
    return report
  }

  @Test func `a path behind a call's whole address is named with the address to take`() {
    let words = "GET /home/users, nearest #1 GET https://a.test/users"
    let call = NotOnCassetteTests.strange(Flights.call(0), words)
    let hint =
      "it appended /users to {url}, which is the whole URL of a call; {base} is the server's"
    #expect(Self.report([call]).text().contains("\n\(hint)\n"))
    for other in ["GET /homes", "GET /users", "POST /home/users", "GET /home", "GET /home/"] {
      let text = Self.report([NotOnCassetteTests.strange(Flights.call(0), other)]).text()
      #expect(!text.contains("{base}"), "\(other)")
    }
    #expect(!Self.report([call], by: "python3 client.py {base}").text().contains("{url}"))
    #expect(!Flights.report([call]).text().contains("{url}"), "a library has no placeholder")
    var followed = call
    followed.attempts.append(Flights.attempt())
    #expect(!Self.report([followed]).text().contains("{base}"), "a redirect leads anywhere")
  }

  @Test func `a cassette without anything that was asked for is said to have judged nothing`() {
    let words = "nothing was judged: no call had a recording"
    let advice = "; set --cassette FILE to your own, which windtunnel record creates\n"
    let strange = (0..<3).map { NotOnCassetteTests.strange(Flights.call($0), "GET /users") }
    #expect(Self.report(strange).text().contains(words + advice))
    #expect(Self.report(strange).html().contains(words))
    var own = Self.report(strange)
    own.environment.append(Report.Fact("cassetteFile", "mine.json"))
    #expect(own.text().contains("\(words)\n"))
    #expect(Flights.report(strange).text().contains("\(words)\n"))
    #expect(!Self.report(strange + [Flights.call(3)]).text().contains("nothing was judged"))
    #expect(!Flights.report([]).text().contains("nothing was judged"))
  }

  @Test func `a program that sends nothing is said to have sent nothing`() {
    let words = "no call sent a request to its address, which a program receives as {url} or {base}"
    let mute = (0..<3).map { Flights.call($0, []) }
    #expect(Self.report(mute).text().contains(words))
    // A program that does not start, for example, has broken no rule.
    #expect(Self.report(mute).verdict.line == "INCONCLUSIVE (98): \(words)")
    var (unseen, given) = (Flights.call(3, []), Flights.call(4, []))
    unseen.attemptCount = nil
    given.cancellation = .init(after: .zero, toReturn: .zero, attemptsAfter: 0)
    #expect(Self.report(mute + [unseen, given]).verdict.outcome == .inconclusive)
    #expect(Self.report([unseen]).verdict.outcome == .passed)
    #expect(Self.report(mute + [Flights.call(3)]).verdict.outcome == .passed)
    #expect(!Self.report(mute + [Flights.call(3)]).text().contains(words))
    #expect(!Flights.report(mute).text().contains(words))
    // What came by no call's address did come.
    let lost = mute.map { NotOnCassetteTests.strange($0, "GET /users") }
    #expect(!Self.report(lost).text().contains(words))
  }

  @Test func `output that is no recorded body is quoted if no call shows anything`() {
    func report(showing showed: Bool, _ printed: String?) -> String {
      var calls = (0..<3).map { Flights.call($0) }
      for place in calls.indices {
        calls[place].isCritical = true
        calls[place].showed = showed && place == 1
        calls[place].printed = printed
      }
      return Flights.report(calls).text()
    }
    let words = "no critical call showed a recorded body; it printed, for example, "
    #expect(report(showing: false, "{'a': 1}").contains(words + "\"{'a': 1}\""))
    #expect(!report(showing: true, "{'a': 1}").contains(words))
    #expect(!report(showing: false, "").contains(words))
    #expect(!report(showing: false, nil).contains(words))
  }
}
