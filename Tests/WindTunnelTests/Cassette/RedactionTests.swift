import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

@Suite struct RedactionTests {
  private func redacted(
    _ headers: HeaderFields,
    answered: HeaderFields = [:],
    url: RequestURL = "https://api.example.com/"
  ) -> Interaction {
    var redaction = Redaction(continuing: [])
    return redaction.redact([
      Interaction(Request("GET", url, headers: headers), Response(headers: answered))
    ])[0]
  }

  @Test(
    arguments: try TestData.rows("Redaction/requests.json", count: 11) as [(String, String, String)]
  )
  func `a request's credentials are replaced`(name: String, value: String, expected: String) {
    expectEqual(redacted([name: value]).request.headers, [name: expected])
  }

  @Test(arguments: try TestData.rows("Redaction/set-cookies.json", count: 5) as [(String, String)])
  func `a cookie that is set keeps its attributes`(value: String, expected: String) {
    expectEqual(
      redacted([:], answered: ["Set-Cookie": value]).response?.headers["Set-Cookie"],
      expected
    )
  }

  @Test func `what leads into a URL is taken out of URL, Location and failure`() {
    var redaction = Redaction(continuing: [])
    let request = Request("GET", "https://ada:lovelace@api.example.com/x")
    let kept = redaction.redact([
      Interaction(
        request,
        Response(status: 302, headers: ["Location": "https://ada:lovelace@b.example/"])
      ),
      Interaction(
        request,
        .failure(Failure(.timedOut, text: "No answer from https://ada:lovelace@api.example.com/x."))
      ),
    ])
    expectEqual(kept[0].request.url, "https://REDACTED-userinfo-1@api.example.com/x")
    expectEqual(kept[0].response?.headers["Location"], "https://REDACTED-userinfo-1@b.example/")
    expectEqual(
      kept[1].failure?.text,
      "No answer from https://REDACTED-userinfo-1@api.example.com/x."
    )
  }

  @Test func `equal values bear equal ordinals and other ones others`() {
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact(
      ["one-token", "two-token", "one-token"].map {
        Interaction(
          Request("GET", "/", headers: ["Authorization": "Bearer \($0)", "Cookie": "sid=\($0)"]),
          Response(headers: ["Set-Cookie": "sid=\($0)"])
        )
      }
    )
    expectEqual(
      kept.map { $0.request.headers["Authorization"] },
      [
        "Bearer REDACTED-authorization-1", "Bearer REDACTED-authorization-2",
        "Bearer REDACTED-authorization-1",
      ]
    )
    expectEqual(
      kept.map { $0.response?.headers["Set-Cookie"] },
      kept.map { $0.request.headers["Cookie"] }
    )
  }

  @Test func `the ordinals of a cassette go on`() {
    let old = [
      Interaction(
        Request("GET", "/", headers: ["Authorization": "Bearer REDACTED-authorization-3"]),
        Response(headers: ["Set-Cookie": "my-sid=REDACTED-my-sid-2; Path=/"])
      ),
      Interaction(
        Request("GET", "/"),
        .failure(Failure(.timedOut, text: "https://REDACTED-userinfo-4@a.example/"))
      ),
    ]
    var redaction = Redaction(continuing: old)
    let new = redaction.redact([
      Interaction(
        Request(
          "GET",
          "https://u:secret@a.example/",
          headers: ["Authorization": "Bearer new-token", "Cookie": "my-sid=new-cookie"]
        ),
        Response()
      )
    ])
    expectEqual(
      new[0].request,
      Request(
        "GET",
        "https://REDACTED-userinfo-5@a.example/",
        headers: [
          "Authorization": "Bearer REDACTED-authorization-4",
          "Cookie": "my-sid=REDACTED-my-sid-3",
        ]
      )
    )
  }

  @Test func `what was redacted once is left as it is`() {
    let once = redacted(["Authorization": "Bearer token-1234", "Cookie": "a=secret-5678"])
    var redaction = Redaction(continuing: [once])
    expectEqual(redaction.redact([once]), [once])
  }
}
