import Origins
import TestSupport
import WindTunnel
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerDebug
import WindTunnelServer

/// What a debug build's configuration makes of the weather.
@Suite struct DebugWeatherTests {
  static let subway = """
    {"windtunnelScenario": 1, "name": "subway", "rules": [
      {"when": {"request": "GET /page", "first": 1}, "faults": [{"reset": "afterRequest"}]},
      {"when": {"request": "GET /shop"}, "faults": [{"status": 503}]}]}
    """

  /// A folder with a scenario and with a file that is none, for as long as the body runs.
  func inFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try Data(Self.subway.utf8).write(to: folder.appendingPathComponent("my subway.json"))
    try Data(#"{"windtunnelScenario": 1}"#.utf8).write(to: folder.appendingPathComponent("no.json"))
    return try await body(folder)
  }

  @Test(arguments: [
    ("calm", DebugFaults.calm), ("offline", .offline), ("timeout", .timeout),
    ("failure", .failure(status: 500)), ("failure 404", .failure(status: 404)),
  ])
  func `weather is read from a word`(word: String, weather: DebugFaults) throws {
    try expectEqual(DebugFaults(word), weather)
  }

  @Test(arguments: ["failure 200", "failure 600", "fog", "", "calm 7", "subway.json seven"])
  func `an unknown fault name is reported with the valid names`(word: String) {
    let error = #expect(throws: DebugFaultsError.self) { try DebugFaults(word) }
    expectEqual(
      error?.description,
      "\"\(word)\" is not a fault; the faults are calm, offline, timeout, failure, failure with a"
        + " status of 400 to 599, and scenario files, whose names end in .json."
    )
  }

  @Test func `a word names a scenario's file, and its seed`() async throws {
    try await inFolder { folder in
      let subway = try Scenario(data: Data(Self.subway.utf8), source: "")
      try expectEqual(DebugFaults("my subway.json", in: folder), .scenario(subway, seed: 1))
      try expectEqual(DebugFaults("my subway.json 7", in: folder), .scenario(subway, seed: 7))
      let whole = folder.appendingPathComponent("my subway.json").path
      try expectEqual(DebugFaults(whole), .scenario(subway, seed: 1))
      let missing = #expect(throws: DebugFaultsError.self) {
        try DebugFaults("metro.json", in: folder)
      }
      let metro = folder.appendingPathComponent("metro.json").path
      expectEqual(missing?.description, "\(metro): no such file.")
      let bad = #expect(throws: DebugFaultsError.self) { try DebugFaults("no.json", in: folder) }
      expectEqual(bad?.description, "no.json, name: a scenario requires a name.")
    }
  }

  @Test func `a configuration names the weather among its extras`() async throws {
    func configuration(_ extras: [String: String]) throws -> NetworkConfiguration {
      try NetworkConfiguration(
        builtIn: ConfigurationLayer(baseURL: "https://api.example.test"),
        atLaunch: ConfigurationLayer(extras: extras)
      )
    }
    try expectEqual(DebugFaults(configuration([:])), .calm)
    try expectEqual(DebugFaults(configuration(["faults": "failure 503"])), .failure(status: 503))
    #expect(throws: DebugFaultsError.self) {
      try DebugFaults(configuration(["faults": "fog"]))
    }
  }

  @Test func `a running client uses a scenario file, then its origin again`()
    async throws
  {
    let deck = Deck(
      [.get("/page", json: ["page": 1]), .get("/shop", json: ["shop": 1])],
      matcher: .pathAndQuery,
      then: .repeat
    )
    let origin = try await ReplayServer(deck, .patient)
    try await inFolder { folder in
      let time = ManualTime()
      let observer = RecordingObserver()
      let session = URLSession(configuration: .ephemeral)
      defer { session.finishTasksAndInvalidate() }
      let hook = FaultHook(URLSessionTransport(session: session), time: time)
      let base = try #require(URL(string: origin.url))
      let client = NetworkClient(
        builder: RequestBuilder(baseURL: base),
        policy: RetryPolicy(backoff: Backoff(jitter: .none)),
        transport: hook,
        observer: observer,
        limits: CallLimits(attemptTimeout: .seconds(3600), deadline: nil),
        admission: AdmissionController(.init(breaker: nil), time: time),
        time: time
      )
      func call(_ path: String) async throws -> [String] {
        let before = observer.events.count
        // How it ends is the attempts' to tell.
        _ = await time.passing { await client.outcome(of: Endpoint(.get, path)) }
        return observer.events.dropFirst(before).compactMap { event in
          guard case .attemptEnded(_, let result) = event.kind else { return nil }
          return switch result {
          case .success(let answer):
            "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
          case .failure(.failed(let symptom, _)): "\(symptom)"
          case .failure(.file(let text)): text
          case .failure(.cancelled): "cancelled"
          }
        }
      }
      try await expectEqual(call("/page"), ["200 {\"page\":1}"])
      hook.faults = try DebugFaults("my subway.json", in: folder)
      try await expectEqual(call("/page"), ["connectionLost", "200 {\"page\":1}"])
      try await expectEqual(call("/page"), ["200 {\"page\":1}"])
      let injected = "503 This 503 was injected.\n"
      try await expectEqual(call("/shop"), Array(repeating: injected, count: 4))
      expectEqual(hook.engine(for: URLRequest(url: base)), "URLSessionTransport in subway, seed 1")
      // Anew: the first answer is lost again.
      hook.faults = try DebugFaults("my subway.json", in: folder)
      try await expectEqual(call("/page"), ["connectionLost", "200 {\"page\":1}"])
      hook.faults = .calm
      try await expectEqual(call("/shop"), ["200 {\"shop\":1}"])
    }
    // What the weather made never came there.
    expectEqual(deck.attempts("GET /page"), 4)
    expectEqual(deck.attempts("GET /shop"), 1)
    await origin.stop(grace: .zero)
  }
}
