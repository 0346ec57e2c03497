#if os(Linux) && arch(x86_64)
  import TestSupport

  /// What is not virtual is named, and what has no end is ended.
  @Suite(World.trait) struct LimitTests {
    @Test func `who sleeps for ever is named with its call`() async throws {
      let run = try await World.run(word: "sleep-for-ever")
      expectEqual(run.code, 124)
      expectEqual(run.notes.outcome, "asleep for ever")
      expectEqual(run.notes.reason, "none")
      // read(2) is call 0, and the first pipe begins with descriptor 3.
      #expect(run.notes.asleep.hasSuffix(" call 0 3\n"))
    }

    @Test func `a program that waits for an outside process is stopped with the reason`()
      async throws
    {
      let fifo = FileManager.default.temporaryDirectory.appending(path: "fifo-\(UUID())").path
      try #require(mkfifo(fifo, 0o600) == 0)
      defer { unlink(fifo) }
      let run = try await World.run(word: "read", redirection: "8<>'\(fifo)' <'\(fifo)'")
      expectEqual(run.code, 124)
      expectEqual(run.notes.outcome, "stopped")
      expectEqual(run.notes.reason, "foreign descriptor")
      #expect(run.notes.detail.hasSuffix(" waits for descriptor 0"))
    }

    @Test func `a connection to somebody outside is told`() async throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(listener) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, size) == 0 && listen(listener, 1) == 0
            && getsockname(listener, $0, &size) == 0
        }
      }
      try #require(isOpen)
      let port = UInt16(bigEndian: address.sin_port)
      let run = try await World.run(word: "connect", Int64(port))
      expectEqual(run.code, 0)
      expectEqual(run.notes.reason, "foreign peer")
      expectEqual(run.notes.detail, "127.0.0.1 port \(port)")
    }

    @Test func `a close that lingers is told`() async throws {
      let run = try await World.run(word: "linger", 2)
      #expect("\(run.notes.reason): \(run.notes.detail)".hasPrefix("lingering close: "))
    }

    @Test func `who computes without an end is ended`() async throws {
      let run = try await World.run(word: "compute", options: ["--processor-limit", "0.03"])
      expectEqual(run.code, 124)
      expectEqual(run.notes.outcome, "stopped")
      expectEqual(run.notes.reason, "processor time")
    }

    @Test func `a fork bomb ends with a reason, and nothing is left of it`() async throws {
      let mark = Int64.random(in: 1 << 40..<1 << 60)
      let run = try await World.run(word: "fork-bomb", mark)
      expectEqual(run.notes.outcome, "stopped")
      expectEqual(run.notes.reason, "too many")
      // Each thread of a program takes three descriptors.
      var files = rlimit()
      try #require(getrlimit(Int32(RLIMIT_NOFILE.rawValue), &files) == 0)
      let isRoomy = files.rlim_max >= 4096
      expectEqual(run.notes.detail, isRoomy ? "1024 processes" : "no descriptor for a thread")
      try expectEqual(World.processes(with: "\(mark)"), [])
    }

    @Test func `what a program leaves behind runs on and is ended`() async throws {
      let asleep = try await World.run(word: "leave", 1000 * World.second)
      expectEqual(asleep.lines, ["0", "left"])
      expectEqual(asleep.notes.virtualNanoseconds, 0)
      let mark = Int64.random(in: 1 << 40..<1 << 60)
      let busy = try await World.run(word: "leave-busy", mark)
      expectEqual(busy.code, 0)
      expectEqual(busy.notes.outcome, "ended")
      // The limit is for the program, which has ended.
      let script = "sleep 60 & exit 3"
      let late = try await World.run(["/bin/sh", "-c", script], options: ["--limit", "10"])
      expectEqual(late.code, 3)
      expectEqual(late.notes.outcome, "ended")
      try expectEqual(World.processes(with: "\(mark)"), [])
    }

    @Test func `what reaches beyond the world is refused`() async throws {
      let kill = try await World.run(word: "kill", Int64(getpid()))
      expectEqual(kill.code, EPERM)
      expectEqual(kill.notes.refused, 4)
      expectEqual(kill.notes.reason, "none")
      let trace = try await World.run(word: "trace")
      expectEqual(trace.code, EPERM)
      expectEqual(trace.notes.reason, "traced itself")
      try expectEqual(await World.run(word: "untraced").code, EPERM)
      try expectEqual(await World.run(word: "io-uring").code, 0)
    }

    @Test func `a virtual limit and a real one end a world`() async throws {
      let virtual = try await World.run(["sleep", "60"], options: ["--limit", "10"])
      expectEqual(virtual.code, 124)
      expectEqual(virtual.notes.outcome, "virtual limit")
      expectEqual(virtual.notes.virtualNanoseconds, 10 * World.second)
      let real = try await World.run(word: "compute", options: ["--real-limit", "0.05"])
      expectEqual(real.code, 124)
      expectEqual(real.notes.reason, "real limit")
    }

    @Test func `a program that is not there is told`() async throws {
      let run = try await World.run(["/no/such/program"])
      expectEqual(run.code, 125)
      expectEqual(run.notes.outcome, "stopped")
      expectEqual(run.notes.detail, "/no/such/program: No such file or directory")
    }
  }
#endif
