import TestSupport
import WindTunnel

/// Recordings that replace others on a cassette which they share with more.
@Suite struct ReplacingTests {
  private func interaction(_ path: String, _ text: String, date: String? = nil) -> Interaction {
    var answer = Response.text(Body(text))
    if let date { answer.head.headers["Date"] = date }
    return Interaction(Request("GET", RequestURL("https://api.example.test\(path)")), answer)
  }

  private func recorded(
    _ new: [Interaction],
    onto old: [Interaction],
    then: EndPolicy = .fail,
    keepsOrder: Bool = false,
    on date: Date? = nil
  ) -> [Interaction] {
    let deck = Deck(Cassette(old), then: then, mode: .rewrite)
    for interaction in new {
      let outcome = deck.decide(interaction.request)
      deck.keep(interaction, for: outcome)
    }
    return deck.recorded(into: Cassette(old), then: then, keepsOrder: keepsOrder, on: date)
      .cassette.interactions
  }

  private var tape: [Interaction] {
    [
      interaction("/a", "a1", date: "Mon, 01 Jan 2024 00:00:00 GMT"), interaction("/b", "b"),
      interaction("/a", "a2"), interaction("/c", "c"),
    ]
  }

  private func texts(_ interactions: [Interaction]) -> [String] {
    interactions.map { $0.response?.body.text ?? "" }
  }

  @Test func `interactions that were not requested stay, and unchanged ones stay byte for byte`() {
    let new = [
      interaction("/a", "a1", date: "Tue, 02 Jan 2024 00:00:00 GMT"), interaction("/b", "B"),
    ]
    var expected = tape
    expected[1] = interaction("/b", "B")
    expectEqual(recorded(new, onto: tape), expected)
  }

  @Test func `additional responses follow the recorded ones of the same request`() {
    let new = ["/b", "/n", "/a", "/a", "/a", "/m"].map { interaction($0, "new \($0)") }
    expectEqual(
      texts(recorded(new, onto: tape)),
      ["new /a", "new /b", "new /n", "new /a", "new /a", "new /m", "c"]
    )
    expectEqual(
      texts(recorded([interaction("/n", "n"), tape[3]], onto: tape)),
      ["a1", "b", "a2", "n", "c"]
    )
    expectEqual(texts(recorded([interaction("/n", "n")], onto: tape)), ["a1", "b", "a2", "c", "n"])
  }

  @Test func `the order of the requests is kept where a test demands it`() {
    let new = [tape[3], tape[1]]
    expectEqual(recorded(new, onto: tape), tape)
    expectEqual(texts(recorded(new, onto: tape, keepsOrder: true)), ["a1", "c", "a2", "b"])
  }

  @Test func `an answer that is played again adds nothing where it is the same again`() {
    let poll = [interaction("/p", "pending"), interaction("/p", "done")]
    expectEqual(recorded(poll + [poll[1], poll[1]], onto: poll, then: .repeat), poll)
    let slow = [poll[0], poll[0], poll[1]]
    expectEqual(recorded(slow, onto: poll, then: .repeat), slow)
    // What ends by failing has an answer for each.
    expectEqual(recorded([poll[1], poll[1], poll[1]], onto: poll), [poll[1], poll[1], poll[1]])
  }

  private func secret(_ path: String, _ token: String) -> Interaction {
    var request = Request("GET", RequestURL("https://api.example.test\(path)"))
    request.headers = ["Authorization": "Bearer \(token)"]
    return Interaction(request, .json(["access_token": .text("\(token)x")]))
  }

  @Test func `secrets that are recorded again have the ordinals that they had`() {
    let login = secret("/login", "first-secret-of-mine")
    let other = secret("/other", "second-secret-of-mine")
    let old = recorded([login, other], onto: [])
    expectEqual(recorded([secret("/other", "third-secret-of-mine")], onto: old), old)
    expectEqual(recorded([secret("/login", "third-secret-of-mine")], onto: old), old)
    // What has changed beside it names the same secret by the same ordinal.
    var changed = secret("/other", "third-secret-of-mine")
    changed.result = .response(.json(["access_token": "third-secret-of-minex", "more": 1]))
    let anew = recorded([changed], onto: old)
    expectEqual(anew[0], old[0])
    expectEqual(anew[1].request, old[1].request)
    expectEqual(anew[1].response?.body.text?.contains("third"), false)
    expectEqual(anew[1].response?.body.text?.contains("REDACTED-access-token-2"), true)
  }

  @Test func `what was asked anew is of today, though its text be the old one`() {
    let dated = recorded([tape[1]], onto: tape, on: Date(timeIntervalSince1970: 981_173_106))
    expectEqual(dated.map(\.recordedAt), [nil, "2001-02-03T04:05:06Z", nil, nil])
    var undated = dated
    undated[1].recordedAt = nil
    expectEqual(undated, tape)
  }
}
