import TestSupport

@testable import windtunnel_cli

/// A command behind `--` whose end is not known is no success.
@Suite(.timeLimit(.minutes(5))) struct CommandEndTests {
  @Test func `a recording whose task is cancelled ends its command and keeps no cassette`()
    async throws
  {
    let scratch = try Scratch()
    let (asked, asks) = AsyncStream<Void>.makeStream()
    let all = Cassette(
      ["/a", "/b"].map { path in
        Interaction(Request("GET", RequestURL("http://up.test\(path)")), Response(body: Body("x")))
      }
    )
    let origin = try await ReplayServer(
      Deck(all, options: PlaybackOptions(), observe: { _ in asks.yield() })
    )
    let asking = ["/a", "/b"].map { "{ \(Server.client(of: $0)[2]); }" }.joined(separator: "; ")
    let script = "echo $$ > '\(scratch.file("number").path)'; \(asking); exec sleep 1000"
    let words = [
      "record", origin.url, "--cassette", scratch.file("a.json").path, "--", "bash", "-c", script,
    ]
    let recording = Task { await Tool.run(words) }
    // The second request is sent when the first is recorded.
    for await _ in asked.prefix(2) {}
    recording.cancel()
    #expect(await recording.value != .done)
    #expect(!scratch.has("a.json"))
    let number = try scratch.text("number").dropLast()
    #expect(kill(try #require(Int32(number)), 0) != 0, "it still runs")
    await origin.stop()
  }

  #if os(Linux)
    @Test func `a command that fails is seen to, where ends of programs are ignored`() async throws
    {
      let scratch = try Scratch()
      let run = try await scratch.run(
        ["/bin/bash", "-c", #"trap "" CHLD; exec "$0" "$@""#, try Program.executable().path]
          + ["record", "http://127.0.0.1:1", "--cassette", "a.json", "--", "sh", "-c", "exit 3"],
        isTool: false
      ).exits(1)
      #expect(run.err.hasPrefix("sh exited with status 3.\n"), "\(run)")
    }
  #endif
}
