import TestSupport
import WindTunnelDrill

/// A recorder that may open too few files.
@Suite(.timeLimit(.minutes(5))) struct OpenFilesTests {
  @Test func `requests beyond the descriptor limit get 503, are not recorded, and cause exit 70`()
    async throws
  {
    let scratch = try Scratch()
    // Answers that take a while, so that many are under way at once.
    let late =
      #"{"windtunnelScenario":1,"name":"s","rules":[{"faults":[{"delayMilliseconds":1500}]}]}"#
    try scratch.write(late, to: "late.json")
    let (upstream, url) = try await Server.start(
      Repository.shop,
      "--scenario late.json",
      in: scratch
    )
    let tool = try Program.executable().path
    let command =
      #"ulimit -n 32; exec "$0" record --upstream "$1" --cassette a.json --mode new-episodes"#
    let words = ["/bin/sh", "-c", command, tool, url]
    let (flight, proxy) = try await scratch.start(words, isTool: false)
    let port = try #require(proxy.split(separator: ":").last)
    let script = """
      for number in $(seq 100); do
        ( exec 3<>/dev/tcp/127.0.0.1/\(port)
          printf 'GET /home?%s HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' $number >&3
          head -1 <&3 >> answers; cat <&3 > rest.$number ) &
      done
      wait
      """
    try scratch.write(script, to: "ask.sh")
    try await expectEqual(Companion.run(line("bash ask.sh"), in: scratch).code, 0)
    let run = try await flight.interrupt()
    let answers = try scratch.text("answers").split(whereSeparator: \.isNewline)
    let refused = answers.count { $0.contains(" 503 ") }
    #expect(answers.count == 100 && refused > 0)
    expectEqual(run.code, 70, "\(run)")
    let requests = refused == 1 ? "1 request was" : "\(refused) requests were"
    #expect(
      run.err.contains(
        "\(requests) not passed on; the client received 503: this process has too many open files; "
          + "see ulimit -n\n"
      ),
      "\(run.err)"
    )
    #expect(run.err.contains("skipped: GET http://127.0.0.1:"), "\(run.err)")
    let tape = try Cassette(contentsOf: scratch.file("a.json"))
    expectEqual(tape.interactions.count, 100 - refused)
    #expect(tape.interactions.allSatisfy { $0.failure == nil && $0.response != nil })
    try await upstream.interrupt()
  }

  @Test func `cassette verify reports a failure that the recorder caused`() async throws {
    let scratch = try Scratch()
    let failure =
      #"{"symptom":"connectionLost","text":"this process has too many open files; see ulimit -n"}"#
    let request = #"{"request":{"url":"https://api.example.test/a"},"failure":"#
    try scratch.write(#"{"windtunnel":1,"interactions":[\#(request)\#(failure)}]}"#, to: "a.json")
    let run = try await scratch.run("cassette verify a.json").exits(1)
    expectEqual(
      run.out,
      "a.json: #1: the recorder itself failed because it had too many open files; record it again\n"
    )
  }
}
