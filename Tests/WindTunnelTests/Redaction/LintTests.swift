import Foundation
import Symptoms
import Testing

@testable import WindTunnel

@Suite struct LintTests {
  /// Keys of providers by their looks; put together here so that nobody takes them for real ones.
  private static let shapes: [(kind: String, text: String)] = [
    ("aws-key", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("github-token", "ghp" + "_" + String(repeating: "a1B2", count: 9)),
    ("slack-token", "xox" + "b-" + "123456789012-abcdefghij"),
    ("google-key", "AI" + "za" + String(repeating: "a1B2_", count: 7)),
    ("stripe-key", "sk" + "_live_" + String(repeating: "a1B2", count: 6)),
    ("jwt", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiJhZGEifQ." + "c2lnbmF0dXJl"),
    ("bearer", "Bearer " + "abcdef0123456789"), ("basic", "Basic " + "YWRhOmxvdmVsYWNl"),
    ("private-key", "-----BEGIN " + "PRIVATE KEY-----\nMIIBVwIBADAN\n-----END PRIVATE KEY-----"),
    ("entropy", "kJ8sWq2" + "ZpT5vXr9LmB3nHc7YdF"),
  ]

  @Test(arguments: shapes.indices)
  func `a secret is known by its looks, in any place`(index: Int) {
    let (kind, text) = Self.shapes[index]
    let places = [
      Interaction(Request("GET", "/"), .text(Body("It is \(text)"))),
      Interaction(Request("GET", "/"), .text(Body("{\"a\":\"\(JSON.escaped(text))\"}"))),
      Interaction(Request("GET", "/"), .text(Body("<p>\(text)</p>"))),
      Interaction(Request("GET", "/"), .failure(Failure(.timedOut, text: "After \(text)."))),
    ]
    for (number, place) in places.enumerated() {
      let leaks = CassetteLint(Cassette([place])).leaks
      #expect(leaks.map(\.kind) == [kind], "\(number)")
      #expect(leaks.allSatisfy { !$0.description.contains(text.suffix(8)) })
    }
  }

  @Test func `what is shipped is clean`() throws {
    for folder in ["examples", "format"] {
      for file in try shipped(folder)
      where file.lastPathComponent.hasPrefix("cassette") || folder == "examples" {
        let leaks = CassetteLint(try Cassette(contentsOf: file)).leaks
        #expect(leaks == [], "\(file.lastPathComponent)")
      }
    }
  }

  @Test func `ids, hashes, paths and long data are no secrets`() {
    let texts = [
      "0d9c6f4e-8a0b-4b1e-9d2a-5f6c7e8d9a0b", String(repeating: "0123456789abcdef", count: 4),
      "/api/v2/Customers/Orders/ShippingAddress1/Lines22", "TheQuickBrownFoxJumpsOverTheLazyDog",
      "2026-11-21T07:14:03.123456Z", String(repeating: "aB3dE5gH7jK9mN1p", count: 20),
    ]
    for text in texts {
      #expect(CassetteLint(Cassette([.init(Request("GET", "/"), .text(Body(text)))])).leaks == [])
    }
  }

  @Test func `a leak says where it is, what and how long`() {
    let interaction = Interaction(
      Request("GET", "/?api_key=abcdefgh", headers: ["X-Auth-Token": "ijklmnop"]),
      .text(Body(#"{"user":{"password":"qrstuvwx"}}"#))
    )
    let leaks = CassetteLint(Cassette([interaction])).leaks.map(\.description)
    #expect(
      leaks == [
        "#1 request URL query api-key: api-key, 8 bytes",
        "#1 request header X-Auth-Token: x-auth-token, 8 bytes",
        "#1 response body JSON password: password, 8 bytes",
      ]
    )
  }

  @Test func `a body that nobody can open is named and no leak`() {
    let headers: HeaderFields = ["Content-Encoding": "zstd"]
    let lint = CassetteLint(
      Cassette([.init(Request("GET", "/"), Response(headers: headers, body: Body("???")))])
    )
    #expect(lint.leaks == [])
    #expect(lint.unopened == ["#1 response body: in zstd, which is not opened here"])
  }
}
