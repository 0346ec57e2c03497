#if os(Linux) && arch(x86_64)
  import TestSupport

  /// Each way to wait, by programs that print what the clock says.
  @Suite(World.trait) struct WaitTests {
    /// Words of waits that are told in nanoseconds.
    static let exact = [
      "ppoll", "epoll-nanoseconds", "pselect", "nanosleep", "clock-nanosleep", "sleep-until",
      "sleep-until-wall", "condition", "condition-wall", "futex", "signal", "semaphore", "queue",
      "timer", "timerfd", "timerfd-wall",
    ]

    @Test(arguments: exact)
    func `a wait ends at its nanosecond`(word: String) async throws {
      try await expectEnd(of: word, after: 12_345_678_901)
    }

    @Test(arguments: ["poll", "epoll", "select", "receive-timeout", "send-timeout", "recvmmsg"])
    func `a wait ends at its microsecond`(word: String) async throws {
      try await expectEnd(of: word, after: 30 * World.second)
    }

    @Test func `a timer rings at its instant, and again`() async throws {
      try await expectEnd(of: "alarm", after: 30 * World.second)
      try await expectEnd(of: "setitimer", after: 30 * World.second, jumps: 3)
    }

    @Test func `each of several descriptors of timers expires`() async throws {
      try await expectEnd(of: "timerfds", after: 30 * World.second, jumps: 10)
    }

    @Test func `a wait that a signal breaks keeps its deadline`() async throws {
      try await expectEnd(of: "broken-sleep", after: 30 * World.second, jumps: 2)
      try await expectEnd(of: "stopped-sleep", after: 30 * World.second, jumps: 3)
    }

    @Test func `a connection that is not accepted ends at its timeout`() async throws {
      let run = try await World.run(word: "connect-timeout", 30 * World.second)
      expectEqual(run.lines, ["30000000000"])
      expectEqual(run.notes.reason, "none")
    }

    /// Three of them pass at once, and the next one takes a microsecond: twice in ten waits, and once
    /// more for the one that waits until the clock is later.
    @Test func `waits of no length let time pass in the end`() async throws {
      let run = try await World.run(word: "nothing", 30 * World.second)
      expectEqual(run.lines, ["30000003000"])
    }

    @Test(arguments: [("zeros", 10_000), ("short-waits", 40_000)])
    func `short waits in a row take longer and longer`(word: String, jumps: Int) async throws {
      // Tens of thousands of waits take a while on a busy machine.
      let run = try await World.run(word: word, 2 * World.second, options: ["--real-limit", "240"])
      let elapsed = try #require(Int64(run.lines.first ?? ""))
      #expect((2 * World.second...2 * World.second + World.second / 1000).contains(elapsed))
      #expect(run.notes.jumps < jumps && run.notes.reason == "none")
    }

    @Test func `threads that wait for one instant wake in the order of entry`() async throws {
      let run = try await World.run(word: "ties", 8)
      expectEqual(run.lines, ["0 1 2 3 4 5 6 7 1000007000"])
    }

    @Test func `the clock is the same by a system call`() async throws {
      try await expectEnd(of: "look-by-call", after: 30 * World.second)
    }

    @Test func `other calls return the time since the boot`() async throws {
      try await expectEnd(of: "uptime", after: 30 * World.second)
    }

    /// The program fails if its looks take longer than the processor needs for them.
    @Test(arguments: [300_000, 50_000_000])
    func `a working program is not slower for looking at the clock`(count: Int64) async throws {
      let run = try await World.run(word: "work-and-look", count)
      #expect(run.code == 0 && run.notes.reason == "none")
    }

    /// A millisecond passes for each millisecond of processor time.
    @Test func `who looks at the clock until it is late sees an end`() async throws {
      let run = try await World.run(word: "look", World.second / 5)
      let elapsed = try #require(Int64(run.lines.first ?? ""))
      #expect(elapsed >= World.second / 5 && elapsed < World.second / 4)
      #expect(run.notes.lookedNanoseconds >= World.second / 5)
      expectEqual(run.notes.reason, "none")
    }

    private func expectEnd(of word: String, after length: Int64, jumps: Int = 1) async throws {
      let run = try await World.run(word: word, length)
      expectEqual(run.lines, ["\(length)"])
      expectEqual(run.code, 0)
      expectEqual(run.notes.outcome, "ended")
      expectEqual(run.notes.reason, "none")
      expectEqual(run.notes.virtualNanoseconds, length)
      expectEqual(run.notes.jumps, jumps)
    }
  }
#endif
