import TestSupport

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// Outboxes on disks that lose all that nobody has waited for, or that fail.
@Suite(.world) struct OutboxPowerTests {
  private let stand = OutboxStand()

  private static let one = OutboxEndpoint(Endpoint(.post, "/telemetry"), mostCalls: 2)

  private static func store(_ folder: URL, by calls: DiskCalls = .system) throws -> OutboxStore {
    var events: [OutboxEvent] = []
    return try OutboxStore(
      folder,
      ["/telemetry"],
      OutboxLimits(),
      SetTime(.zero, ManualTime.epoch),
      &events,
      by: calls
    )
  }

  /// Takes a call; true where it is promised.
  private static func takes(_ body: String, _ store: inout OutboxStore) -> Bool {
    var events: [OutboxEvent] = []
    let call = OutboxStore.NewCall(name: "/telemetry", key: "key-\(body)", body: Data(body.utf8))
    let result = store.append([call], telling: &events).first
    guard case .success = result else { return false }
    return true
  }

  private static func next(_ store: inout OutboxStore) throws -> FrozenBatch? {
    var events: [OutboxEvent] = []
    return try store.nextBatch(of: one, telling: &events)
  }

  private static func lines(_ batch: FrozenBatch) -> [String] {
    String(decoding: batch.content.body, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The batches that the next process finds in a folder.
  private static func batches(in folder: URL) throws -> [FrozenBatch] {
    var store = try store(folder)
    var batches: [FrozenBatch] = []
    while let batch = try next(&store) {
      batches.append(batch)
      try store.leaveBatch(batch.batch)
    }
    return batches
  }

  /// The batches that are found after the power went now.
  private static func batches(after power: PowerCut) throws -> [FrozenBatch] {
    let folder = try power.cut()
    defer {
      // Nobody misses what stays behind in the system's temporary directory.
      try? FileManager.default.removeItem(at: folder)
    }
    return try batches(in: folder)
  }

  @Test func `a call is promised when the disk has it, and a batch is sent when the disk has it`()
    throws
  {
    let power = try PowerCut(stand.folder)
    var store = try Self.store(stand.folder, by: power.calls)
    let opening = power.steps.count
    for body in ["1", "2", "3"] {
      #expect(Self.takes(body, &store))
      let found = try Self.batches(after: power)
      expectEqual(found.flatMap(Self.lines), ["1", "2", "3"].prefix { $0 <= body })
    }
    let (lane, calls) = ("=2Ftelemetry.endpoint", "0000000000000001.calls")
    expectEqual(
      Array(power.steps[opening...]),
      [
        .syncFolder(stand.folder.lastPathComponent), .write(calls), .sync(calls),
        .syncFolder(lane), .write(calls), .sync(calls), .write(calls), .sync(calls),
      ]
    )
    let before = power.steps.count
    let batch = try #require(try Self.next(&store))
    let file = "0000000000000001-0000000000000002.batch"
    expectEqual(
      Array(power.steps[before...]),
      [
        .write(file + ".new"), .sync(file + ".new"), .rename(file + ".new", file),
        .syncFolder(lane),
      ]
    )
    let again = try Self.batches(after: power)
    expectEqual(again.map(Self.lines), [["1", "2"], ["3"]])
    expectEqual(again.first?.content, batch.content)
    // Somebody may have sent it when the power went.
    expectEqual(again.map(\.mayBeSent), [true, false])
    try store.leaveBatch(batch.batch)
    expectEqual(power.steps.suffix(2), [.rename(file, "0000000000000002.done"), .syncFolder(lane)])
    try expectEqual(Self.batches(after: power).map(Self.lines), [["3"]])
  }

  /// Takes calls and sends them where one step of the disk fails, and looks after each promise at
  /// what a kill and what a loss of power leave.
  ///
  /// - Returns: False where there are not as many steps.
  private static func survives(step: Int, failingWith number: Int32) throws -> Bool {
    let stand = OutboxStand()
    let power = try PowerCut(stand.folder)
    let count = Counter()
    power.fail(number) { _ in count.next() == step }
    var waiting: [String] = []
    func check(_ words: Comment) throws {
      let found = try batches(after: power).flatMap(lines)
      expectEqual(found.filter(waiting.contains), waiting, "step \(step), \(number): \(words)")
    }
    do {
      // A failure at the opening is over at the next one.
      var opened = try? store(stand.folder, by: power.calls)
      if opened == nil { opened = try store(stand.folder, by: power.calls) }
      var store = try #require(opened)
      opened = nil
      for body in ["1", "2", "3", "4"] {
        if takes(body, &store) { waiting.append(body) }
        try check("taken \(body)")
      }
      for body in ["5", "6"] {
        // What fails now is tried again, as its sender does.
        var next: FrozenBatch?
        do { next = try Self.next(&store) } catch { next = try Self.next(&store) }
        let batch = try #require(next)
        try check("frozen")
        #expect(
          try batches(after: power).contains { $0.content == batch.content },
          "step \(step), \(number)"
        )
        do { try store.leaveBatch(batch.batch) } catch { try store.leaveBatch(batch.batch) }
        waiting.removeAll { lines(batch).contains($0) }
        try check("left")
        if takes(body, &store) { waiting.append(body) }
        try check("taken \(body)")
      }
    }
    let found = try batches(in: stand.folder).flatMap(lines)
    expectEqual(found.filter(waiting.contains), waiting, "step \(step), \(number): killed")
    return count.current >= step
  }

  @Test(arguments: [EIO, ENOSPC])
  func `whichever step of the disk fails, nothing that was promised is lost`(number: Int32) throws {
    var step = 1
    while try Self.survives(step: step, failingWith: number) { step += 1 }
    #expect(step > 20)
  }

  @Test func `a batch that finds no room is there by its calls, under the same key`() throws {
    let power = try PowerCut(stand.folder)
    var store = try Self.store(stand.folder, by: power.calls)
    for body in ["1", "2"] { #expect(Self.takes(body, &store)) }
    power.fail(ENOSPC) {
      if case .write(let name) = $0 { name.hasSuffix(".batch.new") } else { false }
    }
    let batch = try #require(try Self.next(&store))
    let found = try Self.batches(after: power)
    expectEqual(found.map(\.content), [batch.content])
    expectEqual(found.map(\.mayBeSent), [true])
  }

  @Test func `a refused batch leaves when the disk has its letters, or has no room for them`()
    throws
  {
    let power = try PowerCut(stand.folder)
    var events: [OutboxEvent] = []
    var store = try Self.store(stand.folder, by: power.calls)
    for body in ["1", "2", "3"] { #expect(Self.takes(body, &store)) }
    let first = try #require(try Self.next(&store))
    power.fail { $0 == .sync("dead-letters") }
    #expect(throws: OutboxError.self) {
      try store.addLetters(of: first.batch, status: 400, telling: &events)
    }
    // It stays, and its calls with it.
    try expectEqual(Self.batches(after: power).map(Self.lines), [["1", "2"], ["3"]])
    power.heal()
    try store.addLetters(of: first.batch, status: 400, telling: &events)
    expectEqual(events, [])
    let folder = try power.cut()
    defer { try? FileManager.default.removeItem(at: folder) }
    try expectEqual(Self.store(folder).letters.all().map(\.key), ["key-1", "key-2"])
    try store.leaveBatch(first.batch)
    let second = try #require(try Self.next(&store))
    power.fail(ENOSPC) { $0 == .write("dead-letters") }
    try store.addLetters(of: second.batch, status: 400, telling: &events)
    let letters = stand.folder.appending(path: "dead-letters").path
    expectEqual(events, [.diskFailed(.diskFull(letters)), .deadLettersFellOut(1)])
    try store.leaveBatch(second.batch)
    expectEqual(store.count, 0)
    try expectEqual(store.letters.all().map(\.key), ["key-1", "key-2"])
  }
}

/// Keys on disks that lose all that nobody has waited for.
@Suite struct KeyPowerTests {
  @Test func `a key is there for good when it was kept, and the old one until then`() throws {
    let folder = DiskStoreTests.Folder()
    let power = try PowerCut(folder.url)
    let place = try FileKeyPlace(directory: folder.url, by: power.calls)
    func kept(_ name: String) throws -> Data? {
      let cut = try power.cut()
      defer { try? FileManager.default.removeItem(at: cut) }
      // A copy has other rights than its original.
      return FileManager.default.contents(atPath: cut.appending(path: name).path)
    }
    try place.write(Data("1".utf8), as: "k")
    try expectEqual(kept("k"), Data("1".utf8))
    try place.write(Data("2".utf8), as: "k")
    try expectEqual(kept("k"), Data("2".utf8))
    expectEqual(
      power.steps.suffix(4).map { step in
        switch step {
        case .write: "write"
        case .sync: "sync"
        case .rename(_, let name): "rename \(name)"
        case .link(_, let name): "link \(name)"
        case .syncFolder: "sync folder"
        }
      },
      ["write", "sync", "rename k", "sync folder"]
    )
    try expectEqual(place.add(Data("3".utf8), as: "other"), Data("3".utf8))
    try expectEqual(kept("other"), Data("3".utf8))
    try place.remove("k")
    try expectNil(kept("k"))
    for number in [EIO, ENOSPC] {
      power.fail(number) { if case .sync = $0 { true } else { false } }
      #expect(throws: SealingError.self) { try place.write(Data("4".utf8), as: "other") }
      #expect(throws: SealingError.self) { try place.add(Data("4".utf8), as: "new") }
      power.heal()
      try expectEqual(place.read("other"), Data("3".utf8))
      try expectEqual(folder.names, ["other"])
    }
  }

  @Test func `a key that another removes while one is added is added anew`() throws {
    let folder = DiskStoreTests.Folder()
    let files = try FileKeyPlace(directory: folder.url)
    try files.write(Data("old".utf8), as: "k")
    let removals = Counter()
    var calls = DiskCalls()
    calls.link = { old, new in
      let isAdded = DiskCalls.system.link(old, new)
      // The moment between the two questions.
      if !isAdded, removals.next() == 1 {
        unlink(new)
        errno = EEXIST
      }
      return isAdded
    }
    let place = try FileKeyPlace(directory: folder.url, by: calls)
    let key = try place.add(Data("new".utf8), as: "k")
    try expectEqual(files.read("k"), key)
    expectEqual(key, Data("new".utf8))
    try expectEqual(place.add(Data("third".utf8), as: "k"), key)
  }
}
