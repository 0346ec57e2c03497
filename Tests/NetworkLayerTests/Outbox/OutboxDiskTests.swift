import Foundation
import Testing

@testable import WindTunnelNetworkLayer

/// The parts of an outbox that are on the disk, whatever happens to it there.
@Suite struct OutboxDiskTests {
  private static let bodies = ["one", "two", "three"]

  /// An outbox with three calls, as its files are after a kill.
  private static func filled() async throws -> OutboxStand {
    let stand = OutboxStand()
    let outbox = try stand.open()
    try await stand.enqueue(bodies, in: outbox)
    await outbox.close()
    return stand
  }

  @Test func `a file that is cut off in its last call keeps all before it`() async throws {
    let stand = try await Self.filled()
    let file = try stand.callFile
    let whole = try Data(contentsOf: file)
    let last = CallRecords.overhead + "key-three".utf8.count + "three".utf8.count
    for rest in 1...last {
      try stand.reset(whole.dropLast(rest))
      let found = try stand.waiting()
      #expect(found.bodies == ["one", "two"], "without \(rest) bytes")
      let cut = last - rest
      #expect(
        found.events == (cut == 0 ? [] : [.cutOff(template: "/telemetry", bytes: cut)]),
        "without \(rest) bytes"
      )
    }
  }

  @Test func `what follows a cut is taken and found`() async throws {
    let stand = try await Self.filled()
    let whole = try Data(contentsOf: try stand.callFile)
    for rest in 1...20 {
      try stand.reset(whole.dropLast(rest))
      let outbox = try stand.open()
      #expect(try await stand.enqueue(["four"], in: outbox).map(\.number) == [3])
      await outbox.close()
      #expect(try stand.waiting().bodies == ["one", "two", "four"])
    }
  }

  @Test func `a changed byte costs one call at most, and is told`() async throws {
    let stand = try await Self.filled()
    let file = try stand.callFile
    let whole = try Data(contentsOf: file)
    for place in whole.indices {
      var changed = whole
      changed[place] ^= 0x10
      try stand.reset(changed)
      let found = try stand.waiting()
      if place < CallRecords.headBytes {
        #expect(found.bodies == Self.bodies, "byte \(place)")
      } else {
        #expect(found.bodies.count == 2, "byte \(place)")
        #expect(Set(found.bodies).isSubset(of: Self.bodies), "byte \(place)")
        #expect(!found.events.isEmpty, "byte \(place)")
      }
    }
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
    #expect(try stand.waiting().bodies == ["after"])
  }

  @Test func `a frozen batch that is damaged is made again with the same key`() async throws {
    let stand = try await Self.filled()
    var key = ""
    for place in 0..<60 {
      var events: [OutboxEvent] = []
      do {
        var store = try OutboxStore(
          stand.folder,
          ["/telemetry"],
          OutboxLimits(),
          SystemTime(),
          &events
        )
        let batch = try #require(
          try store.nextBatch(of: OutboxStand.telemetry, telling: &events)
        )
        if place == 0 { key = batch.batch.key }
        #expect(batch.batch.key == key)
        #expect(batch.content.body == Data("one\ntwo\nthree\n".utf8))
        #expect(events == (place < 2 ? [] : [.damaged(template: "/telemetry", calls: 0)]))
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

  @Test func `a folder is held once`() async throws {
    let stand = OutboxStand()
    let outbox = try stand.open()
    #expect(throws: OutboxError.inUse(stand.folder.path)) { try stand.open() }
    #expect(
      OutboxError.inUse("/a").description
        == "The outbox \"/a\" is in use: one process at a time holds it; end the other one, or "
        + "open another folder."
    )
    await outbox.close()
    let next = try stand.open()
    await #expect(throws: OutboxError.closed) { try await stand.enqueue(["1"], in: outbox) }
    try await stand.enqueue(["1"], in: next)
  }

  @Test func `what has no place in an outbox is refused`() async throws {
    let stand = OutboxStand()
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
    #expect(
      refused?.description.hasPrefix("The body cannot be in a batch: it holds a line") == true
    )
    #expect(outbox.count == 0)
  }

  @Test func `the oldest fall out where there is no room, and are told`() async throws {
    let stand = OutboxStand()
    let outbox = try stand.open(limits: OutboxLimits(mostCalls: 2))
    let receipts = try await stand.enqueue(["1", "2", "3", "4"], in: outbox)
    let fallouts = (1...2).map {
      OutboxFallout(template: "/telemetry", numbers: $0...$0, reason: .size)
    }
    #expect(receipts.map(\.fellOut) == [[], [], [fallouts[0]], [fallouts[1]]])
    #expect(stand.events == fallouts.map(OutboxEvent.fellOut))
    await outbox.close()
    #expect(try stand.waiting().bodies == ["3", "4"])
  }

  @Test func `bytes are bounded, too`() async throws {
    let stand = OutboxStand()
    let size = CallRecords.overhead + 5 + 1
    let outbox = try stand.open(limits: OutboxLimits(mostBytes: 2 * size))
    try await stand.enqueue(["1", "2", "3"], in: outbox)
    await outbox.close()
    #expect(try stand.waiting().bodies == ["2", "3"])
  }

  @Test func `a new call is refused where nothing may fall out`() async throws {
    let stand = OutboxStand()
    let outbox = try stand.open(limits: OutboxLimits(mostCalls: 2, overflow: .refusesNew))
    try await stand.enqueue(["1", "2"], in: outbox)
    let refused = await #expect(throws: OutboxError.self) {
      try await stand.enqueue(["3"], in: outbox)
    }
    #expect(refused?.description.hasPrefix("The outbox is full: it takes 2 calls and ") == true)
    #expect(stand.events == [])
    await outbox.close()
    #expect(try stand.waiting().bodies == ["1", "2"])
  }

  @Test func `a batch under way stays when the oldest fall out`() async throws {
    let stand = OutboxStand()
    var events: [OutboxEvent] = []
    let limits = OutboxLimits(mostCalls: 3)
    func call(_ body: String) -> OutboxStore.NewCall {
      .init(name: "/telemetry", key: body, body: Data(body.utf8))
    }
    do {
      var store = try OutboxStore(stand.folder, ["/telemetry"], limits, SystemTime(), &events)
      _ = store.append([call("1"), call("2")], telling: &events)
      _ = try store.nextBatch(of: OutboxStand.telemetry, telling: &events)
      for body in ["3", "4", "5"] { _ = store.append([call(body)], telling: &events) }
    }
    #expect(
      events
        == (3...4).map {
          .fellOut(OutboxFallout(template: "/telemetry", numbers: $0...$0, reason: .size))
        }
    )
    // The next process knows which have left and which have not.
    let found = try stand.waiting(limits)
    #expect(found.bodies == ["1", "2", "5"])
    #expect(found.events == [])
    #expect(try stand.waiting(limits).bodies == [])
  }

  @Test func `a batch that is too old falls out with its calls, and not before the last is`() throws
  {
    let stand = OutboxStand()
    let limits = OutboxLimits(longestAge: .seconds(10))
    let time = SetTime(.zero, ManualTime.epoch)
    func call(_ body: String) -> OutboxStore.NewCall {
      .init(name: "/telemetry", key: body, body: Data(body.utf8))
    }
    var events: [OutboxEvent] = []
    var store = try OutboxStore(stand.folder, ["/telemetry"], limits, time, &events)
    _ = store.append([call("1")], telling: &events)
    time.set(.seconds(5), ManualTime.epoch)
    _ = store.append([call("2")], telling: &events)
    _ = try store.nextBatch(of: OutboxStand.telemetry, telling: &events)
    time.set(.seconds(12), ManualTime.epoch)
    store.age(of: "/telemetry", telling: &events)
    #expect(store.count == 2 && events == [])
    #expect(store.timeToAge(of: "/telemetry") == .milliseconds(3001))
    time.set(.seconds(16), ManualTime.epoch)
    // It may be on its way while calls come.
    _ = store.append([call("3")], telling: &events)
    #expect(store.count == 3 && events == [])
    // So it may while another endpoint's sender looks.
    store.age(of: "/other", telling: &events)
    #expect(store.count == 3 && events == [])
    store.age(of: "/telemetry", telling: &events)
    let fallen = OutboxFallout(template: "/telemetry", numbers: 1...2, reason: .age)
    #expect(store.count == 1 && events == [.fellOut(fallen)])
  }

  @Test func `a letter that is written twice is one, and the oldest fall out`() throws {
    let stand = OutboxStand()
    let size = CallRecords.overhead + 1 + 4 + "/telemetry".utf8.count + 1
    let limits = OutboxLimits(mostDeadLetterBytes: CallRecords.headBytes + 4 * size)
    var events: [OutboxEvent] = []
    func bury(_ bodies: [String], times: Int = 1, in store: inout OutboxStore) throws -> Int {
      let calls = bodies.map {
        OutboxStore.NewCall(name: "/telemetry", key: $0, body: Data($0.utf8))
      }
      _ = store.append(calls, telling: &events)
      let batch = try #require(try store.nextBatch(of: OutboxStand.telemetry, telling: &events))
      events = []
      for _ in 0..<times {
        try store.addLetters(of: batch.batch, status: 400, telling: &events)
      }
      try store.leaveBatch(batch.batch)
      return events.reduce(0) { sum, event in
        if case .deadLettersFellOut(let count) = event { sum + count } else { sum }
      }
    }
    do {
      var store = try OutboxStore(stand.folder, ["/telemetry"], limits, SystemTime(), &events)
      #expect(try bury(["1"], times: 2, in: &store) == 0)
      #expect(try store.deadLetters().map(\.key) == ["1"])
      #expect(try bury(["2", "3"], in: &store) == 0)
    }
    var store = try OutboxStore(stand.folder, ["/telemetry"], limits, SystemTime(), &events)
    #expect(try store.deadLetters().map(\.key) == ["1", "2", "3"])
    // Those that fit into half of the room stay: two of the four that lie there.
    #expect(try bury(["4"], in: &store) == 2)
    #expect(try store.deadLetters().map(\.key) == ["2", "3", "4"])
  }

  @Test func `calls fall out by their age, also when the clock is set back`() async throws {
    let stand = OutboxStand()
    let limits = OutboxLimits(longestAge: .seconds(100))
    let day = 86_400.0
    func open(_ time: SetTime) throws -> (Int, [OutboxEvent]) {
      var events: [OutboxEvent] = []
      var store = try OutboxStore(stand.folder, ["/telemetry"], limits, time, &events)
      store.age(telling: &events)
      return (store.count, events)
    }
    let time = SetTime(.seconds(0), Date(timeIntervalSince1970: 1000 * day))
    let outbox = try stand.open(limits: limits, time: time)
    try await stand.enqueue(["1"], in: outbox)
    // Within a process the uptime counts, whatever the clock says.
    time.set(.seconds(40), Date(timeIntervalSince1970: day))
    try await stand.enqueue(["2"], in: outbox)
    #expect(outbox.count == 2)
    await outbox.close()
    // From one to the next it is the clock: 50 s later both are young enough.
    let later = Date(timeIntervalSince1970: 1000 * day + 50)
    #expect(try open(SetTime(.zero, later)).0 == 2)
    // Set back to 1970, and put right again: no time has passed.
    for date in [Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 20), later] {
      let (count, events) = try open(SetTime(.zero, date))
      #expect(count == 2 && events == [])
    }
    // It goes on from there: 20 s more are 110 for the first and 70 for the second.
    let fallen = OutboxFallout(template: "/telemetry", numbers: 1...1, reason: .age)
    let (count, events) = try open(SetTime(.zero, later + 20))
    #expect(count == 1 && events == [.fellOut(fallen)])
    #expect(try open(SetTime(.zero, later + 51)).0 == 0)
  }

  @Test func `a clock that jumps between two processes costs a day at most`() async throws {
    let stand = OutboxStand()
    let day = 86_400.0
    let outbox = try stand.open(time: SetTime(.zero, Date(timeIntervalSince1970: 0)))
    try await stand.enqueue(["1"], in: outbox)
    await outbox.close()
    var counts: [Int] = []
    for launch in 1...8 {
      let time = SetTime(.zero, Date(timeIntervalSince1970: Double(launch) * 1000 * day))
      var events: [OutboxEvent] = []
      var store = try OutboxStore(stand.folder, ["/telemetry"], OutboxLimits(), time, &events)
      store.age(telling: &events)
      counts.append(store.count)
    }
    #expect(counts == [1, 1, 1, 1, 1, 1, 1, 0])
  }

  @Test func `a file that cannot be read costs no call`() async throws {
    let stand = try await Self.filled()
    var events: [OutboxEvent] = []
    var store = try OutboxStore(stand.folder, ["/telemetry"], .init(), SystemTime(), &events)
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
    #expect(batch.content.body == Data("one\ntwo\nthree\n".utf8))
    // A refusal loses none either.
    try hide()
    #expect(throws: OutboxError.self) {
      try store.addLetters(of: batch.batch, status: 400, telling: &events)
    }
    try show()
    try store.addLetters(of: batch.batch, status: 400, telling: &events)
    #expect(try store.deadLetters().map(\.key) == Self.bodies.map { "key-\($0)" })
    #expect(events == [])
  }

  @Test func `a batch that is not the one under way neither leaves nor is buried`() async throws {
    let stand = try await Self.filled()
    var events: [OutboxEvent] = []
    var store = try OutboxStore(stand.folder, ["/telemetry"], .init(), SystemTime(), &events)
    let one = OutboxEndpoint(Endpoint(.post, "/telemetry"), mostCalls: 1)
    let first = try #require(try store.nextBatch(of: one, telling: &events))
    try store.leaveBatch(first.batch)
    let second = try #require(try store.nextBatch(of: one, telling: &events))
    try store.leaveBatch(first.batch)
    try store.addLetters(of: first.batch, status: 400, telling: &events)
    #expect(try store.deadLetters() == [])
    #expect(try store.nextBatch(of: one, telling: &events)?.batch == second.batch)
    #expect([first.mayBeSent, second.mayBeSent] == [false, false])
    #expect(try store.nextBatch(of: one, telling: &events)?.mayBeSent == true)
  }

  @Test func `an endpoint that is given twice is refused`() {
    let stand = OutboxStand()
    #expect(throws: OutboxError.repeatedEndpoint("/telemetry")) {
      try stand.open([OutboxStand.telemetry, OutboxStand.telemetry])
    }
  }

  @Test func `a batch whose file has its mark's name already leaves`() async throws {
    let stand = try await Self.filled()
    var events: [OutboxEvent] = []
    var store = try OutboxStore(stand.folder, ["/telemetry"], .init(), SystemTime(), &events)
    let batch = try #require(try store.nextBatch(of: OutboxStand.telemetry, telling: &events))
    // As a time leaves it that failed behind its rename.
    let lane = try stand.callFile.deletingLastPathComponent()
    let name = try #require(try stand.names.first { $0.hasSuffix(".batch") })
    try FileManager.default.moveItem(
      at: lane.appending(path: name),
      to: lane.appending(path: "0000000000000003.done")
    )
    try store.leaveBatch(batch.batch)
    #expect(store.count == 0)
  }

  @Test func `of two batches that overlap the later one is kept`() async throws {
    let stand = try await Self.filled()
    let lane = try stand.callFile.deletingLastPathComponent()
    for last in [2, 3] {
      let name = "0000000000000001-000000000000000\(last).batch"
      try Data().write(to: lane.appending(path: name))
    }
    let found = try stand.waiting()
    #expect(found.bodies == Self.bodies && found.events == [])
    #expect(try stand.names.count { $0.hasSuffix(".batch") } == 0)
  }

  @Test func `a file whose head is damaged twice is set aside and told`() async throws {
    let stand = try await Self.filled()
    var data = try Data(contentsOf: try stand.callFile)
    for place in [5, 33] { data[place] ^= 1 }
    try stand.reset(data)
    let found = try stand.waiting()
    #expect(found.bodies == [])
    #expect(found.events == [.damaged(template: "/telemetry", calls: 0)])
    #expect(try stand.names == ["0000000000000001.calls.damaged"])
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
    #expect(next.count == 0)
    #expect(try await stand.enqueue(["three"], in: next).map(\.number) == [3])
    await next.close()
    let found = try stand.waiting()
    #expect(found.bodies == ["three"] && found.events == [])
  }

  @Test func `bounds that no machine can count are kept to what it can`() async throws {
    let stand = OutboxStand()
    let outbox = try stand.open(
      limits: OutboxLimits(
        mostBytes: .max,
        mostCallBytes: .max,
        longestAge: .seconds(Int64.max),
        mostDeadLetterBytes: .max
      )
    )
    try await stand.enqueue(["1"], in: outbox)
    #expect(outbox.count == 1)
    await outbox.close()
    let none = try stand.open(limits: OutboxLimits(mostCalls: .min, mostBytes: .min))
    await #expect(throws: OutboxError.self) { try await stand.enqueue(["2"], in: none) }
  }

  @Test func `concurrent calls share the waits for the disk`() async throws {
    let stand = OutboxStand()
    let outbox = try stand.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...1000 {
        group.addTask { try await stand.enqueue(["\(number)"], in: outbox) }
      }
      try await group.waitForAll()
    }
    #expect(outbox.count == 1000)
    #expect(outbox.commits < 300)
    await outbox.close()
    #expect(Set(try stand.waiting().bodies) == Set((1...1000).map { "\($0)" }))
  }

  @Test func `files go when their calls have left`() async throws {
    let stand = OutboxStand()
    let outbox = try stand.open()
    // Three megabytes in calls of 100 kB.
    for number in 1...30 {
      let body = Data("\(number)".utf8) + Data(repeating: 0x78, count: 100_000)
      try await outbox.enqueue(body, to: OutboxStand.telemetry)
    }
    await outbox.close()
    #expect(try stand.names.count { $0.hasSuffix(".calls") } == 3)
    #expect(try stand.waiting().bodies.count == 30)
    // The number goes on, though no file of calls is there.
    #expect(try stand.names == ["000000000000001e.done"])
    let next = try stand.open()
    #expect(try await stand.enqueue(["next"], in: next).map(\.number) == [31])
  }
}

/// A time that a test sets.
final class SetTime: TimeSource {
  private let now: Locked<(Duration, Date)>

  init(_ uptime: Duration, _ date: Date) { now = Locked((uptime, date)) }

  func set(_ uptime: Duration, _ date: Date) { now.withLock { $0 = (uptime, date) } }

  var uptime: Duration { now.withLock { $0.0 } }
  var date: Date { now.withLock { $0.1 } }
  func sleep(for duration: Duration) async throws(CancellationError) {}
}

extension OutboxStand {
  /// Puts one file of calls into the place of all that the lane has.
  func reset(_ calls: Data) throws {
    let file = try callFile
    for name in try names {
      try FileManager.default.removeItem(
        at: file.deletingLastPathComponent().appending(path: name)
      )
    }
    try calls.write(to: file)
  }
}
