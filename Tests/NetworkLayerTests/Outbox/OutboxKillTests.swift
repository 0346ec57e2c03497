#if os(macOS) || os(Linux)
  import TestSupport

  @testable import WindTunnelNetworkLayer
  @testable import WindTunnelNetworkLayerOffline

  /// An app that is killed while it takes calls and sends them, and started again until all is done.
  @Suite(.world, .timeLimit(.minutes(5))) struct OutboxKillTests {
    /// The number of moments at which it is killed; `WINDTUNNEL_OUTBOX_KILLS=50` makes it more.
    private static let kills =
      ProcessInfo.processInfo.environment["WINDTUNNEL_OUTBOX_KILLS"].flatMap { Int($0) } ?? 6
    private static let seed =
      ProcessInfo.processInfo.environment["WINDTUNNEL_OUTBOX_SEED"].flatMap { UInt64($0) } ?? 1
    private static let calls = 1000

    /// A moment at which the app is killed.
    private enum Moment: Sendable {
      /// The moment when it has promised so many calls in this run.
      case promised(Int)
      /// The moment when so many batches have come in this run, before the last one is answered.
      case arrived(Int)
      /// The moment of the answer to the last of so many batches in this run.
      case answered(Int)
    }

    /// SplitMix64, so that a seed means the same everywhere.
    private struct Draws: RandomNumberGenerator {
      var state: UInt64

      mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
      }
    }

    /// The events of one run of the app.
    private struct Run {
      var program: OutboxProgram?
      var moment: Moment?
      var promises = 0
      var arrivals = 0
    }

    @Test(arguments: [true, false])
    func `enqueued calls arrive, however often the app is killed`(keepsKeys: Bool) async throws {
      let run = Locked(Run())
      @Sendable func killed(_ isMoment: (Run) -> Bool) {
        let program = run.withLock { run -> OutboxProgram? in
          guard isMoment(run) else { return nil }
          defer { run.program = nil }
          return run.program
        }
        program?.kill()
      }
      let origin = try await LedgerOrigin(keepsKeys: keepsKeys) { _, _ in
        run.withLock { $0.arrivals += 1 }
        killed { if case .arrived(let count) = $0.moment { $0.arrivals == count } else { false } }
        if case .answered(let count) = run.withLock({ $0.moment }),
          run.withLock({ $0.arrivals }) == count
        {
          // Beside the answer, which may come to somebody or to nobody.
          Thread { killed { _ in true } }.start()
        }
        return 200
      }
      let stand = OutboxStand()
      var draws = Draws(state: Self.seed)
      let promises = Locked<[(index: Int, body: String)]>([])
      var (runs, kills, cuts) = (0, 0, 0)
      while true {
        let moment: Moment =
          switch Int.random(in: 0..<3, using: &draws) {
          case 0: .promised(.random(in: 1...(Self.calls / Self.kills), using: &draws))
          case 1: .arrived(.random(in: 1...8, using: &draws))
          default: .answered(.random(in: 1...8, using: &draws))
          }
        let program = OutboxProgram()
        run.withLock { $0 = Run(program: program, moment: kills < Self.kills ? moment : nil) }
        runs += 1
        let first = promises.withLock { ($0.last?.index ?? -1) + 1 }
        let end = try await program.run(
          ["send", stand.folder.path, origin.url, "\(first)", "\(Self.calls)", "\(runs)"]
        ) { line in
          let words = line.split(separator: " ", maxSplits: 1)
          guard words.count == 2, let index = Int(words[0]) else { return }
          promises.withLock { $0.append((index, String(words[1]))) }
          run.withLock { $0.promises += 1 }
          killed {
            if case .promised(let count) = $0.moment { $0.promises == count } else { false }
          }
        }
        cuts += end.lines.count { $0 == "cut" }
        if end.lines.last == "done" { break }
        try #require(end.code == SIGKILL, "\(end.lines.suffix(1))")
        kills += 1
        // A run that is killed before its first promise gets nowhere.
        try #require(runs < 4 * Self.kills + 10)
      }
      #expect(kills > Self.kills / 2)
      let promised = promises.withLock { $0 }
      expectEqual(promised.map(\.index), Array(0..<Self.calls))
      let applied = Dictionary(grouping: origin.applied) { $0 }.mapValues(\.count)
      // Each that was promised is there, whole.
      expectEqual(promised.filter { applied[$0.body] == nil }.map(\.body), [])
      if keepsKeys { expectEqual(applied.filter { $0.value != 1 }, [:]) }
      // First arrivals come in order, and the same key brings the same bytes.
      for (path, isMeant) in [
        ("/first", { !$0.isMultiple(of: 3) }), ("/second", { $0.isMultiple(of: 3) }),
      ] as [(String, (Int) -> Bool)] {
        let meant = promised.filter { isMeant($0.index) }.map(\.body)
        let known = Set(meant)
        expectEqual(origin.firstArrivals(at: path).filter(known.contains), meant)
      }
      let byKey = Dictionary(grouping: origin.arrivals) { "\($0.path) \($0.key)" }
      #expect(byKey.values.allSatisfy { Set($0.map(\.body)).count == 1 })
      // Repeats are of the batch in flight at a kill alone: one an endpoint.
      let repeats = byKey.values.reduce(0) { $0 + $1.count - 1 }
      #expect(repeats <= 2 * kills)
      if !keepsKeys {
        let twice = applied.values.reduce(0) { $0 + $1 - 1 }
        #expect(twice <= repeats * 25)
      }
      print(
        "\(runs) runs, \(kills) kills: \(promised.count) promised, \(applied.count) applied,",
        "\(origin.arrivals.count) batches, \(repeats) repeats, \(cuts) torn ends"
      )
      await origin.stop()
    }

    #if os(Linux)
      @Test func `a hundred thousand calls wait in less than 64 MB`() async throws {
        let stand = OutboxStand()
        let filled = try await OutboxProgram().run(["fill", stand.folder.path, "100000"])
        let opened = try await OutboxProgram().run(["count", stand.folder.path])
        for end in [filled, opened] {
          let words = try #require(end.lines.last).split(separator: " ").compactMap { Int($0) }
          expectEqual(words.first, 100_000)
          #expect(try #require(words.last) < 64_000)
        }
        print("filled: \(filled.lines), opened: \(opened.lines) (calls, RssAnon in kB)")
      }
    #endif
  }
#endif
