import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// A large answer takes long to be looked through for secrets: its own client waits, and nobody else.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct JournalWritingTests {
  /// A folder with a journal in it.
  private struct Desk {
    let folder: TemporaryFolder
    let journal: RecordingJournal
    let deck: Deck

    init(isProxied: Bool = false) throws {
      folder = try TemporaryFolder()
      journal = try RecordingJournal(besides: folder.file("a.json"))
      deck = Deck(
        Cassette(),
        options: PlaybackOptions(mode: .rewrite, isProxied: isProxied),
        recordingJournal: journal
      )
    }

    /// What another process would take up.
    func paths() throws -> [String] { try lines().map(\.interaction.request.url.path) }

    func lines() throws -> [JournalFormat.Session.InteractionLine] {
      let text = try Data(contentsOf: journal.file)
      let sideFiles = SideFiles(of: folder.file("a.json"))
      return try JournalFormat.decode(text, source: "a") { try sideFiles.read($0) }
        .flatMap(\.lines)
    }

    /// Waits for a line.
    func line(_ isSought: (JournalFormat.Session.InteractionLine) -> Bool) async throws
      -> JournalFormat.Session.InteractionLine
    {
      while true {
        do {
          if let line = try lines().first(where: isSought) { return line }
        } catch let error as FileError {
          // Between the two reads a newer part may take the place of the file of an older one.
          guard case .missing = error else { throw error }
        }
        await Task.yield()
      }
    }
  }

  /// What takes long to be looked through: far longer than it takes to be answered beside it.
  private static let large = String(repeating: "-----BEGIN PRIVATE KEY-----", count: 10_000)
  private static let smaller = String(large.prefix(200_000))

  private static func origin(_ large: String, isChunked: Bool = false) async throws -> Origin {
    let count = large.utf8.count
    let framed =
      isChunked
      ? "Transfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n\(large)\r\n0\r\n\r\n"
      : "Content-Length: \(count)\r\n\r\n\(large)"
    return try await Origin { text in
      guard text.contains("\r\n\r\n") else { return nil }
      let small = "Content-Length: 5\r\n\r\nsmall"
      return (["HTTP/1.1 200 OK\r\n", text.contains(" /large ") ? framed : small], .stays)
    }
  }

  @Test(arguments: [false, true])
  func `others are answered while a large answer is looked through, whose client waits`(
    isChunked: Bool
  ) async throws {
    let desk = try Desk()
    let origin = try await Self.origin(Self.large, isChunked: isChunked)
    var options = try ReplayServer.Options.before(origin.url)
    options.loops = 1
    let told = Locked<[String]>([])
    try await ReplayServer.serving(desk.deck, options) { server async throws in
      let client = try server.client()
      await client.send(closing("GET /large"))
      async let waited = {
        let (bytes, end) = await client.receiveAll()
        // Not before it is written down.
        let paths = try desk.paths()
        told.withLock { $0.append("large") }
        return (bytes, end, paths)
      }()
      // The whole answer is here: its connection is given back.
      #expect(try await origin.left.next())
      try await expectEqual(server.answer(to: closing("GET /small")).content, "small")
      try expectEqual(desk.paths(), ["/small"])
      told.withLock { $0.append("small") }
      let (bytes, end, paths) = try await waited
      let text = String(decoding: bytes, as: UTF8.self).content
      #expect(end == .finished && text.utf8.count >= Self.large.utf8.count)
      #expect(isChunked ? text.hasSuffix("\r\n0\r\n\r\n") : text == Self.large)
      #expect(paths.contains("/large"))
      client.close()
    }
    expectEqual(told.withLock { $0 }, ["small", "large"])
    try expectEqual(desk.paths(), ["/small", "/large"])
    desk.journal.close()
    // What is taken up stands in the order in which it was decided.
    let file = desk.folder.file("a.json")
    let taken = try RecordingJournal(besides: file).takeUp(onto: Cassette()).cassette
    expectEqual(taken.interactions.map(\.request.url.path), ["/large", "/small"])
  }

  @Test func `a client that leaves while its answer is looked through leaves it whole`()
    async throws
  {
    let desk = try Desk()
    let origin = try await Self.origin(Self.smaller)
    try await origin.recording(desk.deck) { server, deck async throws in
      let client = try server.client()
      await client.send(closing("GET /large"))
      #expect(try await origin.left.next())
      client.socket.resetOnClose()
      client.close()
      try await expectEqual(server.answer(to: closing("GET /small")).content, "small")
      let recorded = deck.recordedWithoutTimes
      expectEqual(recorded.map(\.response?.body.count), [Self.smaller.utf8.count, 5])
      #expect(recorded.allSatisfy { $0.failure == nil })
    }
    desk.journal.close()
  }

  @Test func `a proxy lets nobody wait for a large answer but its client`() async throws {
    let desk = try Desk(isProxied: true)
    let origin = try await Self.origin(Self.large)
    var options = ReplayServer.Options.patient
    options.proxy = Proxying()
    options.loops = 1
    let told = Locked<[String]>([])
    let base = origin.url.origin ?? ""
    try await ReplayServer.serving(desk.deck, options) { server async throws in
      let client = try server.client()
      await client.send(closing("GET \(base)/large"))
      async let waited: Void = {
        _ = await client.receiveAll()
        told.withLock { $0.append("large") }
      }()
      #expect(try await origin.left.next())
      try await expectEqual(server.answer(to: closing("GET \(base)/small")).content, "small")
      told.withLock { $0.append("small") }
      await waited
      client.close()
    }
    expectEqual(told.withLock { $0 }, ["small", "large"])
    desk.journal.close()
  }
  /// The one has more bytes than wait for a part, and the other waits for its time.
  @Test(arguments: [String(repeating: "word\n", count: 220_000), "data: 1\n\nda"])
  func `an answer that lasts is journalled as far as it has come`(begun: String) async throws {
    let desk = try Desk()
    let origin = try await Origin { text in
      guard text.contains("\r\n\r\n") else { return nil }
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9000000\r\n\r\n"
      return ([head, begun], .stays)
    }
    try await origin.recording(desk.deck) { server, _ async throws in
      let client = try server.client()
      await client.send(closing("GET /large"))
      let part = try await desk.line { $0.isPart }
      expectEqual(part.interaction.failure, Interaction.cut)
      let text = part.interaction.response?.body.text ?? ""
      // A line that is cut may be half of a secret.
      #expect(text.hasSuffix("\n") && begun.hasPrefix(text), "\(text.count)")
      client.close()
      let left = try await desk.line { !$0.isPart }
      expectEqual(left.interaction.failure?.text, "the client left")
      try expectEqual(desk.paths(), ["/large"])
    }
    desk.journal.close()
  }

  @Test func `a conversation is journalled in part, and whole before its client has the last word`()
    async throws
  {
    let desk = try Desk()
    let origin = try await WebSocketOrigin(answering: WebSocketOrigin.echo)
    var options = ReplayServer.Options.patient
    options.upstream = try Upstream(RequestURL("http://127.0.0.1:\(origin.address.port)"))
    try await ReplayServer.serving(desk.deck, options) { server async throws in
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      await peer.say("a")
      await expectEqual(peer.hear(1), [.text("a", frames: 1)])
      let part = try await desk.line { $0.isPart && $0.interaction.messages.count == 2 }
      let said = ["client text a", "server text a after 1"]
      expectEqual(RecordedConversationTests.lines(part.interaction), said)
      expectEqual(part.interaction.notes, [Interaction.incomplete])
      await peer.close(1000)
      await expectEqual(peer.hear(1), [.close(1000, "")])
      // Its connection is still there.
      let all = try desk.lines()
      expectEqual(
        all.map { RecordedConversationTests.lines($0.interaction) },
        [said + ["client close(1000) ", "server close(1000)  after 3"]]
      )
      #expect(all.allSatisfy { !$0.isPart && $0.interaction.notes.isEmpty })
      await peer.leave()
    }
    desk.journal.close()
  }
}
