import TestSupport

@testable import WindTunnel

/// What a rewrite leaves that was killed.
@Suite struct KilledRewriteTests {
  private func interaction(_ text: String, _ path: String = "/job") -> Interaction {
    Interaction(Request("GET", RequestURL("https://api.example.test\(path)")), .text(Body(text)))
  }

  private func folded(_ sessions: [[Interaction]], into old: [Interaction]) -> [Interaction] {
    let sessions = sessions.map { new in
      JournalFormat.Session(
        rewrites: true,
        lines: new.enumerated().map { .init(order: $0.offset, interaction: $0.element) }
      )
    }
    var run = RunRecordings()
    return JournalFormat.fold(sessions, into: Cassette(old), beside: &run).interactions
  }

  private var tape: [Interaction] {
    var last = interaction("done")
    last.then = .repeat
    last.notes = [JSON.Member("_why", "it ends")]
    return [interaction("pending"), interaction("pending"), last, interaction("b", "/b")]
  }

  @Test func `an interrupted rewrite keeps the interactions that it had not reached`() {
    var today = interaction("pending")
    if case .response(var response) = today.result {
      response.head.headers["Date"] = "Tue, 02 Jan 2024 00:00:00 GMT"
      today.result = .response(response)
    }
    expectEqual(folded([[today]], into: tape), tape)
    var expected = tape
    expected[0] = interaction("waiting")
    expectEqual(folded([[interaction("waiting")]], into: tape), expected)
  }

  @Test func `tests that were killed together replace nothing of each other`() {
    let old = [interaction("old")]
    let new = [interaction("one"), interaction("two")]
    expectEqual(folded([[new[0]], [new[1]]], into: old), new)
    expectEqual(folded([[new[0]], [new[0]]], into: old), [new[0]])
  }

  @Test func `a boundary is anybody's, and a time in a body is not`() {
    func upload(_ boundary: String, _ text: String, _ answer: String) -> Interaction {
      var request = Request("POST", "https://api.example.test/upload")
      request.headers = ["Content-Type": "multipart/form-data; boundary=\(boundary)"]
      let head = "Content-Disposition: form-data; name=\"a\""
      request.body = Body("--\(boundary)\r\n\(head)\r\n\r\n\(text)\r\n--\(boundary)--\r\n")
      return Interaction(request, .text(Body(answer)))
    }
    let old = [upload("first", "12:00", "old")]
    expectEqual(folded([[upload("second", "12:00", "old")]], into: old), old)
    let changed = upload("second", "12:00", "new")
    expectEqual(folded([[changed]], into: old), [changed])
    let later = upload("second", "12:01", "new")
    expectEqual(folded([[later]], into: old), old + [later])
  }
}
