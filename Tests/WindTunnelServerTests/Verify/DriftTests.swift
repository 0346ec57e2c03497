import TestSupport
import WindTunnelSymptoms

@testable import WindTunnelRedaction
@testable import WindTunnelServer

@Suite struct DriftTests {
  private let request = Request("GET", "https://api.example.test/users/7")

  private func differences(
    _ recorded: Response,
    _ live: Response,
    _ request: Request? = nil
  ) -> [Drift.Difference] {
    let request = request ?? self.request
    let verdict = Drift.Status(
      Interaction(request, recorded),
      asked: request,
      live: .response(live)
    )
    switch verdict {
    case .same: return []
    case .drifted(let differences): return differences
    case .skipped(let reason): return [Drift.Difference(reason, recorded: nil, live: nil)]
    }
  }

  @Test func `volatile parts are no drift`() {
    let recorded = Response(
      headers: [
        "Date": "yesterday", "Age": "1", "Content-Type": "text/plain", "X-Request-Id": "a",
        "Transfer-Encoding": "chunked",
        "Set-Cookie":
          "sid=REDACTED-sid-1; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Path=/; Max-Age=7",
      ],
      body: Body("hi")
    )
    let live = Response(
      headers: [
        "content-type": "text/plain", "Date": "today", "Content-Length": "2", "X-B3-TraceId": "b",
        "Set-Cookie":
          "sid=another-session; Expires=Thu, 10 Jun 2027 10:18:14 GMT; Path=/; Max-Age=8",
      ],
      body: Body("hi")
    )
    expectEqual(differences(recorded, live), [])
  }

  @Test func `a body in another wrapping is the same body`() {
    let gzip = Data(base64Encoded: "H4sIAAAAAAACAzMwNDI2MTUzt7AEAMbHhKYKAAAA") ?? Data()
    let live = Response(headers: ["Content-Encoding": "gzip"], body: Body(gzip))
    expectEqual(differences(Response(body: Body("0123456789")), live), [])
  }

  @Test func `status and fields differ one by one`() {
    let recorded = Response(headers: ["A": "1", "B": "2", "C": "3"], body: Body("x"))
    let live = Response(status: 404, headers: ["a": "1", "B": "3", "D": "4"], body: Body("y"))
    expectEqual(
      differences(recorded, live),
      [
        Drift.Difference("status", recorded: "200", live: "404"),
        Drift.Difference("header b", recorded: "2", live: "3"),
        Drift.Difference("header c", recorded: "3", live: nil),
        Drift.Difference("header d", recorded: nil, live: "4"),
      ]
    )
  }

  @Test func `a body of JSON differs by path, whatever its layout`() {
    let recorded = Response(
      body: Body(#"{"id":7,"price":1.50,"tags":["a","b"],"gone":{},"na me":null,"name":"Ada"}"#)
    )
    let live = Response(
      body: Body(
        #"{ "name": "Ada", "price": 1.5, "tags": ["a", "c", "d"], "id": "7", "na me": 1 }"#
      )
    )
    expectEqual(
      differences(recorded, live),
      [
        Drift.Difference("body $.id", recorded: "7", live: "\"7\""),
        Drift.Difference("body $.tags[1]", recorded: "\"b\"", live: "\"c\""),
        Drift.Difference("body $.tags[2]", recorded: nil, live: "\"d\""),
        Drift.Difference("body $.gone", recorded: "{}", live: nil),
        Drift.Difference("body $[\"na me\"]", recorded: "null", live: "1"),
      ]
    )
  }

  @Test func `text differs by line and bytes by offset`() {
    expectEqual(
      differences(Response(body: Body("a\nb\nc")), Response(body: Body("a\nx\nc"))),
      [Drift.Difference("body line 2", recorded: "b", live: "x")]
    )
    expectEqual(
      differences(
        Response(body: Body(Data([1, 2, 255]))),
        Response(body: Body(Data([1, 3, 255, 4])))
      ),
      [Drift.Difference("body byte 1", recorded: "3 bytes", live: "4 bytes")]
    )
  }

  @Test func `redacted parts stand for any value, and no live one is shown`() {
    let recorded = Response(
      headers: ["Location": "/in?ticket=REDACTED-ticket-1&page=2"],
      body: Body(#"{"token":"REDACTED-token-3","kind":"REDACTED-kind-1 of 2"}"#)
    )
    let same = Response(
      headers: ["Location": "/in?ticket=abc&page=2"],
      body: Body(#"{"token":99,"kind":"x of 2"}"#)
    )
    expectEqual(differences(recorded, same), [])
    let other = Response(
      headers: ["Location": "/in?ticket=abc&page=3"],
      body: Body(#"{"token":"y","kind":"x of 3"}"#)
    )
    let hidden = "another value, which is not shown"
    expectEqual(
      differences(recorded, other),
      [
        Drift.Difference(
          "header location",
          recorded: "/in?ticket=REDACTED-ticket-1&page=2",
          live: hidden
        ),
        Drift.Difference("body $.kind", recorded: "\"REDACTED-kind-1 of 2\"", live: hidden),
      ]
    )
  }

  @Test func `a live answer that repeats the credential is shown without it`() {
    var asked = request
    asked.headers["Authorization"] = "Bearer s3cr3t-token"
    let verdict = Drift.Status(
      Interaction(request, Response()),
      asked: asked,
      live: .response(Response(body: Body("you are s3cr3t-token")))
    )
    let line = Drift.Difference(
      "body line 1",
      recorded: "",
      live: "you are REDACTED-authorization-1"
    )
    expectEqual(verdict, .drifted([line]))
  }

  @Test func `a failure in place of an answer is a difference, a HEAD has no body to differ`() {
    let verdict = Drift.Status(
      Interaction(request, Response()),
      asked: request,
      live: .failure(Failure(.emptyAnswer))
    )
    expectEqual(
      verdict,
      .drifted([Drift.Difference("answer", recorded: "status 200", live: "emptyAnswer")])
    )
    let head = Request("HEAD", "https://api.example.test/a")
    expectEqual(differences(Response(body: Body("a")), Response(), head), [])
  }

  @Test func `an unchanged origin that answers with a secret in base64 has not drifted`() {
    func answer(_ secret: String) -> Response {
      let packed = Data("{\"password\": \"\(secret)\", \"b\": \"€\"}".utf8).base64EncodedString()
        .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      return Response(
        headers: ["Content-Type": "application/json"],
        body: Body("{\"blob\":\"\(packed)\"}")
      )
    }
    let request = Request("GET", "https://a.example/")
    var redaction = Redaction(continuing: [])
    let recorded = redaction.redact([
      Interaction(request, answer("one-1")), Interaction(request, answer("two-22")),
    ])
    expectEqual(recorded.count, 2)
    for one in recorded {
      expectEqual(Drift.Status(one, asked: request, live: .response(answer("three-333"))), .same)
    }
  }
}
