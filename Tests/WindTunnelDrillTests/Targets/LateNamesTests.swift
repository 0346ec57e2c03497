#if os(Linux)
  import TestSupport

  @testable import WindTunnelDrill
  @testable import WindTunnelServer

  /// Names that programs look up late, in a network of their own.
  @Suite(
    .enabled(
      if: PrivateNetwork.obstacle == nil,
      "This machine lets nobody make a network: \(PrivateNetwork.obstacle ?? "")."
    ),
    .timeLimit(.minutes(5))
  )
  struct LateNamesTests {
    private static let hasCurl = Executable.find("curl") != nil
    private static let hasPython = Executable.find("python3") != nil
    private static let delay = Duration.seconds(2)

    private static func late(_ rules: [FaultRule] = []) -> Scenario {
      var scenario = Scenario("late", rules: rules)
      scenario.link = Link(up: .init(), down: .init(), dnsDelay: delay)
      return scenario
    }

    private static func run(
      _ command: [String],
      in scenario: Scenario = late(),
      calls: Int = 2
    ) async throws -> Report.Row {
      try await TestSubjects.row(
        of: command,
        in: scenario,
        calls: calls,
        atOnce: calls,
        seconds: 120
      )
    }

    /// What curl says of when it had the name, the connection and the first byte; a line for each of its
    /// runs.
    private static func moments(
      _ folder: Folder,
      _ call: Int
    ) throws -> [(name: Double, connection: Double, firstByte: Double)] {
      let text = try String(contentsOfFile: try folder.file("\(call)"), encoding: .utf8)
      return try text.split(separator: "\n").map { line in
        let numbers = try line.split(separator: " ").map { try #require(Double($0)) }
        try #require(numbers.count == 3)
        return (numbers[0], numbers[1], numbers[2])
      }
    }

    private static func curl(_ folder: Folder, _ flags: String = "") -> [String] {
      let form = "%{time_namelookup} %{time_connect} %{time_starttransfer}\\n"
      return [
        "sh", "-c",
        #"curl -sf --noproxy '*' \#(flags) -o /dev/null -w "\#(form)" "$1" >> "$0/$2""#,
        folder.url.path, "{url}", "{call}", "{ca}",
      ]
    }

    @Test(.curl) func `a look-up is what is late, and neither the connection nor the answer`()
      async throws
    {
      let folder = try Folder()
      let row = try await Self.run(Self.curl(folder))
      expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded])
      for call in 0..<2 {
        let seen = try #require(try Self.moments(folder, call).last)
        #expect(seen.name >= 2, "a name comes when it should and never sooner")
        #expect(seen.connection - seen.name < 2 && seen.firstByte - seen.connection < 2)
        let attempt = try #require(row.observations[call].attempts.first)
        let stages = attempt.stages
        expectEqual(stages.dns.map { $0 >= Self.delay && $0 < Self.delay * 2 }, true)
        expectNil(stages.connect)
        expectEqual(stages.firstByte.map { $0 < Self.delay }, true, "it is not paid twice")
      }
      expectEqual(row.metrics.averageRetries, 0)
    }

    @Test(.enabled(if: hasPython, "Python is not installed."))
    func `a client whose limits are for connections and answers comes through`() async throws {
      // Its limit is for each of these by itself, and there is none for names (socket.settimeout).
      let script = """
        import http.client, os, urllib.parse
        place = urllib.parse.urlsplit(os.environ["WINDTUNNEL_URL"])
        link = http.client.HTTPConnection(place.hostname, place.port, timeout=1.5)
        link.request("GET", place.path)
        print(link.getresponse().read().decode())
        """
      let row = try await Self.run(["python3", "-c", script])
      expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded])
    }

    @Test(.curl) func `a client whose limit is for names, too, finds that`() async throws {
      let row = try await Self.run(["curl", "-sf", "--connect-timeout", "1", "{url}"])
      // CURLE_OPERATION_TIMEDOUT; an answer that is late is nothing to that limit.
      expectEqual(row.observations.map(\.ending), [.failed("exit 28"), .failed("exit 28")])
      expectEqual(row.observations.map(\.attemptCount), [0, 0])
    }

    @Test func `a program is in that network whom it was, where it was`() async throws {
      let folder = try Folder()
      let script = #"(id -u; id -g; pwd; cat /etc/resolv.conf) > "$0/seen" 2>&1"#
      let row = try await Self.run(["sh", "-c", script, folder.url.path, "{url}"], calls: 1)
      expectEqual(row.observations.map(\.ending), [.succeeded])
      let seen = try String(contentsOfFile: try folder.file("seen"), encoding: .utf8)
      let place = FileManager.default.currentDirectoryPath
      expectEqual(seen, "\(getuid())\n\(getgid())\n\(place)\nnameserver 127.0.0.1\n")
      // It is in nobody else's.
      let own = try String(contentsOfFile: "/etc/resolv.conf", encoding: .utf8)
      #expect(own != "nameserver 127.0.0.1\n")
    }

    @Test(.curl) func `lost attempts to connect come behind a late name`() async throws {
      let folder = try Folder()
      let lost = Self.late([.always(.always, .connection(.lostSYNs(1)))])
      let row = try await Self.run(Self.curl(folder), in: lost, calls: 1)
      expectEqual(row.observations.map(\.ending), [.succeeded])
      let seen = try #require(try Self.moments(folder, 0).last)
      #expect(seen.name >= 2 && seen.connection - seen.name >= 1)
    }

    @Test(
      .enabled(
        if: hasCurl && TestSubjects.hasAuthority,
        "curl and OpenSSL 3 are not both installed."
      )
    )
    func `a certificate is for the name that was looked up`() async throws {
      let folder = try Folder()
      let alert: Scenario = Self.late([.always(.first(1), .connection(.tls(.expired)))])
      let again = Self.curl(folder, #"--cacert "$3""#)
      let row = try await Self.run(
        [again[0], again[1], again[2] + " || " + again[2]] + again.dropFirst(3),
        in: alert,
        calls: 1
      )
      expectEqual(row.observations.map(\.ending), [.succeeded])
      expectEqual(row.observations[0].attempts.map(\.isRequest), [false, true])
      // A call without faults comes first, and is not counted.
      #expect(try Self.moments(folder, 0).dropFirst().allSatisfy { $0.name >= 2 })
    }

    /// In a user namespace whose own limit of further ones is none (namespaces(7)).
    private static let refusing = [
      "unshare", "-Ur", "sh", "-c",
      #"echo 0 > /proc/sys/user/max_user_namespaces && exec "$@""#, "sh",
    ]

    @Test(.enabled(if: Executable.find("unshare") != nil, "unshare is not installed."))
    func `where networks are refused the scenario is left out, named, and in the report`()
      async throws
    {
      let folder = try Folder()
      let (scenario, report) = (try folder.file("late.json"), try folder.file("drill.json"))
      try Self.late().data().write(to: URL(filePath: scenario))
      let flags = ["--subject", "exec", "--calls", "1", "--report", report, "--", "true", "{url}"]
      let why =
        #"Scenario "slow-dns" cannot run by a program: its slow name lookups require a separate "#
        + "network for the program, which is not possible here "
        + "(a user namespace with a network: No space left on device)."
      let group = try await Tool.run(
        ["drill", "--scenario", "weak-network", "--rate", "100"] + flags,
        under: Self.refusing
      )
      #expect(group.complaints.contains("windtunnel: not run: \(why)\n"), "\(group)")
      let flown = try Report(contentsOf: URL(filePath: report))
      #expect(!flown.scenarios.isEmpty && !flown.scenarios.contains { $0.name == "slow-dns" })
      expectEqual(flown.environment.first { $0.name == "notRun" }?.value.contains(why), true)
      // Who asks for it by its name is told that there is none.
      let alone = try await Tool.run(
        ["drill", "--scenario", "slow-dns"] + flags,
        under: Self.refusing
      )
      #expect(alone.code == 64 && alone.complaints.contains(why), "\(alone)")
    }
  }
#endif
