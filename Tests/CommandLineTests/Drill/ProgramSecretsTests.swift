import TestSupport
import WindTunnel

/// What a program is given as a secret is in nothing that is written, shown or told.
@Suite(.timeLimit(.minutes(5))) struct ProgramSecretsTests {
  private static let secrets = ["hunterzwei", "bearerdrei", "passwortvier", "umgebungfuenf"]
  private static let command =
    line("curl -s --noproxy * --oauth2-bearer bearerdrei -u ada:passwortvier")
    + ["-H", "X-Api-Key: umgebungfuenf", "{base}/home?access_token=hunterzwei"]

  private static let tape =
    #"{"windtunnel":1,"interactions":[{"request":{"url":"http://a.test/home?access_token=REDACTED-access-token-1"},"response":{"text":"x"}}]}"#

  @Test(.enabled(if: Companion.find("curl") != nil, "curl is not here."))
  func `no report of any form has a secret of the program, nor has the line that flies it again`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write(Self.tape, to: "tape.json")
    let forms = ["a.json", "a.html", "a.md", "a.xml", "a.csv", "a.txt"]
    let words =
      ["drill", "--cassette", "tape.json", "--scenario", "server-errors", "--seed", "7"]
      + ["--calls", "12", "--timeout", "30s"]
      + ["--gate", "successRate == 1"] + forms.flatMap { ["--report", $0] } + ["--"]
    let environment = ["SHOP_TOKEN": "umgebungfuenf"]
    let fails = Array(Self.command.prefix(1)) + ["-f"] + Self.command.dropFirst()
    let run = try await scratch.run(words + fails, with: environment)
    #expect(run.code == 99 || run.code == 98, "\(run)")
    var texts = [run.out, run.err]
    for form in forms { texts.append(try scratch.text(form)) }
    #expect(texts[2].contains("access_token=REDACTED-"), "its requests came, and are told")
    for form in ["text", "json", "markdown", "html", "junit", "csv"] {
      texts.append(try await scratch.run("report a.json --format \(form)").out)
    }
    let line = try #require(run.out.split(separator: "\n").first { $0.contains(" --again ") })
    let call = try #require(line.split(separator: " ").last.map(String.init))
    let bare = try await scratch.run("drill --again \(call)")
    #expect(bare.code == 64 && bare.err.contains("Pass it after --."), "\(bare)")
    let again = try await scratch.run(["drill", "--again", call, "--"] + fails, with: environment)
    #expect(again.out.contains("  The faults are equal to the report's: "), "\(again)")
    texts += [bare.out, bare.err, again.out, again.err]
    for (number, text) in texts.enumerated() {
      for secret in Self.secrets { #expect(!text.contains(secret), "\(number): \(secret)") }
    }
  }

  @Test(.enabled(if: Companion.find("curl") != nil, "curl is not here."))
  func `the admin port tells of a request without its secrets`() async throws {
    let scratch = try Scratch()
    try scratch.write(Self.tape, to: "a.json")
    let (flight, url) = try await scratch.start("serve a.json --admin-port 0")
    let admin = try #require(try await flight.line())
    for target in ["/home", "/none"] {
      let words = Self.command.map { $0.replacing("{base}/home", with: "\(url)\(target)") }
      _ = try await Companion.run(words, in: scratch)
    }
    var texts: [String] = []
    for path in ["requests", "interactions", "metrics", "health", "scenario"] {
      texts.append(await ask("\(admin)/\(path)").body)
    }
    for question in [
      #"{"request":"GET /home","times":1}"#, #"{"inOrder":["GET /home","GET /none"]}"#,
    ] {
      let asking = ["curl", "-s", "--noproxy", "*", "-d", question, "\(admin)/verify"]
      texts.append(try await Companion.run(asking, in: scratch).text)
    }
    #expect(texts[0].contains("/home?access_token=REDACTED-access-token-1"), "\(texts[0])")
    #expect(texts[5].contains(#""passed": true"#) && texts[6].contains(#""passed": true"#))
    let run = try await flight.interrupt()
    texts += [run.out, run.err]
    for (number, text) in texts.enumerated() {
      for secret in Self.secrets { #expect(!text.contains(secret), "\(number): \(text)") }
    }
  }
}
