import Origins
import TestSupport
import WindTunnelReports

/// Programs as subjects of the tool: where they are sent, and which weather they can be flown in.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Companion.find("curl") != nil, "curl is not here."))
struct ProgramFlightTests {
  /// What a listening socket was asked, without waiting.
  private static func arrivals(at port: LoopbackPort) -> Int {
    _ = fcntl(port.descriptor, F_SETFL, O_NONBLOCK)
    var count = 0
    while case let client = accept(port.descriptor, nil, nil), client >= 0 {
      close(client)
      count += 1
    }
    return count
  }

  @Test(arguments: [[], ["--scenario", "outage"], ["--scenario", "weak-network"]])
  func `a program in process is refused before it starts, and no request is sent`(
    words: [String]
  ) async throws {
    let scratch = try Scratch()
    let origin = try LoopbackPort()
    defer { origin.close() }
    let tape =
      #"{"windtunnel":1,"interactions":[{"request":{"url":"http://127.0.0.1:\#(origin.number)/x"},"response":{"text":"x"}}]}"#
    try scratch.write(tape, to: "tape.json")
    let run = try await scratch.run(
      line("drill --cassette tape.json --stage in-process --subject exec --calls 3") + words + [
        "--", "sh", "-c", "touch started; curl -s {url}",
      ]
    )
    #expect(run.code == 64 && run.out == "", "\(run)")
    #expect(run.err.contains("cannot run in process by a program"), "\(run)")
    #expect(!scratch.has("started"))
    expectEqual(Self.arrivals(at: origin), 0)
  }

  @Test func `a client that adds query items gets the flags that match them, and then passes`()
    async throws
  {
    let scratch = try Scratch()
    let words = line("drill --scenario calm --calls 6 --concurrency 1 --report r.json")
    let script =
      #"case $1 in *\?*) s='&';; *) s='?';; esac; curl -sSf "$1${s}_=$WINDTUNNEL_CALL$$&app=shop""#
    let client = ["--", "sh", "-c", script, "-", "{url}"]
    let lost = try await scratch.run(words + client).exits(98)
    #expect(
      lost.out.contains(
        "\ncalm: 6 calls had no recording, first: GET /home with \"_\" and "
          + "\"app\" added to the query of #1 GET https://shop.example.test/home; --ignore-query _ "
          + "--ignore-query app ignores them; not counted in any rate\n"
      ),
      "\(lost)"
    )
    let flags = ["--ignore-query", "_", "--ignore-query", "app"]
    try await scratch.run(words + flags + client).exits(0)
    let report = try Report(contentsOf: scratch.file("r.json"))
    let calls = report.scenarios.flatMap(\.subjects).flatMap(\.observations)
    #expect(calls.map(\.ending) == calls.map { _ in .succeeded } && calls.count == 6)
    // It meets what it would meet if it added nothing.
    expectEqual(calls[0].attempts.map(\.decision.line), ["calm/0\tGET /home\t1\t[]"])
    expectEqual(calls[0].attempts[0].sent?.addsParameters, true)
    try await scratch.run("drill --again r.json#calm/home/0").exits(0)
  }

  @Test func `a group runs the scenarios that a program supports, and reports the others`()
    async throws
  {
    let words = ["drill", "--subject", "exec", "--calls", "1", "--json", "--scenario"]
    let run = try await Scratch().run(words + ["weak-network", "--", "true", "{url}"])
    let report = try Report(data: Data(run.out.utf8), source: "drill")
    expectEqual(
      report.scenarios.map(\.name),
      ["very-bad-network", "metro", "elevator", "handover", "slow-dns", "ipv6-blackhole"]
    )
    let reason = #"Scenario "airplane-mode" cannot run by a program: "#
    #expect(run.err.contains("windtunnel: not run: \(reason)"), "\(run.err)")
    let left = report.environment.first { $0.name == "notRun" }
    expectEqual(left?.value.hasPrefix(reason), true)
    #expect(report.text().contains("not run: \(reason)"))
    // By itself it is what was asked for, and cannot be had.
    let alone = try await Scratch().run(words + ["airplane-mode", "--", "true", "{url}"])
    #expect(alone.code == 64 && alone.out == "", "\(alone)")
    #expect(alone.err.hasPrefix("windtunnel: \(reason)"), "\(alone)")
  }
}
