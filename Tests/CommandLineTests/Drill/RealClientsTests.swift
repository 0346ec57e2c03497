import TestSupport

/// Clients that people have, against the built tool. `Scripts/development/real-clients` flies those
/// that are programs; one that this machine has not got is skipped in words.
@Suite(.world, .timeLimit(.minutes(5))) struct RealClientsTests {
  private static let script = "\(Repository.root.path)/Scripts/development/real-clients"

  @Test(arguments: ["curl-recorded", "curl-ranges", "curl-upload", "requests", "nginx", "chromium"])
  func `real clients cannot distinguish the cassette from its server`(client: String) async throws {
    let tool = try Program.executable().path
    let run = try await Companion.run([Self.script, "--with", tool, client], in: try Scratch())
    expectEqual(run.code, 0, "\(run.text)")
    guard run.text.hasPrefix("skip  ") else {
      #expect(run.text.hasPrefix("pass  \(client): "), "\(run.text)")
      return
    }
    try Test.cancel("\(run.text)")
  }

  @Test func `URLSession is answered by base URL and through http_proxy alike`() async throws {
    let scratch = try Scratch()
    let page = Repository.root.appendingPathComponent("Cassettes/examples/page.json").path
    let (server, url) = try await Server.start(page, in: scratch)
    let (proxy, place) = try await scratch.start(["proxy", "--cassette", page])
    // The environment is a process's own, and is read when it asks for the first time.
    await #expect(processExitsWith: .success) { [url = url as String, place = place as String] in
      setenv("http_proxy", place, 1)
      setenv("no_proxy", "127.0.0.1", 1)
      for base in [url, "http://page.example.test"] {
        let answer = await ask("\(base)/greeting.json")
        expectEqual(answer.status, 200)
        expectEqual(answer.body, "{\"greeting\": \"good morning\"}\n", "\(base): \(answer.body)")
      }
    }
    for flight in [server, proxy] {
      try await flight.interrupt().exits(0)
    }
  }
}
