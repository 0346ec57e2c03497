import Foundation
import TestSupport
import Testing

@testable import WindTunnelCassettes
@testable import WindTunnelHAR

/// A cassette that kept what its HAR said, and that somebody has changed since.
@Suite struct HARChangedTests {
  private static let original = har(
    entry(
      "https://api.example.test/a?b=c",
      method: "POST",
      request: """
        "headers": [{"name": "Content-Type", "value": "application/x-www-form-urlencoded"}],
        "cookies": [{"name": "old", "value": "1"}], "queryString": [],
        "headersSize": 120, "bodySize": 99,
        "postData": {"mimeType": "application/x-www-form-urlencoded", "text": "d=e",
          "params": [{"name": "d", "value": "e"}]}
        """,
      response: """
        "status": 200, "statusText": "Fine", "headersSize": 80, "bodySize": 55,
        "headers": [{"name": "Set-Cookie", "value": "f=g", "comment": "x"}],
        "cookies": [{"name": "f", "value": "g", "comment": "y"}],
        "content": {"size": 77, "mimeType": "text/x", "text": "old"}
        """,
      more: """
        "serverIPAddress": "192.0.2.1", "time": 50,
        "timings": {"dns": 9, "send": 1, "wait": 30, "receive": 10}
        """
    )
  )

  /// The entry that is written after a change.
  private func written(_ change: (inout Interaction) -> Void) throws -> JSON {
    var cassette = try HARImport(Self.original, source: "a.har", keepingSecrets: true).cassette
    change(&cassette.interactions[0])
    let stored = try Cassette(data: cassette.data(), source: "a.json")
    let har = HARExport(stored, keepingSecrets: true).data
    try expectEqual(HARImport(har, source: "b.har", keepingSecrets: true).cassette, stored)
    let entry = try JSON(parsing: har, source: "b.har")["log"]?["entries"]?.elements.first
    // This depends on nothing.
    expectEqual(entry?["serverIPAddress"], "192.0.2.1")
    return try #require(entry)
  }

  private func change(_ interaction: inout Interaction, _ edit: (inout Response) -> Void) {
    var response = interaction.response ?? Response()
    edit(&response)
    interaction.result = .response(response)
  }

  @Test func `what was not changed comes back whole`() throws {
    let entry = try written { _ in }
    expectEqual(entry["time"], 50)
    expectEqual(entry["timings"], ["send": 1, "wait": 30, "receive": 10, "dns": 9])
    expectEqual(entry["request"]?["bodySize"], 99)
    expectEqual(entry["request"]?["queryString"], [])
    expectEqual(entry["response"]?["content"]?["size"], 77)
    expectNil(entry["_of"])
  }

  @Test func `another status has no reason of the old one`() throws {
    let entry = try written { change(&$0) { $0.head.status = 404 } }
    expectEqual(entry["response"]?["status"], 404)
    expectEqual(entry["response"]?["statusText"], "")
    expectEqual(entry["response"]?["content"]?["size"], 77)
    expectEqual(entry["time"], 50)
  }

  @Test func `another body has its own size and form`() throws {
    let entry = try written {
      $0.request.body = Body("d=other")
      change(&$0) { $0.body = Body("newer") }
    }
    expectEqual(
      entry["request"]?["postData"],
      ["mimeType": "application/x-www-form-urlencoded", "text": "d=other"]
    )
    expectEqual(entry["request"]?["bodySize"], 7)
    expectEqual(entry["response"]?["content"], ["size": 5, "mimeType": "", "text": "newer"])
    expectEqual(entry["response"]?["bodySize"], 5)
    expectEqual(entry["response"]?["statusText"], "Fine")
  }

  @Test func `other fields have their own cookies`() throws {
    let entry = try written {
      $0.request.headers.append("Cookie", "new=2")
      change(&$0) { $0.head.headers.append("Set-Cookie", "h=i") }
    }
    expectEqual(entry["request"]?["cookies"], [["name": "new", "value": "2"]])
    expectEqual(entry["request"]?["headersSize"], -1)
    expectEqual(
      entry["response"]?["cookies"],
      [["name": "f", "value": "g"], ["name": "h", "value": "i"]]
    )
    expectEqual(entry["request"]?["bodySize"], 99)
  }

  @Test func `other times have their own sum`() throws {
    let entry = try written {
      $0.timing = Timing(firstByte: .milliseconds(500), lastByte: .milliseconds(600))
    }
    expectEqual(entry["time"], 600)
    expectEqual(entry["timings"], ["send": 0, "wait": 500, "receive": 100])
    expectEqual(entry["response"]?["statusText"], "Fine")
  }

  @Test func `another address has its own query`() throws {
    let entry = try written { $0.request.url.query = "x=1" }
    expectEqual(entry["request"]?["url"], "https://api.example.test/a?x=1")
    expectEqual(entry["request"]?["queryString"], [["name": "x", "value": "1"]])
    expectEqual(entry["request"]?["headersSize"], 120)
  }
}
