import TestSupport

@testable import WindTunnelDrill

/// Downloads that broke off and are taken up when there is another version, in process and on the
/// wire.
@Suite(.timeLimit(.minutes(5))) struct JoinedVersionsTests {
  private static let text =
    #"{"sections":[{"title":"New","items":[101,102]},{"title":"Popular","items":[7,11]}]}"#
  private static let first = Data(text.utf8)
  private static let second = ResponseEdit.version(2, of: first)
  private static let request = Request("GET", "http://a.example/home")
  private static let changed = Scenario.defaultDrill.filter { $0.name == "changed-between" }

  private static let tape = Cassette([
    Interaction(request, Response(headers: ["Content-Type": "application/json"], body: Body(text)))
  ])

  private static func joins(
    _ body: Data,
    isPrinted: Bool,
    _ versions: [(Int, Int?)] = [(1, nil), (2, 40)]
  ) -> Bool? {
    var result = CallResult.good(body)
    result.isPrinted = isPrinted
    let answered = versions.map { number, resumesAt in
      var version = AnsweredVersion(number: number)
      version.resumesAt = resumesAt
      return version
    }
    return RecordedBodies(tape, matcher: .pathAndQuery).joins(
      result,
      Matcher.pathAndQuery.key(request),
      answered
    )
  }

  @Test(arguments: [true, false])
  func `a body joined from two versions is recognised by its bytes`(isPrinted: Bool) {
    let (first, second) = (Self.first, Self.second)
    for (body, joins) in [
      (first.prefix(40) + second.dropFirst(40), true), (first.prefix(40) + second, true),
      (first.prefix(50) + second.dropFirst(50), true), (first, false), (second, false),
      (second.prefix(40) + first.dropFirst(40), nil), (first.prefix(40), nil),
      // Up to there both are the same, so that it begins as nothing.
      (first.prefix(10) + second, nil), (first + Data("x".utf8), nil), (Data(), nil),
      (first.prefix(40) + second.dropFirst(41), nil),
    ] as [(Data, Bool?)] {
      let text = String(decoding: body, as: UTF8.self)
      expectEqual(Self.joins(Data(body), isPrinted: isPrinted), joins, "\(text)")
      let line = Data(body) + Data("\n".utf8)
      expectEqual(Self.joins(line, isPrinted: isPrinted), (isPrinted ? joins : nil), "\(text)")
    }
  }

  @Test func `another layout of JSON makes no other body of what is printed`() throws {
    let joined = Data(Self.first.prefix(40) + Self.second.dropFirst(40))
    for (body, joins) in [(joined, true), (Self.first, false), (Self.second, false)] {
      let spread = String(decoding: body, as: UTF8.self).replacing(",", with: ",\n  ") + "\n"
      expectEqual(Self.joins(Data(spread.utf8), isPrinted: true), joins)
      expectNil(Self.joins(Data(spread.utf8), isPrinted: false))
    }
  }

  @Test func `a joined body is not reported unless the rest of another version was requested`() {
    let joined = Data(Self.first.prefix(40) + Self.second.dropFirst(40))
    for versions in [
      [], [(1, nil), (2, nil)], [(1, nil), (1, 40)], [(2, 40)], [(2, 40), (1, nil)],
    ] as [[(Int, Int?)]] {
      expectNil(Self.joins(joined, isPrinted: true, versions))
    }
    expectEqual(Self.joins(joined, isPrinted: true, [(3, nil), (1, nil), (2, 40)]), true)
  }

  /// The ways in which a client takes up what broke off.
  enum Way: String, Sendable, CaseIterable {
    case withoutIfRange, appendsAll, careful, asksForAll
  }

  private static func fetch(
    _ call: DrillCall,
    _ fields: [String: String]
  ) async -> (status: Int, tag: String?, body: Data?) {
    var request = call.urlRequest
    request.cachePolicy = .reloadIgnoringLocalCacheData
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response, error) = await call.session.result(of: request)
    let tag = response?.value(forHTTPHeaderField: "ETag")
    return (response?.statusCode ?? 0, tag, error == nil ? data : nil)
  }

  /// Takes up what broke off. A completion handler has no part of a body: what had come is known
  /// here, as it would be to a delegate.
  @Sendable private static func download(_ call: DrillCall, _ way: Way) async throws -> Data {
    if let body = await fetch(call, [:]).body { return body }
    let beginning = first.prefix(40)
    let fields: [String: String] =
      switch way {
      case .withoutIfRange: ["Range": "bytes=40-"]
      case .appendsAll, .careful: ["Range": "bytes=40-", "If-Range": "\"v1\""]
      case .asksForAll: [:]
      }
    let (status, _, body) = await fetch(call, fields)
    guard let body, 200..<300 ~= status else { throw URLError(.badServerResponse) }
    return way == .appendsAll || status == 206 ? beginning + body : body
  }

  @Test
  func `a beginning that is taken for the whole is a cut body, not a call without an answer`()
    async throws
  {
    let drill = Drill(Self.tape, Self.changed, calls: 3, atOnce: 3, seconds: 60)
    let report = try await drill.run { call in
      await Self.fetch(call, [:]).body ?? Data(Self.first.prefix(40))
    }
    let errors = report.findings.map(\.finding).filter { $0.severity == .error }.map(\.rule)
    expectEqual(errors, ["success-on-cut-body"])
  }

  @Test(arguments: Way.allCases, [Stage.inProcess, .onTheWire])
  func `a client that joins two versions is found, and one that begins anew is not`(
    way: Way,
    stage: Stage
  ) async throws {
    let drill = Drill(Self.tape, Self.changed, calls: 3, atOnce: 3, seconds: 60, on: stage)
    let report = try await drill.run { try await Self.download($0, way) }
    let row = try #require(report.scenarios.first?.subjects.first)
    let isJoined = way == .withoutIfRange || way == .appendsAll
    let found = report.findings.map(\.finding).filter { $0.severity == .error }
    expectEqual(found.map(\.rule), (isJoined ? ["splices-versions"] : []))
    let told: Bool? = way == .asksForAll ? nil : isJoined
    expectEqual(row.observations.map(\.joinsVersions), [told, told, told])
    let statuses = [200, way == .withoutIfRange ? 206 : 200]
    expectEqual(row.observations.map { $0.attempts.map(\.status) }, [statuses, statuses, statuses])
    let asked = row.observations[0].attempts.last?.sent
    expectEqual(asked?.resumesAt, (way == .asksForAll ? nil : 40))
    expectEqual((asked?.isResumedConditionally ?? false), (way == .appendsAll || way == .careful))
    let standing = report.scenarios[0].rules.first { $0.rule == "splices-versions" }?.standing
    switch (way, standing) {
    case (.asksForAll, .notMet?), (.careful, .passed(3)?), (.withoutIfRange, .broken?),
      (.appendsAll, .broken?):
      break
    default: Issue.record("\(way): \(String(describing: standing))")
    }
  }
}
