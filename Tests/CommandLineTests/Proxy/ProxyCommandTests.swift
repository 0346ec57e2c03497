import TestSupport

/// `windtunnel proxy` with the clients that people have.
@Suite(.timeLimit(.minutes(5))) struct ProxyCommandTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let slow = """
    {"windtunnelScenario":1,"name":"slow",
     "link":{"upDelayMilliseconds":60,"downDelayMilliseconds":40}}
    """

  /// A server to ask and a proxy to ask it through.
  private func drive(
    _ words: [String],
    _ body: (_ origin: String, _ proxy: String) async throws -> Void
  ) async throws -> Program.Run {
    let (origin, url) = try await Server.start(in: scratch)
    let (proxy, place) = try await scratch.start(["proxy"] + words)
    try await body(url, place)
    let run = try await proxy.interrupt()
    try await origin.interrupt()
    return run
  }

  @Test(.enabled(if: Companion.find("curl") != nil, "curl is not here."), arguments: [false, true])
  func `curl sees the link's latency, in plain HTTP and in a tunnel`(isTunnel: Bool) async throws {
    try scratch.write(Self.slow, to: "slow.json")
    let words = ["--scenario", "slow.json", "--report", "flight.json", "--report", "flight.html"]
    let run = try await drive(words) { origin, proxy in
      let start = ContinuousClock.now
      let curl = try await Companion.run(
        ["curl", "-sS", "--noproxy", "", "-x", proxy] + (isTunnel ? ["-p"] : [])
          + ["-w", "%{http_code} %{http_connect}", "\(origin)/home"],
        in: scratch
      )
      #expect(ContinuousClock.now - start >= .milliseconds(200), "a round trip to connect, and one")
      expectEqual(curl.code, 0, "\(curl.text)")
      #expect(curl.text.contains("Olá, João!"))
      #expect(curl.text.hasSuffix(isTunnel ? "200 200" : "200 000"), "\(curl.text)")
    }
    expectEqual(run.code, 0, "\(run.err)")
    let report = try scratch.text("flight.json")
    #expect(report.contains("\"seenBy\": \"proxy\""))
    #expect(report.contains(isTunnel ? "\"host\": \"127.0.0.1:" : "\"requests\": 1,"))
    expectEqual(report.contains("The content of 1 tunnel: "), isTunnel)
    let html = try scratch.text("flight.html")
    #expect(html.contains("<h2>slow</h2>"))
    // A page that needs nothing else: what it names is text, not something to load.
    let own = html.replacing("href=\"data:,\"", with: "")
    #expect(!own.contains("src=") && !own.contains("href=") && !own.contains("<script"))
  }

  @Test(.enabled(if: Companion.find("python3") != nil, "python3 is not here."))
  func `Python's client is recorded, and played without its server`() async throws {
    let client = """
      import sys, urllib.request
      proxy = urllib.request.ProxyHandler({"http": sys.argv[1]})
      opener = urllib.request.build_opener(proxy)
      opener.addheaders = [("Authorization", "Bearer invented-token-0123456789")]
      print(opener.open(sys.argv[2] + "/home").status)
      """
    try scratch.write(client, to: "client.py")
    var asked = ""
    let run = try await drive(["--record", "tape.json"]) { origin, proxy in
      asked = origin
      let python = try await Companion.run(["python3", "client.py", proxy, origin], in: scratch)
      #expect(python.text == "200\n" && python.code == 0)
    }
    expectEqual(run.code, 0)
    expectEqual(run.err, "tape.json: 1 interaction\n")
    let tape = try scratch.text("tape.json")
    #expect(tape.contains("\(asked)/home") && !tape.contains("invented-token"))
    #expect(!scratch.has("tape.json.journal"))
    // That server is gone; the tape answers for it.
    let again = try await drive(["--cassette", "tape.json"]) { _, proxy in
      let python = try await Companion.run(["python3", "client.py", proxy, asked], in: scratch)
      #expect(python.text == "200\n" && python.code == 0)
    }
    expectEqual(again.err, "")
  }

  @Test(.enabled(if: Companion.find("curl") != nil, "curl is not here."))
  func `a recording that cannot be written takes the report with it no more`() async throws {
    let words = ["--record", "tape.json", "--report", "flight.json"]
    let run = try await drive(words) { origin, proxy in
      let curl = try await Companion.run(
        ["curl", "-sS", "--noproxy", "", "-x", proxy, "\(origin)/home"],
        in: scratch
      )
      expectEqual(curl.code, 0, "\(curl.text)")
      // Not even root replaces a directory by a file.
      try scratch.makeFolder("tape.json")
    }
    expectEqual(run.code, 73, "\(run.err)")
    #expect(run.err.contains("flight.json: report\n") && run.err.contains("tape.json"))
    #expect(try scratch.text("flight.json").contains("\"requests\": 1,"))
  }

  @Test func `on the local network it says what the phone wants to know, and ends in time`()
    async throws
  {
    let words = ["proxy", "--lan", "--bind", "127.0.0.1", "--for", "300ms"]
    let run = try await scratch.run(words).exits(0)
    let port = try #require(run.out.split(separator: ":").last?.dropLast())
    let code = try #require(run.err.firstMatch(of: #/enter the code (\d{6})\./#)).1
    expectEqual(
      run.err,
      """
      On the phone: Settings → Wi-Fi → (i) → Configure Proxy → Manual
        Server  127.0.0.1
        Port    \(port)
      Then open http://wind.tunnel/ on the phone and enter the code \(code).
      This proxy ends in 1 min.
      The time limit was reached.

      """
    )
  }

  @Test func `a device that is named is asked for no code, and no two runs have the same`()
    async throws
  {
    let words = ["proxy", "--lan", "--bind", "127.0.0.1", "--for", "1ms"]
    let named = try await scratch.run(words + ["--client", "127.0.0.2"])
    #expect(named.err.contains("Then open http://wind.tunnel/ on the phone.\nThis proxy ends"))
    let first = try await scratch.run(words)
    let second = try await scratch.run(words)
    let code = #/the code (\d{6})\./#
    #expect(
      try #require(first.err.firstMatch(of: code)).1 != #require(second.err.firstMatch(of: code)).1
    )
  }

  @Test func `an address that is open to all is refused before anything starts`() async throws {
    let run = try await Scratch().run("proxy --lan --bind 0.0.0.0")
    #expect(run.code == 69 && run.out == "")
    #expect(run.err.contains("open to all"), "\(run.err)")
  }

  @Test func `a scenario that cannot be carried in a tunnel is named when it starts`() async throws
  {
    let run = try await drive(["--scenario", "rate-limited"]) { _, _ in }
    expectEqual(
      run.err,
      "rate-limited: statuses and rules for paths apply only to plain HTTP. Tunnels get "
        + "the link's conditions, and the faults of hosts and connections.\n"
    )
  }

  /// Runs the tool in a pseudo-terminal, presses keys, and tells what it printed, how it ended and
  /// whether the terminal was given back.
  private static let pseudoTerminal = TestData.text("terminal.py")

  @Test(
    .enabled(if: Companion.find("python3") != nil, "python3 is not here."),
    arguments: ["nobq", "\u{3}"]
  )
  func `keys at a terminal act at once, and the terminal is given back`(keys: String) async throws {
    try scratch.write(Self.pseudoTerminal, to: "terminal.py")
    let tool = try Program.executable().path
    let words = ["--scenario", "calm", "--scenario", "latency", "--report", "flight.json"]
    let run = try await Companion.run(
      ["python3", "terminal.py", keys, tool, "proxy"] + words,
      in: scratch
    )
    expectEqual(run.text, "0 True True True\n")
    let report = try scratch.text("flight.json")
    let names = report.components(separatedBy: "\"name\": ").dropFirst().map { $0.prefix(9) }
    if keys == "nobq" {
      expectEqual(names.map(String.init), ["\"calm\",\n ", "\"latency\""])
      #expect(report.contains("\"shown\": 1") && report.contains("\"blank\": 1"))
    } else {
      expectEqual(names.map(String.init), ["\"calm\",\n "])
    }
  }
}
