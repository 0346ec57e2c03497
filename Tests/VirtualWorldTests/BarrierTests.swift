#if os(Linux) && arch(x86_64)
  import TestSupport

  /// No time passes while anybody runs, or while bytes are on their way.
  @Suite(World.trait) struct BarrierTests {
    /// Beside the exchanges a thread waits for a millisecond; it must not see it before they end.
    @Test(arguments: ["pingpong", "pingpong-tcp"], [[], ["--without", "haste"]])
    func `exchanges take no time`(word: String, options: [String]) async throws {
      let run = try await World.run(word: word, 10_000, options: options)
      expectEqual(run.lines, ["1000000"])
      expectEqual(run.code, 0)
    }

    /// The two look asleep one after the other, though one of them always runs. A look that pauses
    /// before each thread sees that in most runs; the second look refutes it.
    @Test func `without a second look time passes too early`() async throws {
      let options = ["--without", "haste", "--without", "look"]
      var isEarly = false
      for _ in 0..<8 where !isEarly {
        let run = try await World.run(word: "pingpong", 10_000, options: options)
        isEarly = run.code == 1 && run.lines.first?.hasSuffix(" early") == true
      }
      #expect(isEarly)
    }

    /// A timer wakes one thread, which wakes another and sleeps again, all between two looks at it.
    @Test(arguments: [[], ["--without", "haste"]])
    func `no time passes while a thread hands over`(options: [String]) async throws {
      let run = try await World.run(word: "hand-over", 300, options: options)
      expectEqual(run.lines.first, "0 early")
      expectEqual(run.code, 0)
    }

    /// Nagle's rule holds a byte back until a delayed acknowledgement comes, after 40 ms of real time.
    @Test func `bytes that are held back are waited for`() async throws {
      let run = try await World.run(word: "nagle", 3)
      expectEqual(run.lines, ["0"])
      expectEqual(run.code, 0)
      #expect(run.notes.inFlight > 0)
    }

    @Test func `without the account of bytes a timeout is false`() async throws {
      let run = try await World.run(word: "nagle", 3, options: ["--without", "account"])
      expectEqual(run.lines, ["no answer", "1000000000"])
      expectEqual(run.code, 1)
    }
  }
#endif
