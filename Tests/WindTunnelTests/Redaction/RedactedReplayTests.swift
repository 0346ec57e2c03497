import PlantedSecrets
import TestSupport

@testable import WindTunnel

/// What was recorded with one secret is found by a request with another.
@Suite struct RedactedReplayTests {
  private func webToken(_ subject: String) -> String {
    let parts = [#"{"alg":"HS256"}"#, #"{"sub":"\#(subject)","exp":1700000000}"#, subject].map {
      Data($0.utf8).base64EncodedString().replacing("=", with: "")
    }
    return parts.joined(separator: ".")
  }

  private func login(_ secret: String) -> [Request] {
    let quoted = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
    let type: HeaderFields = ["Content-Type": "application/json"]
    let json: JSON = ["user": "ada", "password": .text(secret)]
    let token: JSON = ["id_token": .text(webToken(secret))]
    return [
      Request("GET", RequestURL("https://a.example/me?access_token=\(quoted)&page=2")),
      Request("GET", RequestURL("https://a.example/of?jwt=\(webToken(secret))")),
      Request("POST", "https://a.example/json", headers: type, body: Body(Data(json.bytes()))),
      Request("POST", "https://a.example/token", headers: type, body: Body(Data(token.bytes()))),
      Request(
        "POST",
        "https://a.example/form",
        headers: ["Content-Type": "application/x-www-form-urlencoded"],
        body: Body("user=ada&password=\(quoted)")
      ),
    ]
  }

  @Test func `recorded with one secret it matches with another`() {
    var matcher = Matcher.url
    matcher.body = BodyRule(.byType)
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact(
      login("passphrase-of-ada/1").map { Interaction($0, Response(status: 204)) }
    )
    let deck = Deck(Cassette(kept), matcher: matcher)
    for request in login("another+secret%2") {
      let outcome = deck.decide(request)
      if case .recording = outcome.source { continue }
      Issue.record("\(request.method) \(request.url) was not matched")
    }
  }

  @Test func `what was planted in one season is found by the requests of another, each its own`() {
    var matcher = Matcher.url
    matcher.body = BodyRule(.byType)
    matcher.headers = ["Authorization", "Cookie", "X-Api-Key"]
    let (one, other) = (Planted.all, Planted.all(season: 1))
    expectEqual(Set((one + other).map(\.secret)).count, 2 * one.count)
    var redaction = Redaction(continuing: [])
    let deck = Deck(Cassette(redaction.redact(one.map(\.interaction))), matcher: matcher)
    for (place, planted) in other.enumerated() {
      _ = deck.decide(planted.interaction.request)
      expectEqual(deck.journal.all.last?.take, .recording(place), "\(planted.place)")
    }
  }
}
