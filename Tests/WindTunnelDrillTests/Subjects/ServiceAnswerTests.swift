import TestSupport

@testable import WindTunnelDrill

/// What a program that lives says of its calls, where it is not what it was asked for.
@Suite struct ServiceAnswerTests {
  private func answer(_ attempts: String) throws -> ServiceAnswer {
    try #require(ServiceAnswer(line: #"{"call":1,"ok":true,"attempts":\#(attempts)}"#))
  }

  @Test(arguments: ["0", "1", "1000000"])
  func `a count of requests is taken`(count: String) throws {
    let answer = try answer(count)
    #expect(answer.attempts == Int(count) && answer.complaint == nil)
  }

  @Test(arguments: [
    ("1000001", "1000001"), ("1099511627777", "1099511627777"), ("-1", "-1"), ("1.5", "1.5"),
    ("9223372036854775808", "9223372036854775808"), (#""two""#, #""two""#), ("[2]", "[2]"),
    ("true", "true"),
  ])
  func `anything else is left out with a sentence, and the call is answered`(
    text: String,
    told: String
  ) throws {
    let answer = try answer(text)
    #expect(answer.ending == .succeeded && answer.attempts == nil)
    let asked = "expected a whole number from 0 to 1000000; it is ignored"
    expectEqual(answer.complaint, "answered call 1 with the \"attempts\" \(told); \(asked)")
    try expectNil(self.answer("null").complaint)
  }

  @Test(
    arguments: [
      (#""body":"none""#, .text("none")), (#""body":{"items":[]}"#, .text(#"{"items":[]}"#)),
      (#""body":null"#, nil), (#""body":true"#, nil),
      (#""shown":"nothing","body":"a""#, .something(false)),
    ] as [(String, ServiceAnswer.Shown?)]
  )
  func `a body is what was seen, unless that is told`(field: String, shown: ServiceAnswer.Shown?) {
    expectEqual(ServiceAnswer(line: #"{"call":1,"ok":true,\#(field)}"#)?.shown, shown)
  }

  @Test func `what is told of a count is no longer than a line`() throws {
    let answer = try answer(String(repeating: "9", count: 100_000))
    let complaint = try #require(answer.complaint)
    #expect(complaint.unicodeScalars.count < 200 && complaint.contains("999…; expected a whole"))
  }

  @Test func `a call with a huge number of attempts is decoded from its process's line`() throws {
    for count in ["1000000", "1099511627777"] {
      var observation = WorkerMessageTests.observation
      observation.clientAttempts = try answer(count).attempts
      let line = WorkerMessage.ended(observation).line
      #expect(WorkerMessage(line: String(line.dropLast())) != nil)
    }
  }

  /// A letter with so many accents is one character, whatever its length.
  private static let heavy = "e" + String(repeating: "\u{301}", count: 1_000_000)

  @Test func `an error is cut by what it weighs, and not by what is seen of it`() throws {
    let line = JSON.object([
      JSON.Member("call", .number(1)), JSON.Member("ok", .bool(false)),
      JSON.Member("error", .text("\n\r\n\(Self.heavy)\nmore")),
    ])
    guard case .failed(let told)? = ServiceAnswer(line: "\(line)")?.ending else {
      Issue.record("it has not failed")
      return
    }
    expectEqual(told, "e" + String(repeating: "\u{301}", count: 199) + "…")
  }

  @Test(arguments: [
    ("", ""), ("\n\n", ""), ("a", "a"), ("\na\r\n\nb\u{2028}c\n", "a b c"), ("abcde", "abcde"),
    ("abcdef", "abcde…"), ("abcd\nf", "abcd …"), ("abcde\n\n", "abcde"), ("abcde\n\nf", "abcde…"),
  ])
  func `a text is put into one line`(text: String, line: String) {
    expectEqual(text.inOneLine(atMost: 5), line)
  }
}
