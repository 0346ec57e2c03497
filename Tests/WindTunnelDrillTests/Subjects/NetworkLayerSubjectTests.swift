import TestSupport
import WindTunnelCommandLine

@testable import WindTunnelDrill
@testable import WindTunnelNetworkLayer
@testable import WindTunnelReferenceSubject

/// The reference client as an app has it: what a screen showed in good weather is there in bad.
@Suite struct NetworkLayerSubjectTests {
  /// The ways to fly a drill.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case wire, inProcess, virtualTime

    var testDescription: String { rawValue }
  }

  private func row(_ scenario: String, _ way: Way, gates: [String] = []) async throws -> Report.Row
  {
    let folder = try Folder()
    let page = try folder.file("report.json")
    let words =
      switch way {
      case .wire: ["--stage", "wire"]
      case .inProcess: ["--stage", "in-process"]
      case .virtualTime: ["--clock", "virtual"]
      }
    let end = try await Tool.run(
      [
        "drill", "--scenario", scenario, "--subject", "network-layer", "--calls", "18",
        "--report", page,
      ] + words + gates.flatMap { ["--gate", $0] }
    )
    try #require(end.code == 0, "\(end.complaints)")
    let report = try Report(contentsOf: URL(filePath: page))
    return try #require(report.scenarios.first?.subjects.first)
  }

  @Test(arguments: ["offline", "outage", "dns-failure"], Way.allCases)
  func `a screen that was shown before is never blank, and is marked as a copy`(
    scenario: String,
    way: Way
  ) async throws {
    let calls = try await row(scenario, way).observations
    let screens = calls.filter { $0.isCritical && $0.endpoint.hasPrefix("GET ") }
    #expect(screens.count > 2)
    for call in screens {
      #expect(call.showed && call.isStale == true, "\(call.call)")
      // A copy is no success, and the reason is the network's.
      guard case .failed(let reason) = call.ending else {
        Issue.record("\(call.call) is said to have succeeded")
        continue
      }
      #expect(
        ["offline", "hostNotFound", "connectionRefused", "status 503", "circuit open"]
          .contains(reason),
        "\(reason)"
      )
    }
    // What changes something has no copy.
    #expect(calls.contains { !$0.endpoint.hasPrefix("GET ") && !$0.showed && $0.isStale == false })
  }

  @Test(arguments: Way.allCases)
  func `good conditions is asked, and nothing of the rehearsal is seen`(way: Way) async throws {
    let row = try await row("calm", way)
    expectEqual(row.metrics.successRate, 1)
    expectEqual(row.metrics.amplification, 1)
    expectEqual(row.metrics.staleServed, 0)
    expectEqual(row.metrics.silentTruncations, 0)
  }

  @Test(arguments: ["offline", "dns-failure"])
  func `unobservable retries are the client's figures`(scenario: String) async throws {
    let row = try await row(scenario, .wire, gates: ["\(scenario): averageRetries <= 2"])
    expectEqual(row.metrics.callsByOwnWord, 18)
    let retries = try #require(row.metrics.averageRetries)
    #expect(retries > 0.1 && retries <= 2)
    expectNil(row.metrics.amplification)
  }

  @Test func `a program of a host names it, and its plan has the facts`() throws {
    let shop = DrillSubject("shop") { _ in "" }
    let all = [shop, .reference, .urlSession, .program] + DrillSubject.referenceEngines
    let program = DrillProgram(name: "shop-drill", subjects: all)
    let engines = ["network-layer:urlsession", "network-layer:sockets"]
    let flag = try #require(program.flags.first { $0.name == "--subject" })
    expectEqual(flag.choices, ["shop", "network-layer", "urlsession", "exec"] + engines)
    var plan = try program.plan()
    expectEqual(plan.subjects, ["shop", "network-layer", "urlsession"])
    let stages: [Set<Stage>] = [
      [], [.onTheWire], [], Set(Stage.allCases), [.onTheWire], [.onTheWire],
    ]
    expectEqual(plan.clients.map(\.conversationStages), stages)
    expectNil(plan.subjectOnSockets)
    plan.subjects = engines
    expectEqual(plan.subjectOnSockets, engines[1])
  }

  @Test func `a request is sent to the call's own address, and nothing else is`() async throws {
    let origin = try #require(URL(string: "https://api.example.test"))
    let base = try #require(URL(string: "http://127.0.0.1:4711/"))
    let seen = SeenURLs()
    let transport = ReaddressingTransport([CallServer(origin: origin, base: base)], by: seen)
    func send(_ text: String) async throws {
      _ = try await transport.send(URLRequest(url: try #require(URL(string: text))))
    }
    for rest in ["/a%20b?q=%2F", "", "?x=1"] { try await send("https://api.example.test\(rest)") }
    for text in [
      "https://api.example.test.evil.test/a", "https://other.example.test/a",
      "http://api.example.test/a",
    ] {
      await #expect(throws: TransportError.self, "\(text) would leave the drill") {
        try await send(text)
      }
    }
    expectEqual(
      seen.urls,
      [
        "http://127.0.0.1:4711/a%20b?q=%2F", "http://127.0.0.1:4711", "http://127.0.0.1:4711?x=1",
      ]
    )
    expectEqual(transport.engine(for: URLRequest(url: origin)), "SeenURLs")
  }
}

/// A transport that answers everything, and knows what it was asked.
private final class SeenURLs: Transport {
  private let seen = Locked<[String]>([])

  var urls: [String] { seen.withLock { $0 } }

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    seen.withLock { $0.append(request.url?.absoluteString ?? "") }
    return ServerResponse(status: 200)
  }
}
