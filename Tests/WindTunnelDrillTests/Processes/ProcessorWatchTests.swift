import TestSupport

@testable import WindTunnelDrill

/// The look at how long a running program waits for a processor, which Linux tells and others do
/// not.
#if os(Linux)
  @Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .python
  )
  struct ProcessorWatchTests {
    private static let crowdCount = 2 * ProcessInfo.processInfo.activeProcessorCount

    /// So many programs that want a processor all the time, until they are ended.
    private struct Crowd: ~Copyable {
      private let programs: [SpawnedProcess]

      init(_ count: Int = ProcessorWatchTests.crowdCount) throws {
        programs = try (0..<count).map { _ in try Self.spinner() }
      }

      deinit {
        for program in programs {
          program.killAll()
          program.waitUntilExit()
        }
      }

      static func spinner() throws -> SpawnedProcess {
        let process = SpawnedProcess()
        process.executableURL = Executable.find("sh")
        process.arguments = ["-c", "while :; do :; done"]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
      }
    }

    @Test func `what a program waits is counted from a mark on`() async throws {
      let crowd = try Crowd()
      let process = try Crowd.spinner()
      let watch = ProcessorWatch(process)
      watch.start()
      while watch.longest(since: [:]) ?? .zero < .milliseconds(300) {
        try await Task.sleep(for: .milliseconds(20))
      }
      let mark = watch.mark
      while watch.longest(since: mark) == nil { try await Task.sleep(for: .milliseconds(20)) }
      let all = try #require(watch.longest(since: [:]))
      let since = try #require(watch.longest(since: mark))
      #expect(all > since)
      process.killAll()
      process.waitUntilExit()
      watch.look()
      #expect(try #require(watch.longest(since: [:])) >= all, "what was seen stays")
      withExtendedLifetime(crowd) {}
    }

    @Test(.world) func `a program that is started for a call has what it waited since its request`()
      async throws
    {
      // Each wants a processor for a second, and there are four for each.
      let script = """
        import os, time, urllib.request
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        print(opener.open(os.environ["WINDTUNNEL_URL"], timeout=60).read().decode())
        end = time.process_time() + 1
        while time.process_time() < end: pass
        """
      let calls = 2 * Self.crowdCount
      let row = try await TestSubjects.row(
        of: ["python3", "-c", script],
        calls: calls,
        atOnce: calls,
        seconds: 60
      )
      expectEqual(row.observations.map(\.ending), Array(repeating: .succeeded, count: calls))
      let delays = row.observations.compactMap(\.processorDelay)
      // Those that are left at the end have the processors to themselves.
      #expect(delays.count > calls / 2)
      #expect(try #require(delays.max()) > .milliseconds(500))
      for call in row.observations {
        #expect(call.processorDelay ?? .zero <= call.latency, "it waits within the call alone")
      }
    }

    @Test(.world) func `of a program that lives a call has its own wait, and no other call's`()
      async throws
    {
      let crowd = try Crowd()
      let script = """
        for line in lines:
            if line["call"] == 1:
                end = time.process_time() + 1
                while time.process_time() < end: pass
            if line["call"] == 2: time.sleep(1.2)
            say(line["call"], shown="a")
        """
      let row = try await ServiceFlight(script, calls: 3).run()
      let delays = row.observations.map(\.processorDelay)
      let spinning = try #require(delays[1])
      // On a full machine it waits to be woken, too.
      #expect(delays[2] ?? .zero < spinning, "it wants no processor")
      withExtendedLifetime(crowd) {}
    }
  }
#endif
