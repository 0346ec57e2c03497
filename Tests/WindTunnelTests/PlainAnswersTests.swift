import Testing

@testable import WindTunnel

@Suite struct PlainAnswersTests {
  @Test func `what is prepared has a bound`() {
    var answers = PlainAnswers<String>(bytesMax: 10)
    answers.keep("a", of: PlainAnswer(tape: 1, place: 2), weighing: 6)
    answers.keep("b", of: PlainAnswer(tape: 1, place: 0), weighing: 5)
    answers.keep("c", of: PlainAnswer(tape: 1, place: 1), weighing: 4)
    #expect((0..<4).map { answers[PlainAnswer(tape: 1, place: $0)] } == [nil, "c", "a", nil])
    #expect(answers[PlainAnswer(tape: 0, place: 2)] == nil)
    answers.keep("d", of: PlainAnswer(tape: 2, place: 0), weighing: 10)
    #expect(answers[PlainAnswer(tape: 1, place: 2)] == nil)
    #expect(answers[PlainAnswer(tape: 2, place: 0)] == "d")
  }
}
