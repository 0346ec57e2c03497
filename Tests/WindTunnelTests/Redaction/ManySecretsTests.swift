import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelRedaction

/// Responses full of different secrets, and recordings full of responses.
@Suite struct ManySecretsTests {
  /// A secret that shares no long part with any other.
  private static func secret(_ number: Int) -> String {
    let mixed = UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
    return "q7\(String(mixed, radix: 36))Z\(String(mixed.byteSwapped, radix: 36))"
  }

  private static func interaction(_ path: String, _ text: String) -> Interaction {
    let isForm = text.hasPrefix("password=")
    let type = isForm ? "application/x-www-form-urlencoded" : "application/json"
    let url = RequestURL("https://api.example.test\(path)")
    return Interaction(
      Request("GET", url),
      Response(headers: ["Content-Type": type], body: Body(text))
    )
  }

  /// A list of values under the name of a secret.
  private static func list(_ values: some Sequence<String>) -> String {
    "[\(values.map { "{\"password\":\"\($0)\"}" }.joined(separator: ","))]"
  }

  @Test func `different secrets cost the same each, in whatever they stand`() async {
    let forms: [([String]) -> String] = [
      Self.list, { $0.map { "password=\($0)" }.joined(separator: "&") },
      { $0.map { "password: \($0)\n" }.joined() },
      // Base64 in base64 in base64.
      { (0..<3).reduce(Self.list($0)) { text, _ in "a \(Data(text.utf8).base64EncodedString())" } },
    ]
    for (number, form) in forms.enumerated() {
      let growth = Growth(of: 16_384) { count in
        var redaction = Redaction(continuing: [])
        _ = redaction.redact([Self.interaction("/", form((0..<count / 48).map(Self.secret)))])
        expectEqual(redaction.leftOut, [])
      }
      #expect(growth.isLinear, "form \(number): \(growth)")
      await Task.yield()
    }
  }

  @Test func `as many as are looked for are taken out, and one more leaves their response out`() {
    let secrets = (0...Pseudonyms.soughtMax).map(Self.secret)
    let stands = secrets.indices.map { "REDACTED-password-\($0 + 1)" }
    var cassette = Cassette([
      Self.interaction("/echo", "{\"a\":\"\(secrets[7])\",\"b\":\"said \(secrets[2000]) twice\"}"),
      // A value that is repeated counts once, and each interaction by itself.
      Self.interaction("/all", Self.list(secrets.dropLast() + secrets.prefix(9))),
      Self.interaction("/more", Self.list(secrets)),
    ])
    // Notes cannot be left out, and have no limit.
    cassette.notes = [JSON.Member("list", .array(secrets.map { ["password": .text($0)] }))]
    let (redacted, leftOut) = cassette.redacted()
    expectEqual(
      redacted.interactions.map { $0.response?.body.text },
      [
        "{\"a\":\"\(stands[7])\",\"b\":\"said \(stands[2000]) twice\"}",
        Self.list(stands.dropLast() + stands.prefix(9)),
      ]
    )
    let notes = [JSON.Member("list", .array(stands.map { ["password": .text($0)] }))]
    expectEqual(redacted.notes, notes)
    let reason = "has more than 2048 credentials, the maximum of a search"
    expectEqual(leftOut, ["GET https://api.example.test/more: it \(reason)"])
    expectEqual(CassetteLint(cassette).unopened, ["#3 \(reason)"])
  }

  @Test func `what was built to look for many secrets beside is taken over with its names`() {
    var all = Redaction(continuing: [])
    let start = all
    var beside = start
    let secrets = (0..<2000).map(Self.secret)
    _ = beside.redact([Self.interaction("/large", Self.list(secrets))])
    // Others have meanwhile learnt one of them, and another secret.
    _ = all.redact([Self.interaction("/1", Self.list([secrets[500], Self.secret(5000)]))])
    let ordinals = all.adopt(beside, since: start)
    expectEqual(ordinals.count, 2000)
    #expect(Set(all.takeLearned()).isSuperset(of: secrets + [Self.secret(5000)]))
    let later = all.redact([
      Self.interaction(
        "/3",
        "{\"a\":\"\(secrets[0]) \(secrets[500]) \(secrets[1999])\",\"b\":\"\(Self.secret(5000))\"}"
      )
    ])
    expectEqual(
      later.map { $0.response?.body.text },
      [
        "{\"a\":\"REDACTED-password-3 REDACTED-password-1 REDACTED-password-2001\","
          + "\"b\":\"REDACTED-password-2\"}"
      ]
    )
  }

  @Test func `the lines of a journal are not asked for each new secret`() throws {
    let folder = try TemporaryFolder()
    let count = 16_384
    let journals = try [count, 4 * count].map {
      try RecordingJournal(besides: folder.file("\($0).json"))
    }
    let growth = Growth(of: count) { bytes in
      let (journal, count) = (journals[bytes == count ? 0 : 1], bytes / 64)
      for order in 0..<count {
        journal.append(Self.interaction("/\(order)", "{\"a\":\"plain\"}"), order: order)
      }
      let secrets = Self.list((0..<count).map(Self.secret))
      journal.append(Self.interaction("/all", secrets), order: count)
      expectNil(journal.problem)
      journal.close()
    }
    #expect(growth.isLinear, "\(growth)")
  }
}
