import TestSupport
import WindTunnel
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerConsole
import WindTunnelNetworkLayerDebug
import WindTunnelURLSession

/// The console inside an app: what its page shows of a client's calls, and the weather that it
/// changes.
@Suite(.timeLimit(.minutes(5))) struct NetworkLayerConsoleTests {
  private static let tape = Cassette([
    Interaction(
      Request("GET", "https://api.example.test/home"),
      Response(headers: ["Content-Type": "text/plain"], body: Body("hello"))
    )
  ])

  /// Asks the page's port.
  private func ask(_ url: URL, _ path: String, _ method: String = "GET", _ body: String = "")
    async throws -> (status: Int, text: String)
  {
    var request = URLRequest(url: url.appending(path: path))
    request.httpMethod = method
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    if method != "GET" { request.httpBody = Data(body.utf8) }
    let (data, response) = try await URLSession(configuration: .ephemeral).data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    return (status, String(decoding: data, as: UTF8.self))
  }

  private func rows(_ text: String) throws -> [JSON] {
    let json = try JSON(parsing: Data(text.utf8), source: "rows")
    guard case .array(let rows)? = json["rows"] else { return [] }
    return rows
  }

  @Test func `calls are lines with their attempts, and no secret is in them`() async throws {
    let deck = Deck(
      Self.tape,
      scenario: Scenario("once", rules: [.on("GET /home", .attempt(1), .status(503))]),
      then: .repeat
    )
    let console = NetworkLayerConsole()
    let client = NetworkClient(
      baseURL: try #require(URL(string: "https://api.example.test")),
      session: URLSession(configuration: .windTunnel(deck)),
      observer: console
    )
    let url = try await console.open()
    try await expectEqual(console.open(), url)
    var endpoint = Endpoint(.get, "/home")
    endpoint.headers["Authorization"] = "Bearer s3cr3t-zq81x"
    _ = try await client.call(endpoint)
    let told = try await ask(url, "exchanges")
    let rows = try rows(told.text)
    expectEqual(rows.map { $0["status"]?.intValue }, [503, 200])
    expectEqual(rows.map { $0["attempt"]?.intValue }, [1, 2])
    expectEqual(rows.map { $0["call"]?.stringValue }, ["1", "1"])
    let detail = try await ask(url, "exchanges/2")
    #expect(detail.text.contains(#""body":"hello""#))
    #expect(detail.text.contains("GET https://api.example.test/home"))
    #expect(!detail.text.contains("s3cr3t") && !told.text.contains("s3cr3t"))
    expectEqual(console.lines.map(\.isBroken), [true, false])
    let tape = try await ask(url, "cassettes", "POST", #"{"ids":[2]}"#)
    let kept = try Cassette(data: Data(tape.text.utf8), source: "kept")
    expectEqual(kept.interactions.map(\.response?.body.text), ["hello"])
    await console.close()
    await #expect(throws: URLError.self) { try await ask(url, "exchanges") }
  }

  @Test func `a click changes the weather of the next call`() async throws {
    let deck = Deck(Self.tape, then: .repeat)
    let hook = FaultHook(URLSessionTransport(session: URLSession(configuration: .windTunnel(deck))))
    let storm = Scenario("storm", rules: [.on("GET /home", .always, .status(418))])
    let console = NetworkLayerConsole(faults: hook, scenarios: [storm])
    let url = try await console.open()
    let changed = try await ask(url, "scenario", "PUT", #"{"name":"storm"}"#)
    #expect(changed.status == 200 && changed.text == #"{"segment":2}"#)
    guard case .scenario(let flown, _) = hook.faults else {
      Issue.record("\(hook.faults)")
      return
    }
    expectEqual(flown, storm)
    _ = try await ask(url, "scenario", "PUT", #"{"name":"calm"}"#)
    expectEqual(hook.faults, .calm)
    await console.close()
  }

  @Test func `without a hook the page only shows`() async throws {
    let console = NetworkLayerConsole()
    let url = try await console.open()
    let answer = try await ask(url, "scenario", "PUT", #"{"name":"calm"}"#)
    #expect(answer.status == 400 && answer.text.contains("there is no scenario"))
    await console.close()
  }
}
