import Foundation
import TestSupport
import Testing
import WindTunnel

/// `windtunnel proxy` with the clients that people have.
@Suite(.timeLimit(.minutes(5))) struct ProxyCommandTests {
  private static let slow = """
    {"windtunnelScenario":1,"name":"slow",
     "link":{"upDelayMilliseconds":60,"downDelayMilliseconds":40}}
    """

  /// A server to ask and a proxy to ask it through.
  private func fly(
    _ words: [String],
    in scratch: Scratch,
    _ body: (_ origin: String, _ proxy: String) async throws -> Void
  ) async throws -> Program.Run {
    let (origin, url) = try await Server.start(in: scratch)
    let proxy = try Flight(["proxy"] + words, in: scratch)
    let place = try #require(try await proxy.line())
    try await body(url, place)
    proxy.signal(SIGINT)
    let run = try await proxy.end()
    origin.signal(SIGINT)
    _ = try await origin.end()
    return run
  }

  private func report(_ scratch: Scratch) throws -> String {
    let file = scratch.folder.appendingPathComponent("flight.json")
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test(.enabled(if: Companion.find("curl") != nil, "curl is not here."), arguments: [false, true])
  func `curl sees the link's latency, in plain HTTP and in a tunnel`(isTunnel: Bool) async throws {
    let scratch = try Scratch()
    try scratch.write(Self.slow, to: "slow.json")
    let words = ["--scenario", "slow.json", "--report", "flight.json", "--report", "flight.html"]
    let run = try await fly(words, in: scratch) { origin, proxy in
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
    let report = try report(scratch)
    #expect(report.contains("\"seenBy\": \"proxy\""))
    #expect(report.contains(isTunnel ? "\"host\": \"127.0.0.1:" : "\"requests\": 1,"))
    expectEqual(report.contains("What was in 1 tunnel: "), isTunnel)
    let page = scratch.folder.appendingPathComponent("flight.html")
    let html = try String(contentsOf: page, encoding: .utf8)
    #expect(html.contains("<h2>slow</h2>"))
    // A page that needs nothing else: what it names is text, not something to load.
    #expect(!html.contains("src=") && !html.contains("href=") && !html.contains("<script"))
  }

  @Test(.enabled(if: Companion.find("python3") != nil, "python3 is not here."))
  func `Python's client is recorded, and played without its server`() async throws {
    let scratch = try Scratch()
    let client = """
      import sys, urllib.request
      proxy = urllib.request.ProxyHandler({"http": sys.argv[1]})
      opener = urllib.request.build_opener(proxy)
      opener.addheaders = [("Authorization", "Bearer invented-token-0123456789")]
      print(opener.open(sys.argv[2] + "/home").status)
      """
    try scratch.write(client, to: "client.py")
    var asked = ""
    let run = try await fly(["--record", "tape.json"], in: scratch) { origin, proxy in
      asked = origin
      let python = try await Companion.run(["python3", "client.py", proxy, origin], in: scratch)
      #expect(python.text == "200\n" && python.code == 0)
    }
    expectEqual(run.code, 0)
    expectEqual(run.err, "tape.json: 1 interactions\n")
    let tape = try String(
      contentsOf: scratch.folder.appendingPathComponent("tape.json"),
      encoding: .utf8
    )
    #expect(tape.contains("\(asked)/home") && !tape.contains("invented-token"))
    #expect(!FileManager.default.fileExists(atPath: "\(scratch.folder.path)/tape.json.journal"))
    // That server is gone; the tape answers for it.
    let again = try await fly(["--cassette", "tape.json"], in: scratch) { _, proxy in
      let python = try await Companion.run(["python3", "client.py", proxy, asked], in: scratch)
      #expect(python.text == "200\n" && python.code == 0)
    }
    expectEqual(again.err, "")
  }

  @Test(.enabled(if: Companion.find("curl") != nil, "curl is not here."))
  func `a recording that cannot be written takes the report with it no more`() async throws {
    let scratch = try Scratch()
    let tape = scratch.folder.appendingPathComponent("tape.json")
    let words = ["--record", "tape.json", "--report", "flight.json"]
    let run = try await fly(words, in: scratch) { origin, proxy in
      let curl = try await Companion.run(
        ["curl", "-sS", "--noproxy", "", "-x", proxy, "\(origin)/home"],
        in: scratch
      )
      expectEqual(curl.code, 0, "\(curl.text)")
      // Not even root replaces a directory by a file.
      try FileManager.default.createDirectory(at: tape, withIntermediateDirectories: false)
    }
    expectEqual(run.code, 73, "\(run.err)")
    #expect(run.err.contains("flight.json: the report\n") && run.err.contains("tape.json"))
    #expect(try report(scratch).contains("\"requests\": 1,"))
  }

  @Test func `on the local network it says what the phone wants to know, and ends in time`()
    async throws
  {
    let scratch = try Scratch()
    let words = ["proxy", "--lan", "--bind", "127.0.0.1", "--for", "300ms"]
    let run = try await Program.run(words, in: scratch)
    expectEqual(run.code, 0)
    let port = try #require(run.out.split(separator: ":").last?.dropLast())
    let code = try #require(run.err.firstMatch(of: #/enter the code (\d{6})\./#)).1
    expectEqual(
      run.err,
      """
      On the phone: Settings → Wi-Fi → (i) → Configure Proxy → Manual
        Server  127.0.0.1
        Port    \(port)
      Then open http://wind.tunnel/ there and enter the code \(code).
      This proxy ends in 1 min.
      The time is up.

      """
    )
  }

  @Test func `a device that is named is asked for no code, and no two runs have the same`()
    async throws
  {
    let words = ["proxy", "--lan", "--bind", "127.0.0.1", "--for", "1ms"]
    let scratch = try Scratch()
    let named = try await Program.run(words + ["--client", "127.0.0.2"], in: scratch)
    #expect(named.err.contains("Then open http://wind.tunnel/ there.\nThis proxy ends"))
    let first = try await Program.run(words, in: scratch)
    let second = try await Program.run(words, in: scratch)
    let code = #/the code (\d{6})\./#
    #expect(
      try #require(first.err.firstMatch(of: code)).1 != #require(second.err.firstMatch(of: code)).1
    )
  }

  @Test(arguments: [
    (["--cassette", "a.json", "--record", "b.json"], 64, "plays what is in FILE already"),
    (["--bind", "10.0.0.1"], 64, "--bind goes with --lan"),
    (["--client", "10.0.0.1"], 64, "--client goes with --lan"),
    (["--allow-private", "10.0.0.1"], 64, "--allow-private goes with --lan"),
    (
      ["--lan", "--bind", "127.0.0.1", "--allow-private", "127.0.0.1"], 64,
      "with a port where it is 127.0.0.1"
    ),
    (
      ["--lan", "--bind", "127.0.0.1", "--allow-private", "desk.local:80"], 64,
      "an address such as 10.1.2.3 or 10.1.2.3:8080"
    ),
    (["--lan", "--bind", "0.0.0.0"], 69, "open to all"),
    (["--lan", "--bind", "127.0.0.1", "--client", "8.8.8.8"], 64, "the address of a device"),
    (["--report", "a.txt"], 64, "a name that ends in .html or .json"),
    (["--cassette", "gone.json"], 66, "gone.json"),
    (["--scenario", "gone"], 64, "gone"),
    (["--scenario", "calm", "--scenario", "calm"], 64, "Two of the scenarios are called \"calm\""),
  ])
  func `what makes no sense is refused before anything starts`(
    words: [String],
    code: Int32,
    sentence: String
  ) async throws {
    let run = try await Program.run(["proxy"] + words, in: Scratch())
    #expect(run.code == code && run.out == "")
    #expect(run.err.contains(sentence), "\(run.err)")
  }

  @Test func `weather that cannot be carried in a tunnel is named when it starts`() async throws {
    let run = try await fly(["--scenario", "rate-limited"], in: Scratch()) { _, _ in }
    expectEqual(
      run.err,
      "rate-limited: statuses and rules by path act on plain HTTP; what is in a tunnel "
        + "meets the link, and faults by host and connection.\n"
    )
  }

  /// Runs the tool in a pseudo-terminal, presses keys, and tells what it printed, how it ended and
  /// whether the terminal was given back.
  private static let pseudoTerminal = """
    import os, pty, sys, termios
    gate, opener = os.pipe()
    child, master = pty.fork()
    if child == 0:
        os.read(gate, 1)
        os.execv(sys.argv[2], sys.argv[2:])
    before = termios.tcgetattr(master)[3]
    os.write(opener, b"x")
    text, keys = "", list(sys.argv[1])
    wanted = ["done.", *["latency", "× 1", "× 1", ""]] if len(keys) > 1 else ["done.", ""]
    raw = None
    while True:
        try:
            some = os.read(master, 4096)
        except OSError:
            break
        if not some:
            break
        text += some.decode()
        while wanted and wanted[0] and wanted[0] in text:
            text = text.split(wanted.pop(0), 1)[1]
            raw = raw or termios.tcgetattr(master)[3]
            os.write(master, keys.pop(0).encode())
    after = termios.tcgetattr(master)[3]
    status = os.waitpid(child, 0)[1]
    cooked = termios.ICANON | termios.ECHO
    print(status, raw & cooked == 0, after & cooked == cooked, before == after)
    """

  @Test(
    .enabled(if: Companion.find("python3") != nil, "python3 is not here."),
    arguments: ["nobq", "\u{3}"]
  )
  func `keys at a terminal act at once, and the terminal is given back`(keys: String) async throws {
    let scratch = try Scratch()
    try scratch.write(Self.pseudoTerminal, to: "terminal.py")
    let tool = try Program.executable().path
    let words = ["--scenario", "calm", "--scenario", "latency", "--report", "flight.json"]
    let run = try await Companion.run(
      ["python3", "terminal.py", keys, tool, "proxy"] + words,
      in: scratch
    )
    expectEqual(run.text, "0 True True True\n")
    let report = try report(scratch)
    let names = report.components(separatedBy: "\"name\": ").dropFirst().map { $0.prefix(9) }
    if keys == "nobq" {
      expectEqual(names.map(String.init), ["\"calm\",\n ", "\"latency\""])
      #expect(report.contains("\"shown\": 1") && report.contains("\"blank\": 1"))
    } else {
      expectEqual(names.map(String.init), ["\"calm\",\n "])
    }
  }
}
