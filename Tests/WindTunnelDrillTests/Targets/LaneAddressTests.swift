import TestSupport

@testable import WindTunnelDrill

/// Clients that take a call's base URL apart and put it together in their own way: each call is the
/// call that it was meant to be.
@Suite(.timeLimit(.minutes(5))) struct LaneAddressTests {
  private static let cassette = Cassette([
    Interaction(
      Request("GET", "https://api.example.test/get"),
      Response(headers: ["Content-Type": "application/json"], body: Body("{\"a\":1}"))
    ),
    Interaction(
      Request("GET", "https://api.example.test/items?page=2"),
      Response(headers: ["Content-Type": "application/json"], body: Body("{\"b\":2}"))
    ),
  ])

  /// The story of `calm` and `server-errors`, 20 calls each by seed 1, as it was told when lanes still
  /// had a percent sign in their addresses.
  private static let story = "ce4800f29208ff725d94b8fc5698cde5cdd6486089309f65cdcee878c042d3c3"

  enum Builder: String, CaseIterable {
    case absoluteString, componentsPath, urlPath, appendingPathComponent, normalised

    /// The address of a call's request as this client builds it.
    func url(_ call: DrillCall) throws -> URL {
      let (path, query) = (call.request.url.path, call.request.url.query)
      let tail = query.map { "?\($0)" } ?? ""
      let base = call.baseURL
      let place = "\(base.scheme ?? "")://\(base.host ?? "")\(base.port.map { ":\($0)" } ?? "")"
      switch self {
      case .absoluteString: return try #require(URL(string: base.absoluteString + path + tail))
      case .componentsPath:
        var parts = try #require(URLComponents(url: base, resolvingAgainstBaseURL: false))
        parts.path += path
        parts.query = query
        return try #require(parts.url)
      case .urlPath: return try #require(URL(string: place + base.path + path + tail))
      case .appendingPathComponent:
        let url = base.appendingPathComponent(String(path.dropFirst()))
        return try #require(URL(string: url.absoluteString + tail))
      case .normalised:
        // As a proxy hands it on that compares decoded paths, with an escape where it need not be.
        let decoded = try #require(base.path(percentEncoded: true).removingPercentEncoding)
        let spelled = decoded.replacing("~", with: "%7E") + path
        return try #require(URL(string: place + spelled + tail))
      }
    }
  }

  @Test(arguments: Builder.allCases, [Stage.onTheWire, .inProcess])
  func `a client may build its addresses as it likes`(builder: Builder, stage: Stage) async throws {
    let scenarios = [Scenario.calm] + (try Shipped.scenarios(named: ["server-errors"]))
    let drill = Drill(Self.cassette, scenarios, calls: 20, atOnce: 4, on: stage)
    let report = try await drill.run { call in
      var asked = call.urlRequest
      asked.url = try builder.url(call)
      return try await ClosureDrillTests.send(asked, by: call.session)
    }
    expectEqual(report.decisionHash, Self.story)
    for flown in report.scenarios {
      let row = try #require(flown.subjects.first)
      for call in row.observations {
        let key = call.call % 2 == 0 ? "GET /get" : "GET /items?page=2"
        let lane = Workload.lane(flown.name, call.call)
        expectEqual(call.attempts.count, 1)
        #expect(call.attempts.allSatisfy { $0.decision.line.hasPrefix("\(lane)\t\(key)\t1\t") })
        #expect(call.attempts.allSatisfy { $0.source != .played(.unmatched) })
      }
    }
    expectEqual(report.scenarios[0].subjects[0].metrics.successRate, 1)
    // The decisions of the calls: a cut behind the end of a body is not done.
    expectEqual(report.scenarios[1].subjects[0].metrics.successRate, 0.85)
  }

  private static let hasNginx = Executable.find("nginx") != nil && Executable.find("curl") != nil

  /// `proxy_pass` with a path hands a request on by its normalised path (nginx,
  /// `ngx_http_proxy_module`): decoded, without dot segments and double slashes, and encoded anew.
  @Test(.enabled(if: hasNginx, "nginx and curl are not both installed."))
  func `a proxy in between that normalises addresses loses no lane`() async throws {
    let script = TestData.text("normalising-proxy.sh")
    let row = try await TestSubjects.row(of: ["sh", "-c", script], calls: 4, seconds: 120) {
      $0.cassette = Self.cassette
    }
    expectEqual(row.observations.map(\.ending), Array(repeating: .succeeded, count: 4))
    expectEqual(
      row.observations.map { $0.attempts.map(\.source.words) },
      [["recording 1"], ["recording 2"], ["recording 1"], ["recording 2"]]
    )
  }
}
