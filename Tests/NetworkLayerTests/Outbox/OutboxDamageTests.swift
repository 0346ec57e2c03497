import TestSupport

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// Outboxes whose files are not as they were left.
@Suite struct OutboxDamageTests {
  private let stand: OutboxStand

  init() async throws { stand = try await OutboxStand.filled() }

  @Test func `a file that is cut off in its last call keeps all before it`() async throws {
    let file = try stand.callFile
    let whole = try Data(contentsOf: file)
    let last = CallRecords.overhead + "key-three".utf8.count + "three".utf8.count
    for rest in 1...last {
      try stand.reset(whole.dropLast(rest))
      let found = try stand.waiting()
      expectEqual(found.bodies, ["one", "two"], "without \(rest) bytes")
      let cut = last - rest
      expectEqual(
        found.events,
        (cut == 0 ? [] : [.cutOff(template: "/telemetry", bytes: cut)]),
        "without \(rest) bytes"
      )
    }
  }

  @Test func `what follows a cut is taken and found`() async throws {
    let whole = try Data(contentsOf: try stand.callFile)
    for rest in 1...20 {
      try stand.reset(whole.dropLast(rest))
      let outbox = try stand.open()
      try await expectEqual(stand.enqueue(["four"], in: outbox).map(\.number), [3])
      await outbox.close()
      try expectEqual(stand.waiting().bodies, ["one", "two", "four"])
    }
  }

  @Test func `a changed byte costs one call at most, and is told`() async throws {
    let file = try stand.callFile
    let whole = try Data(contentsOf: file)
    for place in whole.indices {
      var changed = whole
      changed[place] ^= 0x10
      try stand.reset(changed)
      let found = try stand.waiting()
      if place < CallRecords.headBytes {
        expectEqual(found.bodies, OutboxStand.bodies, "byte \(place)")
      } else {
        expectEqual(found.bodies.count, 2, "byte \(place)")
        #expect(Set(found.bodies).isSubset(of: OutboxStand.bodies), "byte \(place)")
        #expect(!found.events.isEmpty, "byte \(place)")
      }
    }
  }

  @Test func `a folder that is given up is free, though a child process still has the file`() throws
  {
    let folder = try TemporaryFolder()
    let file = folder.file("lock")
    var lock: FolderLock? = try FolderLock(file)
    #expect(lock != nil)
    // As a process has it that was forked and has not yet executed its program.
    let child = try #require(Self.copy(of: file))
    defer { close(child) }
    lock = nil
    lock = try FolderLock(file)
    #expect(throws: OutboxError.inUse(folder.url.path)) { try FolderLock(file) }
    #expect(lock != nil)
  }

  /// Returns a further descriptor of an open file.
  private static func copy(of file: URL) -> Int32? {
    var wanted = stat()
    guard stat(file.path, &wanted) == 0 else { return nil }
    return (0..<Int32(1024)).lazy.filter { number in
      var found = stat()
      return fstat(number, &found) == 0 && found.st_ino == wanted.st_ino
        && found.st_dev == wanted.st_dev
    }.map { dup($0) }.first
  }

  @Test func `a body that looks like a call is none`() async throws {
    // As somebody would write it who knows the form, and not the file's salt.
    let stamp = OutboxStamp(elapsed: 0, date: 0)
    let stored = StoredCall(number: 9, stamp: stamp, key: "k", body: Data("planted".utf8))
    let planted = CallRecords().record(stored)
    let stand = OutboxStand()
    let raw = OutboxEndpoint(Endpoint(.post, "/telemetry"), format: .single(contentType: nil))
    let outbox = try stand.open([raw])
    try await outbox.enqueue(planted, to: raw)
    try await outbox.enqueue(Data("after".utf8), to: raw)
    await outbox.close()
    let file = try stand.callFile
    var data = try Data(contentsOf: file)
    data[CallRecords.headBytes] ^= 1
    try stand.reset(data)
    try expectEqual(stand.waiting().bodies, ["after"])
  }

  @Test func `a frozen batch that is damaged is made again with the same key`() async throws {
    var key = ""
    for place in 0..<60 {
      var events: [OutboxEvent] = []
      do {
        var store = try stand.store(telling: &events)
        let batch = try #require(try store.nextBatch(of: OutboxStand.telemetry, telling: &events))
        if place == 0 { key = batch.batch.key }
        expectEqual(batch.batch.key, key)
        expectEqual(batch.content.body, Data("one\ntwo\nthree\n".utf8))
        expectEqual(events, (place < 2 ? [] : [.damaged(template: "/telemetry", calls: 0)]))
      }
      let name = try #require(try stand.names.first { $0.hasSuffix(".batch") })
      let file = try stand.callFile.deletingLastPathComponent().appending(path: name)
      var data = try Data(contentsOf: file)
      // The first time it stays as it is.
      if place > 0 { data[place] ^= 0x40 }
      if place > 1 { data[place - 1] ^= 0x40 }
      try data.write(to: file)
    }
  }

