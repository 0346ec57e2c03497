#if os(Linux)
  import TestSupport

  @testable import WindTunnelNetworkLayer
  @testable import WindTunnelNetworkLayerOffline

  /// Outboxes on real disks that are full or may only be read.
  @Suite(.timeLimit(.minutes(5))) struct OutboxFullDiskTests {
    private let stand = OutboxStand()

    private static let starter = OutboxProgram.starter(
      [["unshare", "-rm"], ["unshare", "-m"]],
      doing: "mount -t tmpfs none /mnt"
    )
    private static let whyNot: Comment = "No mount namespace of one's own may be had here."

    @Test(.enabled(if: starter != nil, whyNot))
    func `a full disk refuses calls, and what it holds is sent and makes room`() async throws {
      let origin = try await LedgerOrigin()
      let script = """
        mkdir -p "$1" && mount -t tmpfs -o size=1m none "$1" || exit 4
        exec "$0" until-full "$1/outbox" "$2"
        """
      let program = OutboxProgram(under: try #require(Self.starter))
      let end = try await program.run([stand.folder.path, origin.url], shell: script)
      let told = try #require(end.lines.first).split(separator: " ", maxSplits: 1)
      let taken = try #require(told.first.flatMap { Int($0) })
      #expect(taken > 500)
      expectEqual(told.last?.hasPrefix("The disk is full: \""), true)
      expectEqual(told.last?.hasSuffix("Make room and try again."), true)
      expectEqual(end.lines.dropFirst(), ["0 left", "taken"])
      let first = origin.firstArrivals(at: "/first").map { $0.prefix { $0 != " " } }
      expectEqual(first, (0..<taken).map { "\($0)" })
      expectEqual(origin.applied.count, taken)
      await origin.stop()
    }

    @Test(.enabled(if: starter != nil, whyNot))
    func `refused calls hold nothing up on a full disk, where no letter finds room`() async throws {
      let origin = try await LedgerOrigin { _, _ in 400 }
      let script = """
        mkdir -p "$1" && mount -t tmpfs -o size=1m none "$1" || exit 4
        exec timeout 60 "$0" until-full "$1/outbox" "$2"
        """
      let program = OutboxProgram(under: try #require(Self.starter))
      let end = try await program.run([stand.folder.path, origin.url], shell: script)
      let taken = try #require(end.lines.first?.split(separator: " ").first.flatMap { Int($0) })
      expectEqual(end.lines.dropFirst(), ["0 left", "taken"])
      expectEqual(origin.firstArrivals(at: "/first").count, taken)
      await origin.stop()
    }

    @Test(.enabled(if: starter != nil, whyNot))
    func `what a full disk refused is not there, and all else is, for the next process`()
      async throws
    {
      let script = """
        mkdir -p "$1" && mount -t tmpfs -o size=1m none "$1" || exit 4
        "$0" until-full "$1/outbox"
        exec "$0" count "$1/outbox"
        """
      let program = OutboxProgram(under: try #require(Self.starter))
      let lines = try await program.run([stand.folder.path], shell: script).lines
      let counts = lines.compactMap { $0.split(separator: " ").first }
      #expect(counts.count == 2 && counts[0] == counts[1])
    }

    @Test(.enabled(if: starter != nil, whyNot))
    func `a folder that may only be read is told in one sentence`() async throws {
      let script = """
        mkdir -p "$1" && mount -t tmpfs none "$1" && mkdir "$1/outbox" || exit 4
        mount -o remount,ro "$1" || exit 4
        exec "$0" count "$1/outbox"
        """
      let program = OutboxProgram(under: try #require(Self.starter))
      let end = try await program.run([stand.folder.path], shell: script)
      expectEqual(
        end.lines,
        [
          "\"\(stand.folder.path)/outbox/outbox\" cannot be written: its folder or disk is read-only. "
            + "Open the outbox in a folder of the app."
        ]
      )
    }
  }
#endif
