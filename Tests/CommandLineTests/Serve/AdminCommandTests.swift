import TestSupport
import WindTunnel

/// `--admin-port`, and the end of what it watches.
@Suite(.timeLimit(.minutes(5))) struct AdminCommandTests {
  static let slow = """
    {"windtunnel":1,"interactions":[{"request":{"url":"http://origin.test/slow"},
     "response":{"text":"late"},"timing":{"firstByteMilliseconds":400,"lastByteMilliseconds":800}}]}
    """

  @Test(.enabled(if: Companion.find("curl") != nil, "curl is not here."))
  func `curl asks and changes the scenario`() async throws {
    let scratch = try Scratch()
    let flight = try Flight(line("serve --cassette \(Repository.shop) --admin-port 0"), in: scratch)
    let url = try #require(try await flight.line())
    let admin = try #require(try await flight.line())
    #expect(admin.hasPrefix("http://127.0.0.1:") && admin != url)
    func curl(_ words: String...) async throws -> String {
      try await Companion.run(["curl", "-sS", "--noproxy", "*"] + words, in: scratch).text
    }
    let status = ["-o", "/dev/null", "-w", "%{http_code}"]
    try await expectEqual(curl(status[0], status[1], status[2], status[3], "\(url)/home"), "200")
    #expect(
      try await curl("-d", #"{"request":"GET /home","times":1}"#, "\(admin)/verify")
        .hasPrefix(#"{"passed": true, "asked": "GET /home exactly once""#)
    )
    let swapped = try await curl("-X", "PUT", "-d", #"{"name":"offline"}"#, "\(admin)/scenario")
    #expect(swapped.contains("serve has one port for all connections"), "\(swapped)")
    let text = #"{"windtunnelScenario":1,"name":"x","rules":[{"faults":[{"status":418}]}]}"#
    _ = try await curl("-X", "PUT", "-d", text, "\(admin)/scenario")
    try await expectEqual(curl(status[0], status[1], status[2], status[3], "\(url)/home"), "418")
    #expect(
      try await curl("\(admin)/metrics").contains("windtunnel_faults_total{fault=\"status\"} 1")
    )
    #expect(try await curl("-X", "POST", "-i", "\(admin)/reset").hasPrefix("HTTP/1.1 204"))
    try await expectEqual(
      flight.interrupt(),
      Program.Run(code: 0, out: "\(url)\n\(admin)\n", err: "")
    )
  }

  /// What a command prints, beside what it writes, when it is told to end in the middle of an answer.
  @Test(arguments: ["serve", "record", "proxy"], [SIGINT, SIGTERM])
  func `a signal lets an answer end, keeps the recording, and the code is 0`(
    command: String,
    signal: Int32
  ) async throws {
    let scratch = try Scratch()
    try scratch.write(Self.slow, to: "slow.json")
    let (origin, upstream) = try await Server.start("slow.json", "--speed 1", in: scratch)
    let words =
      switch command {
      case "serve": ["serve", "--cassette", "slow.json", "--speed", "1"]
      case "record": ["record", "--upstream", upstream, "--cassette", "new.json"]
      default: ["proxy", "--record", "new.json"]
      }
    let (flight, url) = try await scratch.start(words + ["--admin-port", "0"])
    let admin = try #require(try await flight.line())
    // A proxy is asked by a whole address (RFC 9112 §3.2.2).
    let target = command == "proxy" ? "\(upstream)/slow" : "/slow"
    // An answer that had ended before anyone could look is asked for once more.
    var asking: [Task<String, any Error>] = []
    repeat {
      asking.append(
        Task { try await Server.raw(url, "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", in: scratch) }
      )
    } while !(await isOneInFlight(of: asking.count, admin))
    flight.signal(signal)
    for asking in asking {
      let answer = try await asking.value
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
      #expect(answer.hasSuffix("\r\n\r\nlate"), "\(answer)")
    }
    let run = try await flight.end()
    let kept = command == "serve" ? "" : "new.json: \(asking.count.counted("interaction"))\n"
    expectEqual(run, Program.Run(code: 0, out: "\(url)\n\(admin)\n", err: kept))
    if command != "serve" {
      let tape = try Cassette(contentsOf: scratch.file("new.json"))
      expectEqual(tape.interactions.map(\.response?.body.text), asking.map { _ in "late" })
      #expect(!scratch.has("new.json.journal"))
    }
    try await origin.interrupt()
  }

  /// Whether one of so many requests is being answered; not, once all have been.
  private func isOneInFlight(of count: Int, _ admin: String) async -> Bool {
    while true {
      let requests = await ask("\(admin)/requests").body
      if requests.contains("\"ending\": null") { return true }
      if requests.components(separatedBy: "\"ending\":").count > count { return false }
    }
  }

  @Test func `a body is refused beyond the limit that was given, and taken up to it`() async throws
  {
    let scratch = try Scratch()
    let text =
      #"{"windtunnel":1,"interactions":[{"request":{"method":"POST","url":"/a"},"response":{"text":"ok"}}]}"#
    try scratch.write(text, to: "a.json")
    let (flight, url) = try await Server.start("a.json", "--body-bytes-max 4", in: scratch)
    let head = "POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: "
    let taken = try await Server.raw(url, "\(head)4\r\n\r\n1234", in: scratch)
    #expect(taken.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(taken)")
    let refused = try await Server.raw(url, "\(head)5\r\n\r\n", in: scratch)
    #expect(refused.hasPrefix("HTTP/1.1 413 "), "\(refused)")
    try await flight.interrupt().exits(0)
  }
}

extension Server {
  /// Sends bytes to a server and answers all that it says until it closes: what every machine with a
  /// shell has.
  static func raw(_ url: String, _ text: String, in scratch: Scratch) async throws -> String {
    let port = url.split(separator: ":").last.map(String.init) ?? ""
    let own = try Scratch()
    try own.write(text, to: "request")
    let script = "exec 3<>/dev/tcp/127.0.0.1/\(port); cat request >&3; cat <&3"
    return try await Companion.run(["bash", "-c", script], in: own).text
  }
}
