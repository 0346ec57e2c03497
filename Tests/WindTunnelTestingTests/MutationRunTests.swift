import TestSupport
import WindTunnel
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelURLSession

@testable import WindTunnelTesting

/// A test that runs once for each mutant of its recordings, and what its log says.
@Suite struct MutationRunTests {
  /// Tests of one recording that look at more and more of it.
  enum Sample: String, CaseIterable, Sendable {
    case ignores, readsStatus, decodes, fallsBack, knowsItsIssue, comparesValues, isInFaults

    /// The operators that it does not notice.
    var survivors: Set<String> {
      let all = Set(MutationOperator.all.map(\.name)).subtracting(["lists-empty", "status-2xx"])
      let harmless: Set = ["slow", "lowercase-names", "extra", "type-only"]
      switch self {
      case .ignores: return all
      case .readsStatus:
        return all.subtracting([
          "reset", "stall", "status-500", "status-429", "status-only", "cut-wire",
        ])
      case .decodes, .knowsItsIssue: return harmless.union(["values"])
      case .fallsBack: return all.subtracting(["values"])
      case .comparesValues, .isInFaults: return harmless
      }
    }

    @concurrent func run() async throws {
      let (api, ada) = (UserAPI(session: .windTunnel), UserAPI.Profile(id: 7, name: "Ada"))
      switch self {
      // Not even whether there is one.
      case .ignores: _ = try? await api.profile(7)
      case .readsStatus:
        let url = try #require(URL(string: "https://api.example.test/users/7"))
        let status = try await URLSession.windTunnel.status(of: url)
        #expect(status == 200)
      case .decodes: _ = try await api.profile(7)
      // The error is what falls back.
      case .fallsBack: expectEqual((try? await api.profile(7)) ?? ada, ada)
      case .knowsItsIssue:
        let profile = try await api.profile(7)
        withKnownIssue(isIntermittent: true) { #expect(profile == ada) }
      case .comparesValues: try await expectEqual(api.profile(7), ada)
      case .isInFaults:
        try await withFaults([.on("GET /users/*", .first(1), .status(503))]) {
          try await expectEqual(api.profile(7), ada)
        }
      }
    }
  }

  /// Runs a test with a log that has these lines, and returns all lines behind the first.
  private func events(
    _ log: [MutationEvent] = [.plan(MutationPlan())],
    _ body: @Sendable @concurrent () async throws -> Void
  ) async throws -> [MutationEvent] {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    try log.map { "\($0.line)\n" }.joined().write(to: file, atomically: true, encoding: .utf8)
    let journal = Result<MutationJournal, any Error>.success(try MutationJournal(file))
    let trait: CassetteTrait = .cassette("users")
    let test = try #require(Test.current)
    do {
      try await MutationJournal.$current.withValue(journal) {
        try await trait.provideScope(for: test, testCase: .current, performing: body)
      }
    } catch is URLError {
      // The error of the test itself, which its suite hears.
    }
    return Array(try MutationLog.events(in: Data(contentsOf: file)).dropFirst())
  }

