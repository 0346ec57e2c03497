import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// Independent plays of one cassette on one server.
@Suite(.timeLimit(.minutes(5))) struct PlaysTests {
  private static let tape = Cassette(
    ["one", "two"].map { text in
      Interaction(Request("GET", "https://api.example.test/a"), Response(body: Body(text)))
    }
  )

  /// The answers to requests, each with its path and a further field.
  private static func answers(
    _ requests: [(path: String, field: String)],
    from deck: Deck,
    by mark: Plays.Mark
  ) async throws -> [String] {
    var options = ReplayServer.Options.patient
    options.plays = Plays(by: mark)
    return try await ReplayServer.serving(deck, options) { server async throws in
      var answers: [String] = []
      for (path, field) in requests {
        let text = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(field)Connection: close\r\n\r\n"
        let answer = try await server.answer(to: text)
        answers.append(
          answer.hasPrefix("HTTP/1.1 200 ") ? answer.content : String(answer.prefix(12))
        )
      }
      return answers
    }
  }

  @Test(arguments: [Plays.Mark.header("X-Play"), .pathSegment])
  func `each play gets every recording and every fault for itself`(mark: Plays.Mark) async throws {
    let isPath = mark == .pathSegment
    let requests = ["b", "c", "b", "c", "b", nil, "c", nil].map { name -> (String, String) in
      guard let name else { return ("/a", "") }
      return isPath ? ("/\(name)/a", "") : ("/a", "x-play: \(name)\r\n")
    }
    let scenario: Scenario = [.on("GET /a", .first(1), .status(503))]
    let deck = Deck(Self.tape, scenario: scenario, matcher: .pathAndQuery, then: .fail)
    let answers = try await Self.answers(requests, from: deck, by: mark)
    let (unavailable, missing) = ("HTTP/1.1 503", "HTTP/1.1 501")
    // A path of one segment is a play's root, which is not on the tape.
    let unnamed = isPath ? [missing, missing] : [unavailable, "one"]
    let named = [unavailable, unavailable, "one", "one", "two"]
    expectEqual(answers, named + [unnamed[0], "two", unnamed[1]])
    let keys = Set(deck.journal.all.map(\.decision.key))
    expectEqual(keys, isPath ? ["GET /a", "GET /"] : ["GET /a"])
  }

  @Test func `a play whose name ends like that of a call is none`() async throws {
    let scenario: Scenario = [FaultRule(when: Trigger(calls: CallRange(from: 5)), [.status(503)])]
    let requests = ["suite", "suite/3", "suite/7"].map { ("/a", "X-Play: \($0)\r\n") }
    let deck = Deck(Self.tape, scenario: scenario, matcher: .pathAndQuery)
    let answers = try await Self.answers(requests, from: deck, by: .header("X-Play"))
    expectEqual(Set(answers).count, 1)
  }

  @Test func `a play beyond the limits is refused, and those that have begun go on`() throws {
    let plays = Plays(by: .header("X-Play"))
    func refusal(_ name: String) -> Int? {
      plays.refusal(of: RequestHandlerTests.head("GET", "/a", ["X-Play": name]))?.status
    }
    expectEqual(refusal(String(repeating: "x", count: Plays.nameBytesMax + 1)), 503)
    for number in 0..<Plays.countMax { expectNil(refusal("\(number)")) }
    expectEqual(refusal("more"), 503)
    expectNil(refusal("7"))
  }
}
