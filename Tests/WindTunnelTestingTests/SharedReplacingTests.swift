import TestSupport
import WindTunnel

/// Tests of one run that record onto one cassette, one after the other, and what stands on it by hand.
@Suite struct SharedReplacingTests {
  private func ask(_ target: String, _ text: String, _ method: String = "GET") -> Interaction {
    Interaction(
      Request(method, RequestURL("https://api.example.test\(target)")),
      .text(Body(text))
    )
  }

  /// A cassette with what tests have recorded anew, one after the other.
  private func recorded(
    _ tests: [[Interaction]],
    onto old: [Interaction] = [],
    by matcher: Matcher = .url,
    then: EndPolicy = .fail
  ) -> [Interaction] {
    var (tape, run) = (Cassette(old), RunRecordings())
    for test in tests {
      let deck = Deck(Cassette(old), matcher: matcher, then: then, mode: .rewrite)
      for interaction in test { deck.keep(interaction, for: deck.decide(interaction.request)) }
      let kept = deck.recorded(into: tape, then: then, beside: run)
      (tape, run) = (kept.cassette, kept.run)
    }
    return tape.interactions
  }

  private func texts(_ interactions: [Interaction]) -> [String] {
    interactions.map {
      "\($0.request.method) \($0.request.url.target) \($0.response?.body.text ?? "")"
    }
  }

  private func order(_ number: Int) -> [Interaction] {
    [ask("/orders", "\(number)", "POST"), ask("/orders/\(number)", "order")]
  }

  @Test(arguments: [[], [16]])
  func `no test takes the place of what another has recorded`(before: [Int]) {
    let old = before.flatMap(order)
    let tape = recorded([order(17), order(18)], onto: old)
    expectEqual(
      texts(tape).filter { !$0.hasPrefix("GET /orders/16") },
      ["POST /orders 17", "GET /orders/17 order", "POST /orders 18", "GET /orders/18 order"]
    )
    expectEqual(texts(tape).count, 4 + before.count)
    // Once more the same.
    expectEqual(recorded([order(17), order(18)], onto: tape), tape)
  }

  @Test func `recordings of an earlier test stay before those of later tests`() {
    let first = [ask("/a", "a"), ask("/s", "1"), ask("/s", "2")]
    let second = [ask("/s", "3"), ask("/a", "a"), ask("/s", "2")]
    let tape = recorded([first, second])
    expectEqual(texts(tape), ["GET /a a", "GET /s 1", "GET /s 2", "GET /s 3", "GET /s 2"])
    expectEqual(recorded([first, second], onto: tape), tape)
    expectEqual(recorded([first, first]), first)
  }

  @Test func `a test that waits longer than another has all that it waited for`() {
    let quick = [ask("/s", "pending"), ask("/s", "done")]
    let slow = [quick[0], quick[0], quick[1]]
    let tape = recorded([quick, slow], then: .repeat)
    expectEqual(texts(tape).map { $0.dropFirst(7) }, ["pending", "done", "pending", "done"])
  }

  @Test func `what is recorded twice in different places keeps its order`() {
    let old = [ask("/b", "b"), ask("/a", "a")]
    let new = [old[1], ask("/n", "1"), old[0], ask("/n", "2")]
    expectEqual(
      texts(recorded([new], onto: old)),
      ["GET /b b", "GET /a a", "GET /n 1", "GET /n 2"]
    )
  }

  @Test(arguments: ["https://api.example.test/users/{id}", "/users/7"])
  func `a pattern is nobody's place`(address: String) {
    let pattern = Interaction(Request("GET", RequestURL(address)), .text(Body("any")))
    let old = [pattern, ask("/b", "b")]
    let tape = recorded([[ask("/users/7", "Ada")]], onto: old)
    expectEqual(tape, [pattern, ask("/users/7", "Ada"), ask("/b", "b")])
    let again = recorded([[ask("/users/7", "Bob")]], onto: tape)
    expectEqual(again, [pattern, ask("/users/7", "Bob"), ask("/b", "b")])
  }

  @Test func `what is written beside a recording stays beside the next`() {
    var old = ask("/a", "old")
    old.then = .repeat
    old.notes = [JSON.Member("_why", "the first")]
    old.innerNotes = ["response": [JSON.Member("_who", "me")]]
    var expected = ask("/a", "new")
    (expected.then, expected.notes, expected.innerNotes) = (.repeat, old.notes, old.innerNotes)
    expectEqual(recorded([[ask("/a", "new")]], onto: [old]), [expected])
    // What ends the recordings of a request goes on doing so.
    var last = ask("/a", "more")
    last.then = .repeat
    expectEqual(recorded([[ask("/a", "new"), ask("/a", "more")]], onto: [old]), [expected, last])
  }

  @Test func `another page is another recording, whatever is ignored`() {
    var matcher = Matcher.url
    matcher.ignoredQuery = ["page"]
    let old = [ask("/a?page=1", "one"), ask("/b", "b")]
    let tape = recorded([[ask("/a?page=2", "two")]], onto: old, by: matcher)
    expectEqual(tape, [old[0], ask("/a?page=2", "two"), old[1]])
    let again = recorded([[ask("/a?page=2", "2")]], onto: tape, by: matcher)
    expectEqual(again, [old[0], ask("/a?page=2", "2"), old[1]])
  }

  @Test func `a redacted part stands for any`() {
    let old = recorded([[ask("/a?api_key=first-secret-of-mine", "old")]])
    let new = recorded([[ask("/a?api_key=second-secret-of-mine", "new")]], onto: old)
    expectEqual(new.map(\.request), old.map(\.request))
    expectEqual(new.map { $0.response?.body.text }, ["new"])
  }
}
