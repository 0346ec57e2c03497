#if os(Linux)
  import Programs
  import TestSupport
  import WindTunnel

  /// Recordings onto a real disk that is small.
  @Suite(.world, .timeLimit(.minutes(5))) struct FullDiskCommandTests {
    /// The words that lead to a mount namespace of one's own; `nil` where there is none.
    private static let namespace: [String]? = {
      guard Companion.find("bash") != nil else { return nil }
      return [["unshare", "-rm"], ["unshare", "-m"]].first { words in
        let command = words.joined(separator: " ")
        return StartedProgram.succeeds("exec \(command) mount -t tmpfs none /mnt > /dev/null 2>&1")
      }
    }()

    private static let whyNot: Comment = "No mount namespace of one's own may be had here."

    /// Records on a small disk, is ended by a signal, and leaves what was there in `kept`; then another
    /// recording that asks for nothing begins and ends on the same disk.
    private static let script = TestData.text("full-disk.sh")

    private func run(
      _ signal: String,
      asking paths: [String],
      of answers: [(path: String, bytes: Int)],
      onDiskOf size: String = "2m"
    ) async throws -> Scratch {
      let scratch = try Scratch()
      let up = answers.map { path, bytes in
        Interaction(
          Request("GET", RequestURL("http://up.test\(path)")),
          Response(
            headers: ["Content-Type": "text/plain"],
            body: Body(String(repeating: "0123456789", count: bytes / 10))
          )
        )
      }
      try Cassette(up).write(to: scratch.file("up.json"))
      let (upstream, url) = try await Server.start("up.json", in: scratch)
      try scratch.write(Self.script, to: "record.sh")
      let words = try #require(Self.namespace)
      let tool = try Program.executable().path
      let run = try await Companion.run(
        words + ["bash", "record.sh", tool, url, signal, paths.joined(separator: " "), size],
        in: scratch
      )
      expectEqual(run.code, 0, "\(run)")
      try await upstream.interrupt()
      return scratch
    }

    private func paths(_ name: String, in scratch: Scratch) throws -> [String] {
      try Cassette(contentsOf: scratch.file(name)).interactions.map(\.request.url.target)
    }

    private static let small = (1...40).map { "/small/\($0)" }
    private static let asked = small.prefix(20) + ["/big"] + small.suffix(20)
    private static let answers = small.map { ($0, 500) } + [("/big", 4 << 20)]

    @Test(.enabled(if: namespace != nil, whyNot))
    func `one body that has no room takes nothing else with it, and is named`() async throws {
      let scratch = try await run("INT", asking: Array(Self.asked), of: Self.answers)
      let told = try scratch.text("told").split(separator: "\n").map(String.init)
      let reason = /\/big: [^ ]*a\.bodies\/[^ ]+ cannot be written: No space left on device\.$/
      expectEqual(told.count, 3, "\(told)")
      expectEqual(told.first?.hasPrefix("not in journal: GET http://127.0.0.1:"), true, "\(told)")
      expectEqual(told.first?.contains(reason), true, "\(told)")
      expectEqual(told.dropFirst().first?.hasPrefix("skipped: GET http://127.0.0.1:"), true)
      expectEqual(told.last, "a.json: 40 interactions")
      try expectEqual(scratch.text("code"), "73\n")
      try expectEqual(paths("kept/a.json", in: scratch), Self.small)
      #expect(!scratch.has("kept/a.json.journal"))
    }

    @Test(.enabled(if: namespace != nil, whyNot))
    func `a kill leaves all but the body that had no room, and the next recording takes it up`()
      async throws
    {
      let scratch = try await run("KILL", asking: Array(Self.asked), of: Self.answers)
      try expectEqual(scratch.text("code"), "137\n")
      #expect(!scratch.has("kept/a.json") && scratch.has("kept/a.json.journal"))
      let show = try await scratch.run("cassette show kept/a.json")
      for path in Self.small { #expect(show.out.contains("\(path) →"), "\(show)") }
      #expect(!show.out.contains("\(4 << 20) bytes"))
      // A part of the large one may have had room before all of it had none.
      let next = try scratch.text("next")
      #expect(next.contains(/a\.json includes 40 (interactions|whole and 1 incomplete)/), "\(next)")
      let taken = try Cassette(contentsOf: scratch.file("then/a.json")).interactions
      expectEqual(taken.filter { !$0.isPart }.map(\.request.url.target), Self.small)
      #expect(taken.allSatisfy { !$0.isPart || $0.request.url.target == "/big" })
    }

    @Test(.enabled(if: namespace != nil, whyNot), arguments: ["INT", "KILL"])
    func `a disk that is full to the end holds the cassette of what was journalled`(
      signal: String
    ) async throws {
      let all = (1...100).map { "/page/\($0)" }
      let answers = all.map { (path: $0, bytes: 6000) }
      let scratch = try await run(signal, asking: all, of: answers, onDiskOf: "512k")
      let lines = try scratch.text("told").split(separator: "\n")
      let named = lines.filter { $0.hasPrefix("not in journal: GET ") }
      expectEqual(named.count, 10, "\(lines)")
      if signal == "INT" {
        try expectEqual(scratch.text("code"), "73\n")
        let kept = try paths("kept/a.json", in: scratch)
        let more = try #require(lines.first { $0.hasSuffix(" more") })
        let rest = try #require(Int(more.split(separator: " ")[3]))
        expectEqual(kept.count, 100 - 10 - rest)
        #expect(kept == Array(all.prefix(kept.count)) && kept.count > 60)
        #expect(!scratch.has("kept/a.json.journal"))
        #expect(!scratch.has("kept/a.json.journal.partial"))
      } else {
        let show = try await scratch.run("cassette show kept/a.json")
        let count = show.out.split(separator: "\n").count { $0.contains("/page/") }
        #expect(count > 60)
        try expectEqual(paths("then/a.json", in: scratch), Array(all.prefix(count)))
      }
    }
  }
#endif
