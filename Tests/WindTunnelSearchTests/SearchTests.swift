import TestSupport
import WindTunnelDrillTesting
import WindTunnelNetworkLayer
import WindTunnelSearch

/// What a search does, says and refuses.
@Suite(.onThisSystem, .timeLimit(.minutes(5))) struct SearchTests {
  private static let cassette = Cassette([
    Interaction(
      Request("GET", RequestURL("https://a.example/x")),
      .response(Response(status: 200, body: Body(Data("hello".utf8))))
    )
  ])

  @Test func `a number of workers that cannot be is refused`() async throws {
    var plan = SearchPlan(faultSets: 1)
    plan.workers = 0
    let none = plan
    await #expect(throws: DrillError.plan("0 workers: expected 1 to 256.")) {
      _ = try await Drill(Self.cassette).search(none) { flow in
        try await flow.send(flow.request).body.data
      }
    }
  }

  /// A search whose flow crashes in two faultSets, and in two of their pairs.
  private static func crashes(_ workers: Int) async throws -> SearchReport {
    var plan = SearchPlan(faultSets: 2000)
    plan.workers = workers
    return try await Drill(cassette).search(plan) { flow in
      let address = RequestURL("\(flow.baseURL)/x")
      let answer = try await flow.send(Request("GET", address))
      if answer.status == 500 { fatalError("nobody expects that") }
      guard answer.status == 503 else { return answer.status }
      let again = try await flow.send(Request("GET", address))
      // In a task of its own, as of an actor.
      return await Task { [Int](0..<(again.status == 503 ? 0 : 1))[0] + again.status }.value
    }
  }

  #if os(Linux)
    @Test(arguments: [1, 2])
    func `a crash is a find, and the search goes on`(_ workers: Int) async throws {
      await #expect(processExitsWith: .success) { [workers] in
        let found = try await Self.crashes(workers)
        let finds = found.finds.filter { $0.violation.rule == "crashes" }
        let find = try #require(finds.first)
        expectEqual(finds.count, 1)
        expectEqual(find.words, ["status-500 at the 1st GET /x"])
        expectEqual(find.violation.request, "GET /x")
        #expect(find.violation.seen.contains("SIG"))
        #expect(find.others > 0)
        expectEqual(found.depth, 2)
      }
    }

    @Test func `a crash on a thread of a session's is a find`() async throws {
      await #expect(processExitsWith: .success) {
        let plan = SearchPlan(faultSets: 200, depth: 1)
        let found = try await Drill(Self.cassette).search(plan) { flow in
          try await withCheckedThrowingContinuation { continuation in
            flow.session.dataTask(with: flow.urlRequest) { data, answer, error in
              if (answer as? HTTPURLResponse)?.statusCode == 500 { fatalError("on another thread") }
              continuation.resume(with: error.map { .failure($0) } ?? .success(data?.count ?? 0))
            }.resume()
          }
        }
        let find = try #require(found.finds.first { $0.violation.rule == "crashes" })
        expectEqual(find.words, ["status-500 at the 1st GET /x"])
        #expect(find.others > 0)
      }
    }

    @Test func `a stack that is too deep is a find`() async throws {
      await #expect(processExitsWith: .success) {
        let plan = SearchPlan(faultSets: 200, depth: 1)
        let found = try await Drill(Self.cassette).search(plan) { flow in
          let answer = try await flow.send(flow.request)
          return answer.status == 503 ? Self.depth(1) : answer.status
        }
        let find = try #require(found.finds.first { $0.violation.rule == "crashes" })
        #expect(find.violation.seen.contains("SIGSEGV"))
      }
    }

    @inline(never) private static func depth(_ number: Int) -> Int {
      number == .max ? 0 : depth(number + 1) + 1
    }

    @MainActor private static func look(at status: Int) {
      precondition(status != 503, "nobody expects that")
    }

    private static func crashOnTheMainThread() async throws {
      _ = try await Drill(cassette).search(SearchPlan(faultSets: 500)) { flow in
        let answer = try await flow.send(flow.request)
        await look(at: answer.status)
        return answer.status
      }
    }

    @Test func `a crash that ends the process is told with its fault set`() async throws {
      let ended = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try await SearchTests.crashOnTheMainThread()
      }
      let told = String(decoding: try #require(ended).standardErrorContent, as: UTF8.self)
      let start = try #require(told.range(of: "The process crashed in this fault set"))
      let file = told[start.upperBound...].drop { $0 != "{" }
      let end = try #require(file.range(of: "] }\n"))
      let scenario = try Scenario(data: Data(file[..<end.upperBound].utf8), source: "told")
      expectEqual(scenario.rules.flatMap(\.faults), [.status(503)])
    }

    @Test func `a flow that crashes in calm is not searched`() async throws {
      await #expect(processExitsWith: .success) {
        await #expect(throws: DrillError.self) {
          try await Drill(Self.cassette).search(SearchPlan(faultSets: 10)) { flow -> Int in
            fatalError("always")
          }
        }
      }
    }
  #endif

  @Test func `a client of URLSession is searched as it is`() async throws {
    let found = try await Drill(Self.cassette).search(SearchPlan(faultSets: 30, depth: 1)) { flow in
      var request = URLRequest(url: flow.baseURL.appending(path: "x"))
      request.timeoutInterval = 3
      let (data, answer) = try await flow.session.data(for: request)
      guard (answer as? HTTPURLResponse)?.statusCode == 200 else {
        throw URLError(.badServerResponse)
      }
      return data
    }
    let find = try #require(found.finds.first)
    expectEqual(find.violation.rule, "blank-page")
    expectEqual(find.words, ["status-503 at the 1st GET /x"])
    expectEqual(find.violation.request, "GET /x")
  }

  @Test func `an expectation of the flow's own is a find, and no issue of the test`() async throws {
    var plan = SearchPlan(faultSets: 40, depth: 1, finds: 1)
    plan.expectations = .swiftTesting
    let found = try await Drill(Self.cassette).search(plan) { flow in
      let answer = try await flow.send(flow.request)
      expectEqual(answer.status, 200)
      return answer.status
    }
    expectEqual(found.finds.map(\.violation.rule), ["expectation"])
    expectEqual(found.finds.first?.words, ["status-503 at the 1st GET /x"])
  }

  @Test func `invariants of the origin are held`() async throws {
    var plan = SearchPlan(faultSets: 60, depth: 1, finds: 1)
    plan.invariants = [Invariant("one request") { $0.requests.count == 1 }]
    let found = try await Drill(Self.cassette).search(plan) { flow in
      var answer = try? await flow.send(flow.request)
      if answer?.status != 200 {
        try await Task.sleep(for: .seconds(1))
        answer = try await flow.send(flow.request)
      }
      return answer?.status
    }
    expectEqual(found.finds.map(\.violation.rule), ["one request"])
  }

  @Test func `a flow that fails in calm is refused in a sentence`() async throws {
    struct Broken: Error {}
    let error = await #expect(throws: DrillError.self) {
      _ = try await Drill(Self.cassette).search { _ -> Int in throw Broken() }
    }
    expectEqual(error?.description.hasPrefix("The flow fails without faults"), true)
  }

  @Test func `what hangs is found, and when it was certain`() async throws {
    let plan = SearchPlan(faultSets: 60, depth: 1, finds: 1)
    let found = try await Drill(Self.cassette).search(plan) { flow in
      let answer = try await flow.send(flow.request)
      if answer.status == 503 { try await Task.sleep(for: .seconds(100_000)) }
      return answer.status
    }
    let find = try #require(found.finds.first)
    expectEqual(find.violation.rule, "hangs")
    expectEqual(find.certain, "status 503 at GET /x, request 1 of it, after 0 ms")
  }

  @Test func `a certificate says what is new, and holds its gates`() async throws {
    let found = try await Drill(Self.cassette).search(SearchPlan(faultSets: 40, depth: 1)) { flow in
      try await flow.send(flow.request).status
    }
    let file = URL.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try found.data().write(to: file)
    let compared = found.compared(to: try SearchBaseline(contentsOf: file))
    #expect(compared.finds.allSatisfy { $0.isNew == false })
    try compared.require("newFinds == 0")
    #expect(throws: GatesFailed.self) { try compared.require("finds == 0") }
    #expect(throws: SearchGate.Malformed.self) { try compared.require("finds is 0") }
    try Data("{}".utf8).write(to: file)
    #expect(throws: FormatError.self) { try SearchBaseline(contentsOf: file) }
    try Data(#"{"windtunnelSearch":1,"finds":[]}"#.utf8).write(to: file)
    let other = found.compared(to: try SearchBaseline(contentsOf: file))
    #expect(!other.finds.isEmpty)
    #expect(other.finds.allSatisfy { $0.isNew == true })
    #expect(throws: GatesFailed.self) { try other.require("newFinds == 0") }
    #expect(found.text.contains("0 ms  GET /x → 503\n"))
  }

  @Test func `kinds that a client is handed the same of are flown once`() async throws {
    let plan = SearchPlan(faultSets: 200, depth: 1)
    let found = try await Drill(Self.cassette).search(plan) { flow in
      do { return try await flow.send(flow.request).status } catch { return 0 }
    }
    let refused = try #require(found.equals.first { $0.kind == "refused" })
    expectEqual(refused.others, ["offline"])
    let handshake = try #require(found.equals.first { $0.kind == "tls-handshake-failure" })
    expectEqual(handshake.others.count, 24)
    let all = found.equals.flatMap { [$0.kind] + $0.others } + found.notCarried.map(\.kind)
    expectEqual(Set(all).count, all.count)
    #expect(found.notCarried.contains { $0.kind == "gzip-bomb" })
  }

  /// The surroundings of a client, which count its starts.
  private final class Shelf: FlowSurroundings {
    private let lock = NSLock()
    private nonisolated(unsafe) var (starts, ends) = (0, 0)

    func begin() { lock.withLock { starts += 1 } }
    func processEnded() { lock.withLock { ends += 1 } }
    func runEnded() -> [Violation] {
      lock.withLock {
        starts == 1 ? [] : [Violation("starts-once", "\(starts) starts, and \(ends) ends.")]
      }
    }
  }

  @Test func `surroundings are a flight's own, outlive its process, and say what is broken`()
    async throws
  {
    var plan = SearchPlan(faultSets: 400, depth: 1)
    (plan.restarts, plan.ordersOfSingles) = (true, 0)
    @Sendable func visit(_ flow: DrillCall, _ shelf: Shelf) async throws -> Int {
      shelf.begin()
      // A process may end before it has sent anything.
      try await Task.sleep(for: .milliseconds(100))
      do { return try await flow.send(flow.request).status } catch { return 0 }
    }
    let drill = Drill(Self.cassette)
    let found = try await drill.search(plan, amid: Shelf.init) { try await visit($0, $1) }
    let find = try #require(found.finds.first { $0.violation.rule == "starts-once" })
    expectEqual(find.violation.seen, "2 starts, and 1 ends.")
    expectEqual(find.words, ["the process ends after 50 ms and restarts"])
    expectEqual(find.others, 1)
    let error = await #expect(throws: FaultSetError.self) {
      try await drill.run(through: find.faultSet, amid: Shelf.init) { try await visit($0, $1) }
    }
    expectEqual(error?.violations, [find.violation])
    await #expect(throws: CocoaError.self) {
      _ = try await drill.search(
        plan,
        amid: { () throws -> Shelf in throw CocoaError(.fileNoSuchFile) }
      ) {
        try await visit($0, $1)
      }
    }
  }

  @Test func `a restart is a new process, whose requests are no retries`() async throws {
    var plan = SearchPlan(faultSets: 400, depth: 1)
    plan.restarts = true
    @Sendable func pay(_ flow: DrillCall) async throws -> Int {
      let request = Request("POST", RequestURL("https://shop.example/payments"))
      let status = try await flow.send(request).status
      guard status == 201 else { throw URLError(.badServerResponse) }
      return status
    }
    let found = try await Drill(ShopCassette.cassette).search(plan) { try await pay($0) }
    expectEqual(found.finds.map(\.violation.rule), [])
    plan.invariants = [.exactlyOnce("POST /payments")]
    let twice = try await Drill(ShopCassette.cassette).search(plan) { try await pay($0) }
    expectEqual(twice.finds.map(\.violation.rule), ["exactlyOnce(POST /payments)"])
    expectEqual(twice.finds.first?.words, ["the process ends after 30 ms and restarts"])
    let find = try #require(twice.finds.first)
    #expect(find.faultSet.file.contains("_restart"))
    expectEqual(
      find.test,
      """
      @Test func exactlyoncePostPayments1() async throws {
        let file = ##\"\"\"
          { "windtunnelScenario": 1,
            "name": "exactlyonce-post-payments-1",
            "summary": "POST /payments was processed 2 times. Fault set: the process ends after 30 ms \
      and restarts.",
            "link": {"upDelayMilliseconds":10,"downDelayMilliseconds":10},
            "rules": [],
            "_restart": "The client's process ends 30 ms after the beginning and the flow \
      restarts, which a drill cannot do." }
          \"\"\"##
        let scenario = try Scenario(data: Data(file.utf8), source: "fault set")
        try await Drill(cassette).run(through: FaultSet(scenario, interruption: \
      .restart(after: .milliseconds(30))), keeping: [.exactlyOnce("POST /payments")]) { \
      try await flow($0) }
      }

      """
    )
  }
}
