import TestSupport

@testable import WindTunnel

/// The table of what is taken out, and how a wrong row is told and undone.
@Suite struct DetectionRowTests {
  /// A text as the body of an answer, or as a field of one where it reads like a field.
  private static func interaction(_ text: String) -> Interaction {
    if let field = text.wholeMatch(of: /([A-Z][A-Za-z-]+): (.*)/),
      ["Set-Cookie", "Authorization"].contains(field.1)
    {
      return Interaction(
        Request(
          "GET",
          "/",
          headers: field.1 == "Authorization" ? ["Authorization": String(field.2)] : [:]
        ),
        Response(headers: field.1 == "Authorization" ? [:] : ["Set-Cookie": String(field.2)])
      )
    }
    return Interaction(Request("GET", "/"), Response(body: Body(text)))
  }

  private static func redacted(_ interaction: Interaction, _ rules: RedactionRules = .standard)
    -> Interaction?
  {
    Cassette([interaction]).redacted(by: rules).cassette.interactions.first
  }

  @Test(arguments: DetectionRow.all.filter { !$0.secret.isEmpty })
  func `each row finds its example and leaves what is like it`(row: DetectionRow) throws {
    let secret = Self.interaction(row.secret)
    #expect(Self.redacted(secret) != secret)
    let lint = CassetteLint(Cassette([secret]))
    #expect(lint.leaks.contains { $0.rule == row.id }, "\(lint.leaks.map(\.rule))")
    let harmless = Self.interaction(row.harmless)
    expectEqual(Self.redacted(harmless), harmless)
    expectEqual(CassetteLint(Cassette([harmless])).leaks.filter { $0.rule != "entropy" }, [])
  }

  @Test func `rows have names of their own`() {
    let ids = DetectionRow.all.map(\.id)
    expectEqual(Set(ids).count, ids.count)
    #expect(ids.count > 80)
  }

  @Test func `a row of keys tells of each mark how many letters follow`() throws {
    let row = try #require(DetectionRow.all.first { $0.id == "aws-key" })
    expectEqual(
      row.finds,
      "`AKIA`, `ASIA`, `ABIA`, `ACCA` and 16 letters; `ABSK`, `bedrock-api-key-` and 60 to 300"
    )
    #expect(DetectionRow.all.contains { $0.id == "shopify-token" })
  }

  @Test func `the table in the documentation is that of the program`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(
        path: "../../../Sources/Values/WindTunnelRedaction/WindTunnelRedaction.docc/Detections.md"
      )
    let written = try String(contentsOf: file, encoding: .utf8)
    expectEqual(
      written,
      DetectionRow.table,
      "Write it anew: swift run windtunnel cassette lint --rules > Sources/Values/WindTunnelRedaction/WindTunnelRedaction.docc/Detections.md"
    )
  }

  @Test func `kept values stay by name and by path, and other values are redacted`() {
    let text =
      #"{"access_token":"x7Kq9vLw2PzR","card":{"password":"x7Kq9vLw"},"password":"x7Kq9vLw3"}"#
    let body = Self.interaction(text)
    let kept = Self.redacted(body, RedactionRules(keep: ["accessToken", "$.card.password"]))
    expectEqual(
      kept?.response?.body.text,
      #"{"access_token":"x7Kq9vLw2PzR","card":{"password":"x7Kq9vLw"},"password":"REDACTED-password-1"}"#
    )
    let request = Interaction(
      Request(
        "GET",
        "https://a.test/?session=x7Kq9vLw2PzR&sid=x7Kq9vLw2PzS",
        headers: ["X-Api-Key": "x7Kq9vLw2PzT"]
      ),
      Response()
    )
    let asked = Self.redacted(request, RedactionRules(keep: ["session", "x-api-key"]))
    expectEqual(asked?.request.url.query, "session=x7Kq9vLw2PzR&sid=REDACTED-sid-1")
    expectEqual(asked?.request.headers["X-Api-Key"], "x7Kq9vLw2PzT")
  }

  @Test func `a review names each placeholder with its row, its places and what keeps it`() {
    let interactions = [
      Interaction(
        Request(
          "POST",
          "https://a.test/login",
          headers: ["Authorization": "Bearer x7Kq9vLw2PzR4tNb"]
        ),
        .text(Body(#"{"session":{"token":"y8Lr0wMx3QaS5uOc"},"again":"y8Lr0wMx3QaS5uOc"}"#))
      )
    ]
    let cassette = Cassette(interactions).redacted().cassette
    let found = CassetteReview(cassette).placeholders
    expectEqual(found.map(\.text), ["REDACTED-authorization-1", "REDACTED-token-1"])
    expectEqual(found.map(\.rule), ["credentials", "likely-name"])
    expectEqual(found.map(\.keep), ["Authorization", "token"])
    expectEqual(
      found.map(\.places),
      [
        ["#1 request header Authorization"],
        ["#1 response body $.session.token", "#1 response body $.again"],
      ]
    )
  }

  @Test func `recordings that nothing else tells apart are named`() {
    func get(_ token: String) -> Interaction {
      Interaction(Request("GET", RequestURL("https://a.test/me?access_token=\(token)")), Response())
    }
    let cassette = Cassette([get("x7Kq9vLw2PzR"), get("y8Lr0wMx3QaS"), get("x7Kq9vLw2PzR")])
      .redacted().cassette
    expectEqual(CassetteReview(cassette).alike, [[1, 2, 3]])
    let one = Cassette([get("x7Kq9vLw2PzR"), get("x7Kq9vLw2PzR")]).redacted().cassette
    expectEqual(CassetteReview(one).alike, [])
    func post(_ key: String, _ token: String) -> Interaction {
      let body = Body(#"{"access_token":"\(token)"}"#)
      return Interaction(Request("POST", "/", headers: ["X-Api-Key": key], body: body), Response())
    }
    let posts = [
      post("x7Kq9vLw2PzR", "a1"), post("y8Lr0wMx3QaS", "a1"), post("x7Kq9vLw2PzR", "a2"),
    ]
    expectEqual(CassetteReview(Cassette(posts).redacted().cassette).alike, [[1, 2, 3]])
  }
}
