import TestSupport

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// The parts of an outbox that are on the disk.
@Suite struct OutboxDiskTests {
  private let stand = OutboxStand()

  @Test func `a folder is held once`() async throws {
    let outbox = try stand.open()
    #expect(throws: OutboxError.inUse(stand.folder.path)) { try stand.open() }
    expectEqual(
      OutboxError.inUse("/a").description,
      "The outbox \"/a\" is in use by another process. End that process, or open "
        + "another folder."
    )
    await outbox.close()
    let next = try stand.open()
    await #expect(throws: OutboxError.closed) { try await stand.enqueue(["1"], in: outbox) }
    try await stand.enqueue(["1"], in: next)
  }

  @Test func `a folder below a link that leads nowhere is refused`() throws {
    let link = stand.folder.deletingLastPathComponent()
      .appending(path: "windtunnel-link-\(UUID().uuidString)")
    let nowhere = link.path + "-nowhere"
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: nowhere)
    defer { try? FileManager.default.removeItem(at: link) }
    #expect(throws: OutboxError.self) {
      try OutboxDisk().makeFolder(link.appending(path: "outbox"))
    }
  }

  @Test func `what has no place in an outbox is refused`() async throws {
    let outbox = try stand.open(limits: OutboxLimits(mostCallBytes: 8))
    let telemetry = OutboxStand.telemetry
    await #expect(throws: OutboxError.tooLarge(bytes: 9, most: 8)) {
      try await outbox.enqueue(Data(count: 9), to: telemetry)
    }
    await #expect(throws: OutboxError.key("a\nb")) {
      try await outbox.enqueue(Data("a".utf8), to: telemetry, key: "a\nb")
    }
    await #expect(throws: OutboxError.unknownEndpoint("/other")) {
      try await outbox.enqueue(Data(), to: OutboxEndpoint(Endpoint(.post, "/other")))
    }
    let refused = await #expect(throws: OutboxError.self) {
      try await outbox.enqueue(Data("a\nb".utf8), to: telemetry)
    }
    expectEqual(
      refused?.description.hasPrefix("The body cannot be in a batch: it contains a line"),
      true
    )
    expectEqual(outbox.count, 0)
  }

  @Test func `a batch that is not the one under way neither leaves nor is buried`() async throws {
    let stand = try await OutboxStand.filled()
    var events: [OutboxEvent] = []
    var store = try stand.store(telling: &events)
    let one = OutboxEndpoint(Endpoint(.post, "/telemetry"), mostCalls: 1)
    let first = try #require(try store.nextBatch(of: one, telling: &events))
    try store.leaveBatch(first.batch)
    let second = try #require(try store.nextBatch(of: one, telling: &events))
    try store.leaveBatch(first.batch)
    try store.addLetters(of: first.batch, status: 400, telling: &events)
    try expectEqual(store.letters.all(), [])
    try expectEqual(store.nextBatch(of: one, telling: &events)?.batch, second.batch)
    expectEqual([first.mayBeSent, second.mayBeSent], [false, false])
    try expectEqual(store.nextBatch(of: one, telling: &events)?.mayBeSent, true)
  }

  @Test func `an endpoint that is given twice is refused`() {
    #expect(throws: OutboxError.repeatedEndpoint("/telemetry")) {
      try stand.open([OutboxStand.telemetry, OutboxStand.telemetry])
    }
  }

  @Test func `concurrent calls share the waits for the disk`() async throws {
    let outbox = try stand.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...1000 {
        group.addTask { try await stand.enqueue(["\(number)"], in: outbox) }
      }
      try await group.waitForAll()
    }
    expectEqual(outbox.count, 1000)
    #expect(outbox.commits < 300)
    await outbox.close()
    expectEqual(Set(try stand.waiting().bodies), Set((1...1000).map { "\($0)" }))
  }

  @Test func `files go when their calls have left`() async throws {
    let outbox = try stand.open()
    // Three megabytes in calls of 100 kB.
    for number in 1...30 {
      let body = Data("\(number)".utf8) + Data(repeating: 0x78, count: 100_000)
      try await outbox.enqueue(body, to: OutboxStand.telemetry)
    }
    await outbox.close()
    try expectEqual(stand.names.count { $0.hasSuffix(".calls") }, 3)
    try expectEqual(stand.waiting().bodies.count, 30)
    // The number goes on, though no file of calls is there.
    try expectEqual(stand.names, ["000000000000001e.done"])
    let next = try stand.open()
    try await expectEqual(stand.enqueue(["next"], in: next).map(\.number), [31])
  }
}
