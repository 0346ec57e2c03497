import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

@Suite struct SecretsTests {
  @Test func `secrets come back in the spelling of their place`() throws {
    let secrets = Secrets(["authorization": "t/1", "token": "a b\"&", "sid-2": "two", "sid": "one"])
    let json = Request(
      "POST",
      "https://a/b/REDACTED-token-1?token=REDACTED-token-1&x=1",
      headers: [
        "Authorization": "Bearer REDACTED-authorization-1",
        "Cookie": "sid=REDACTED-sid-1; b=REDACTED-sid-2", "Content-Type": "application/json",
      ],
      body: Body(#"{"t":"REDACTED-token-1"}"#)
    )
    try expectEqual(
      secrets.restored(json),
      Request(
        "POST",
        "https://a/b/a%20b%22%26?token=a%20b%22%26&x=1",
        headers: [
          "Authorization": "Bearer t/1", "Cookie": "sid=one; b=two",
          "Content-Type": "application/json",
        ],
        body: Body(#"{"t":"a b\"&"}"#)
      )
    )
    var form = json
    form.headers = ["Content-Type": "application/x-www-form-urlencoded"]
    form.body = Body("t=REDACTED-token-1")
    try expectEqual(secrets.restored(form).body, Body("t=a%20b%22%26"))
  }

  @Test func `user info comes back as the credentials that clients make of it`() throws {
    let request = Request("GET", "https://REDACTED-userinfo-1@a/b")
    let restored = try Secrets(["userinfo": "ada:p%40ss"]).restored(request)
    expectEqual(restored.headers, ["Authorization": "Basic YWRhOnBAc3M="])
  }

  @Test func `a placeholder without a secret is an error that names it`() {
    let request = Request("GET", "https://a/b", headers: ["Cookie": "a=REDACTED-a-12"])
    #expect(throws: Secrets.Missing(part: "REDACTED-a-12")) {
      try Secrets(["a-1": "x"]).restored(request)
    }
  }
}