  @Test func `a file that cannot be read costs no call`() async throws {
    var events: [OutboxEvent] = []
    var store = try stand.store(telling: &events)
    // A link to itself cannot be opened, by whomever (ELOOP).
    let file = try stand.callFile
    let aside = file.appendingPathExtension("aside")
    func hide() throws {
      try FileManager.default.moveItem(at: file, to: aside)
      try FileManager.default.createSymbolicLink(at: file, withDestinationURL: file)
    }
    func show() throws {
      try FileManager.default.removeItem(at: file)
      try FileManager.default.moveItem(at: aside, to: file)
    }
    try hide()
    #expect(throws: OutboxError.self) {
      try store.nextBatch(of: OutboxStand.telemetry, telling: &events)
    }
    #expect(store.count == 3 && events == [])
    try show()
    let batch = try #require(try store.nextBatch(of: OutboxStand.telemetry, telling: &events))
    expectEqual(batch.content.body, Data("one\ntwo\nthree\n".utf8))
    // A refusal loses none either.
    try hide()
    #expect(throws: OutboxError.self) {
      try store.addLetters(of: batch.batch, status: 400, telling: &events)
    }
    try show()
    try store.addLetters(of: batch.batch, status: 400, telling: &events)
    try expectEqual(store.letters.all().map(\.key), OutboxStand.bodies.map { "key-\($0)" })
    expectEqual(events, [])
  }

  @Test func `a batch whose file has its mark's name already leaves`() async throws {
    var events: [OutboxEvent] = []
    var store = try stand.store(telling: &events)
    let batch = try #require(try store.nextBatch(of: OutboxStand.telemetry, telling: &events))
    // As a time leaves it that failed behind its rename.
    let lane = try stand.callFile.deletingLastPathComponent()
    let name = try #require(try stand.names.first { $0.hasSuffix(".batch") })
    try FileManager.default.moveItem(
      at: lane.appending(path: name),
      to: lane.appending(path: "0000000000000003.done")
    )
    try store.leaveBatch(batch.batch)
    expectEqual(store.count, 0)
  }

  @Test func `of two batches that overlap the later one is kept`() async throws {
    let lane = try stand.callFile.deletingLastPathComponent()
    for last in [2, 3] {
      let name = "0000000000000001-000000000000000\(last).batch"
      try Data().write(to: lane.appending(path: name))
    }
    let found = try stand.waiting()
    #expect(found.bodies == OutboxStand.bodies && found.events == [])
    try expectEqual(stand.names.count { $0.hasSuffix(".batch") }, 0)
  }

  @Test func `a file whose head is damaged twice is set aside and told`() async throws {
    var data = try Data(contentsOf: try stand.callFile)
    for place in [5, 33] { data[place] ^= 1 }
    try stand.reset(data)
    let found = try stand.waiting()
    expectEqual(found.bodies, [])
    expectEqual(found.events, [.damaged(template: "/telemetry", calls: 0)])
    try expectEqual(stand.names, ["0000000000000001.calls.damaged"])
  }

  @Test func `calls that were not taken do not come again behind one that was`() async throws {
    let stand = OutboxStand()
    let outbox = try stand.open()
    try await stand.enqueue(["one"], in: outbox)
    await outbox.close()
    // Behind it three that were refused and could not be taken back, then the true second one.
    var data = try Data(contentsOf: try stand.callFile)
    let rules = try #require(CallRecords(head: data))
    let stamp = OutboxStamp(elapsed: 0, date: 0)
    for (number, body) in [(2, "bad"), (3, "bad"), (4, "bad"), (2, "two")] as [(UInt64, String)] {
      data += rules.record(
        StoredCall(number: number, stamp: stamp, key: body, body: Data(body.utf8))
      )
    }
    try stand.reset(data)
    let lane = try stand.callFile.deletingLastPathComponent()
    // All up to the second have left.
    try Data().write(to: lane.appending(path: "0000000000000002.done"))
    let next = try stand.open()
    expectEqual(next.count, 0)
    try await expectEqual(stand.enqueue(["three"], in: next).map(\.number), [3])
    await next.close()
    let found = try stand.waiting()
    #expect(found.bodies == ["three"] && found.events == [])
  }
}

extension OutboxStand {
  /// Puts one file of calls into the place of all that the lane has.
  func reset(_ calls: Data) throws {
    let file = try callFile
    for name in try names {
      try FileManager.default.removeItem(at: file.deletingLastPathComponent().appending(path: name))
    }
    try calls.write(to: file)
  }
}
