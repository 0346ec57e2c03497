import TestSupport
import WindTunnel
import WindTunnelServer

/// A `windtunnel serve` of a test.
enum Server {
  /// Starts one and waits until it listens.
  static func start(
    _ cassette: String = Repository.shop,
    _ more: CommandLine...,
    in scratch: Scratch
  ) async throws -> (flight: Flight, url: String) {
    // It stands for real servers, too, and is asked by the names that their recordings bear.
    let words = ["serve", "--cassette", cassette, "--allow-origin", "*"]
    let flight = try Flight(words + more.flatMap(\.words), in: scratch)
    return (flight, try #require(try await flight.line()))
  }

  /// A port at which nobody listens, and its URL, for as long as the port is kept.
  static func closedPort() throws -> (port: ClosedPort, url: String) {
    let port = try ClosedPort()
    return (port, "http://127.0.0.1:\(port.port)")
  }

  /// A command that asks for a path: what every machine with a shell has.
  static func client(of path: String) -> [String] {
    [
      "bash", "-c",
      "exec 3<>/dev/tcp/127.0.0.1/${WINDTUNNEL_URL##*:}; "
        + "printf 'GET \(path) HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3",
    ]
  }
}

@Suite(.timeLimit(.minutes(5))) struct ServingTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: [SIGINT, SIGTERM])
  func `serve prints its URL, answers, and ends in good order on a signal`(signal: Int32)
    async throws
  {
    let (flight, url) = try await Server.start(in: scratch)
    #expect(url.hasPrefix("http://127.0.0.1:"))
    let home = await ask("\(url)/home")
    expectEqual(home.status, 200)
    #expect(home.body.contains("\"greeting\":\"Olá, João!\""), "\(home.body)")
    let stranger = await ask("\(url)/hoem")
    expectEqual(stranger.status, 501)
    #expect(stranger.body.contains("/home"), "\(stranger.body)")
    flight.signal(signal)
    let run = try await flight.end()
    #expect(run.code == 0 && run.out == "\(url)\n")
    #expect(run.err.hasPrefix("501: GET ") && run.err.contains("/hoem is not on the cassette; "))
  }

  @Test func `serve says each 501 in one line on standard error, and no other answer`()
    async throws
  {
    let tape = #"{"windtunnel":1,"interactions":[{"request":{"url":"http://a.test/home"},"#
    try scratch.write(tape + #""response":{},"then":"fail"}]}"#, to: "a.json")
    let faults = #"[{"when":{"request":"GET /weather"},"faults":[{"status":503}]}]"#
    try scratch.write(#"{"windtunnelScenario":1,"name":"x","rules":\#(faults)}"#, to: "x.json")
    let (flight, url) = try await Server.start("a.json", "--scenario x.json", in: scratch)
    let statuses = [
      await ask("\(url)/home"), await ask("\(url)/home"), await ask("\(url)/hoem?page=%1B"),
      await ask("\(url)/weather"), await ask("\(url)/hoem?page=%1B"),
    ].map(\.status)
    expectEqual(statuses, [200, 501, 501, 503, 501])
    let run = try await flight.interrupt()
    let miss = """
      501: GET http://a.test/hoem?page=%1B is not on the cassette; nearest: #1 GET \
      http://a.test/home, differs in path: recorded /home, asked /hoem

      """
    let used = """
      501: GET http://a.test/home was already played once, and has no further recording

      """
    expectEqual(run, Program.Run(code: 0, out: "\(url)\n", err: used + miss + miss))
  }

  @Test func `serve moves dates to today where it is told to`() async throws {
    let tape = #"{"windtunnel":1,"interactions":[{"request":{"url":"/a"},"response":{"json":"#
    let text = tape + #"["2001-02-03T04:05:06Z"]},"recordedAt":"2001-02-03T04:05:06Z"}]}"#
    try scratch.write(text, to: "a.json")
    for (flags, isOld) in [([], true), (["--refresh-dates"], false)] {
      let (flight, url) = try await scratch.start(["serve", "--cassette", "a.json"] + flags)
      let body = await ask("\(url)/a").body
      expectEqual((body == #"["2001-02-03T04:05:06Z"]"#), isOld, "\(body)")
      expectEqual(body.utf8.count, 24)
      try await flight.interrupt()
    }
  }

  @Test func `serve reports responses whose dates cannot be shifted`() async throws {
    let dated = #"{"request":{"url":"/a"},"response":{},"recordedAt":"2001-02-03T04:05:06Z"}"#
    let undated = #"{"request":{"url":"/b"},"response":{"json":["2001-02-03T04:05:06Z"]}}"#
    try scratch.write(#"{"windtunnel":1,"interactions":[\#(dated),\#(undated)]}"#, to: "a.json")
    let sentence = """
      a.json: responses with neither Date nor recordedAt, whose dates are not shifted: 1 of 2. \
      Add "recordedAt" to each, or record again with record --dates.

      """
    for (flags, err) in [([], ""), (["--refresh-dates"], sentence)] {
      let (flight, url) = try await scratch.start(["serve", "--cassette", "a.json"] + flags)
      try await expectEqual(flight.interrupt(), Program.Run(code: 0, out: "\(url)\n", err: err))
    }
  }

  @Test func `serve plays the scenario that it is given`() async throws {
    let scenario = #"{"windtunnelScenario":1,"name":"x","rules":[{"when":{"first":1},"#
    try scratch.write(scenario + #""faults":[{"status":503}]}]}"#, to: "rain.json")
    let (flight, url) = try await Server.start(Repository.shop, "--scenario rain.json", in: scratch)
    await expectEqual(ask("\(url)/home").status, 503)
    await expectEqual(ask("\(url)/home").status, 200)
    try await flight.interrupt().exits(0)
  }

  @Test func `serve takes the time that was recorded, or the share that it is told`() async throws {
    try scratch.write(
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/n"},"response":{"text":"late"},"#
        + #""timing":{"firstByteMilliseconds":400,"lastByteMilliseconds":800}}]}"#,
      to: "late.json"
    )
    for (speed, least) in [("1", 800), ("2", 400)] {
      let (flight, url) = try await Server.start("late.json", "--speed \(speed)", in: scratch)
      let clock = ContinuousClock()
      let start = clock.now
      await expectEqual(ask("\(url)/n").body, "late")
      #expect(clock.now - start >= .milliseconds(least))
      try await flight.interrupt().exits(0)
    }
  }

  @Test func `a port in use ends with 69 and says which`() async throws {
    let (flight, url) = try await Server.start(in: scratch)
    let port = try #require(url.split(separator: ":").last.map(String.init))
    let second = try await scratch.run("serve --cassette \(Repository.shop) --port \(port)")
    let err = "windtunnel: Port \(port) is in use; choose another, or 0 for any free port.\n"
    expectEqual(second, Program.Run(code: 69, out: "", err: err))
    try await flight.interrupt()
  }

  @Test func `record runs a command against an upstream and writes what passed`() async throws {
    let (upstream, url) = try await Server.start(in: scratch)
    let words = ["record", "--upstream", url, "--cassette", "new.json"]
    let origin = ["--as", "https://api.example.test"]
    let run = try await scratch.run(words + origin + ["--"] + Server.client(of: "/home")).exits(0)
    #expect(run.out.contains("Olá, João!"), "\(run.out)")
    expectEqual(run.err, "new.json: 1 interaction\n")
    let cassette = try Cassette(contentsOf: scratch.file("new.json"))
    let interaction = try #require(cassette.interactions.first)
    expectEqual("\(interaction.request.url)", "https://api.example.test/home")
    expectEqual(interaction.response?.status, 200)
    // No address of this machine.
    #expect(!(try scratch.text("new.json")).contains("127.0.0.1"))
    // Once recorded it is played, and not a byte of it changes.
    let text = try scratch.text("new.json")
    let again = try await scratch.run(words + origin + ["--"] + Server.client(of: "/home")).exits(0)
    #expect(again.out.contains("Olá, João!"))
    try expectEqual(scratch.text("new.json"), text)
    try await upstream.interrupt()
  }

  @Test func `record without a command records until a signal`() async throws {
    let (upstream, url) = try await Server.start(in: scratch)
    let words = ["record", "--upstream", url, "--cassette", "new.json"]
    let (flight, proxy) = try await scratch.start(words)
    await expectEqual(ask("\(proxy)/home").status, 200)
    let run = try await flight.interrupt()
    expectEqual(run, Program.Run(code: 0, out: "\(proxy)\n", err: "new.json: 1 interaction\n"))
    try expectEqual(Cassette(contentsOf: scratch.file("new.json")).interactions.count, 1)
    try await upstream.interrupt()
  }

  @Test func `a signal is passed on to the command, and what was recorded is kept`() async throws {
    let (upstream, url) = try await Server.start(in: scratch)
    var client = Server.client(of: "/home")
    client[2] += "; echo; echo asked; exec sleep 600"
    let flight = try Flight(
      ["record", "--upstream", url, "--cassette", "new.json", "--"] + client,
      in: scratch
    )
    while let line = try await flight.line(), line != "asked" {}
    let run = try await flight.interrupt().exits(0)
    expectEqual(run.err, "new.json: 1 interaction\n")
    try await upstream.interrupt()
  }
}
