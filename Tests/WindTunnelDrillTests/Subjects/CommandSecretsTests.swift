import TestSupport

@testable import WindTunnelDrill

/// What a report keeps of a program's command.
@Suite struct CommandSecretsTests {
  /// Too plain a word to be found by its shape.
  private static let secret = "hunterzwei"
  private static let gone = "REDACTED-argument"
  private static let pair = Data("ada:hunterzwei".utf8).base64EncodedString()

  @Test(arguments: try TestData.rows("secret-commands.json", count: 53) as [[String]])
  func `a secret is told by its place`(command: [String]) {
    let kept = CommandWords(command, environment: [:])
    for word in kept.words {
      #expect(!word.contains("hunterzwei") && !word.contains(Self.pair), "\(kept.words)")
    }
    #expect(kept.isIncomplete && kept.words.count == command.count, "\(kept.words)")
    expectEqual(kept.words.first, command.first)
    expectEqual(CommandWords(text: kept.text)?.words, kept.words)
  }

  @Test(arguments: try TestData.rows("harmless-commands.json", count: 24) as [[String]])
  func `what is no secret is kept to the letter`(command: [String]) {
    let kept = CommandWords(command, environment: ["HOME": "/root", "OLDPWD": "/srv/shop"])
    #expect(kept.words == command && !kept.isIncomplete)
  }

  @Test func `what the environment calls a secret is one, wherever a shell has put it`() {
    let environment = [
      "API_TOKEN": "hunterzwei", "SHOP_PASSWORD": "c0rrect-horse", "EDITOR": "client", "PIN": "12",
    ]
    let kept = CommandWords(
      ["./client", "hunterzwei", "--pw-c0rrect-horse", "12", "{url}"],
      environment: environment
    )
    expectEqual(kept.words, ["./client", Self.gone, "--pw-\(Self.gone)", "12", "{url}"])
    expectEqual(kept.masked("GET /a?x=hunterzwei"), "GET /a?x=\(Self.gone)")
  }

  @Test func `a secret in what was seen is replaced however an address spells it`() {
    let kept = CommandWords(["./client", "--token", "a b/c+d%e"], environment: [:])
    for spelled in ["a b/c+d%e", "a%20b%2Fc%2Bd%25e", "a%20b/c+d%25e"] {
      expectEqual(kept.masked("x=\(spelled)&y=1"), "x=\(Self.gone)&y=1", "\(spelled)")
    }
    var call = Observation(
      call: 0,
      endpoint: "GET /home",
      isCritical: true,
      ending: .failed("a b/c+d%e is refused"),
      showed: false,
      latency: .zero,
      attemptCount: 1,
      attempts: [
        .init(
          decision: .init(line: "calm/0\tGET /home?x=a%20b%2Fc%2Bd%25e&sig=abc1\t1\t[]"),
          source: .played(.unmatched)
        )
      ]
    )
    call = call.masked(by: kept)
    expectEqual(call.ending, .failed("\(Self.gone) is refused"))
    expectEqual(
      call.attempts.map(\.decision.line),
      ["calm/0\tGET /home?x=\(Self.gone)&sig=REDACTED-sig-1\t1\t[]"]
    )
    expectEqual(call.attempts[0].faults, [])
  }

  @Test func `what a program printed, and asked for in vain, has no secret of it`() {
    let kept = CommandWords(
      ["./client", "--token", "hunterzwei"],
      environment: ["TOKEN": "plainword"]
    )
    var call = Observation(isCritical: true)
    call.notOnCassette = "GET /bothunterzwei/getMe, nearest #1 GET /home"
    call.printed = "logged in as plainword by hunterz…"
    let masked = call.masked(by: kept)
    expectEqual(masked.notOnCassette, "GET /bot\(Self.gone)/getMe, nearest #1 GET /home")
    expectEqual(masked.printed, "logged in as \(Self.gone) by \(Self.gone)…")
    call.printed = "hunterzwei"
    expectEqual(call.masked(by: kept).printed, Self.gone)
    call.printed = "nothing of it…"
    expectEqual(call.masked(by: kept).printed, "nothing of it…")
  }
}