  @Test(arguments: Sample.allCases)
  func `what a test does not notice survives, and the suite hears of nothing`(sample: Sample)
    async throws
  {
    let events = try await events { try await sample.run() }
    guard case .test(let test)? = events.first else { return #expect(Bool(false), "\(events)") }
    expectEqual(test.plain, .green)
    expectEqual(test.recordings, [1])
    expectEqual(test.cassette.hasSuffix("Cassettes/users.json"), true)
    expectEqual(events.last, .after(test: test.id, isGreen: true))
    var (survived, killed): (Set<String>, [String: MutantResult]) = ([], [:])
    for case .end(let run, let result) in events {
      guard case .survived(let asked, let plainAsked) = result else {
        killed[run.mutant] = result
        continue
      }
      survived.insert(run.mutant)
      let retries = [.ignores, .fallsBack].contains(sample) && run.mutant.hasPrefix("status-")
      #expect(asked == plainAsked + (retries ? 2 : 0), "\(run)")
    }
    expectEqual(survived, sample.survivors)
    if case .comparesValues = sample, case .killed(.assertion, let message)? = killed["values"],
      case .killed(.error, _)? = killed["reset"]
    {
      #expect(message.contains("Bebx"))
    } else {
      #expect(sample != .comparesValues)
    }
  }

  @Test(
    arguments: [
      ("x", MutationPlan(), ["red"]), ("ux", MutationPlan(), ["red"]),
      ("uh", MutationPlan(), ["unsteady"]),
      ("uuh", MutationPlan(), ["green", "notReached", "green"]),
      ("uux", MutationPlan(operators: ["cut"]), ["green", "notReached", "red"]),
      ("u", .part(budget: .zero), ["green", "green"]),
      ("u", .part(only: ["GET /home"]), ["green"]),
    ] as [(String, MutationPlan, [String])]
  )
  func `what cannot be told is not green: red, unsteady, not reached, left behind, no time`(
    row: (runs: String, plan: MutationPlan, log: [String])
  ) async throws {
    // What the runs of the test do, the last of which is repeated.
    let runs = Locked(Array(row.runs))
    let events = try await events([.plan(row.plan)]) {
      switch runs.withLock({ $0.count > 1 ? $0.removeFirst() : $0[0] }) {
      case "h": _ = try await UserAPI(session: .windTunnel).home()
      case "u": _ = try await UserAPI(session: .windTunnel).profile(7)
      default:
        _ = try await UserAPI(session: .windTunnel).home()
        throw URLError(.unknown)
      }
    }
    let words = events.compactMap { event in
      switch event {
      case .test(let test): "\(test.plain)"
      case .end(_, let result): "\(result)"
      case .after(_, let isGreen): isGreen ? "green" : "red"
      case .begin, .plan: nil as String?
      }
    }
    let isMutant = { (index: Int) in words[index] == "notReached" }
    let few = words.indices.filter { $0 == 0 || !isMutant($0) || !isMutant($0 - 1) }
    expectEqual(few.map { words[$0] }, row.log)
  }

  /// A test in a slow scenario: its kind, the time of the delay, and whether later runs wait less.
  @Test(
    arguments: [
      ("compares", .always, 1500, true), ("times out", .always, 1500, true),
      ("gives up", .always, 2000, false), ("compares, fails once", .always, 150, false),
      ("compares", .window(until: .seconds(60)), 150, false),
    ] as [(String, Trigger, Int, Bool)]
  )
  func `later runs of a test wait less only if it cannot tell`(
    row: (kind: String, when: Trigger, delay: Int, waitsLess: Bool)
  ) async throws {
    let divisors = Locked<[Int]>([])
    let operators = ["empty-200", "status-500", "values", "reset", "cut", "html-200", "twice"]
    let events = try await events([.plan(MutationPlan(operators: operators))]) {
      let waits = try #require(Tunnel.waits)
      let run = divisors.withLock { divisors in
        divisors.append(waits.withLock(\.divisor))
        return divisors.count
      }
      try await withFaults([.always(row.when, .delay(.milliseconds(row.delay)))]) {
        if row.kind == "compares, fails once", run == 2 { throw URLError(.unknown) }
        if row.kind.hasPrefix("compares") { return try await Sample.comparesValues.run() }
        let url = try #require(URL(string: "https://api.example.test/users/7"))
        let request = URLRequest(url: url, timeoutInterval: row.kind == "times out" ? 1 : 60)
        let task = Task { try await URLSession.windTunnel.data(for: request).0 }
        if row.kind == "gives up" {
          while waits.withLock({ $0.openCount }) == 0 { await Task.yield() }
          task.cancel()
        }
        // The test notices neither the timeout nor the cancellation.
        if let data = try? await task.value { #expect(data.contains(UInt8(ascii: "A"))) }
      }
    }
    let survived = events.count { if case .end(_, .survived) = $0 { true } else { false } }
    expectEqual(survived, row.kind.hasPrefix("compares") ? 0 : operators.count)
    // Without a run that can be shorter, none is tried. A second run that fails is repeated.
    let failsOnce = row.kind.hasSuffix("once")
    let later = [Int](repeating: row.waitsLess ? 20 : 1, count: operators.count + 1)
    expectEqual(divisors.withLock(\.self), [1] + (failsOnce ? [20, 1] : later.prefix(1)) + later)
  }

  @Test func `arguments that name no case leave the test out`() {
    final class Box {}
    expectEqual(MutationRun.text(of: [1, "a b", Sample.decodes]), "(1, \"a b\", .decodes)")
    let unclear: [Any] = [Box(), { () -> Int in 1 }, ["Box at 0x00007f8a3c004010"]]
    expectEqual(unclear.map { MutationRun.text(of: [2, $0]) }, [nil, nil, nil])
  }

  @Test func `a run goes on where another process ended, and on the wire`() async throws {
    let plan = MutationEvent.plan(MutationPlan(operators: ["values", "status-500", "reset"]))
    let whole = try await events([plan]) {
      let server = Deck.current
      let test = try #require(Test.current)
      try await OnTheWireTrait().provideScope(for: test, testCase: .current) {
        _ = try await UserAPI(session: .windTunnel, base: server.url).profile(7)
      }
    }
    expectEqual(whole.count, 8)
    // One that was begun and did not end may have crashed.
    let half = [plan] + whole.prefix(4)
    let rest = try await events(half) { try await Sample.decodes.run() }
    expectEqual(Array(rest.prefix(4)), Array(whole.prefix(4)))
    expectEqual(rest.dropFirst(4).map { $0.line.contains("reset") }, [true, true, false])
    let again = try await events([plan] + rest) { try await Sample.decodes.run() }
    expectEqual(again, rest)
  }
}

extension MutationPlan {
  fileprivate static func part(budget: Duration? = nil, only: [RequestPattern] = []) -> Self {
    var plan = Self()
    (plan.budget, plan.only) = (budget, only)
    return plan
  }
}

extension URLSession {
  fileprivate func status(of url: URL) async throws -> Int? {
    try await (data(from: url).1 as? HTTPURLResponse)?.statusCode
  }
}
