import TestSupport

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// The bounds of an outbox: calls, bytes and age.
@Suite struct OutboxBoundTests {
  private let stand = OutboxStand()

  @Test func `the oldest fall out where there is no room, and are told`() async throws {
    let outbox = try stand.open(limits: OutboxLimits(mostCalls: 2))
    let receipts = try await stand.enqueue(["1", "2", "3", "4"], in: outbox)
    let fallouts = (1...2).map {
      OutboxFallout(template: "/telemetry", numbers: $0...$0, reason: .size)
    }
    expectEqual(receipts.map(\.fellOut), [[], [], [fallouts[0]], [fallouts[1]]])
    expectEqual(stand.events, fallouts.map(OutboxEvent.fellOut))
    await outbox.close()
    try expectEqual(stand.waiting().bodies, ["3", "4"])
  }

  @Test func `bytes are bounded, too`() async throws {
    let size = CallRecords.overhead + 5 + 1
    let outbox = try stand.open(limits: OutboxLimits(mostBytes: 2 * size))
    try await stand.enqueue(["1", "2", "3"], in: outbox)
    await outbox.close()
    try expectEqual(stand.waiting().bodies, ["2", "3"])
  }

  @Test func `a new call is refused where nothing may fall out`() async throws {
    let outbox = try stand.open(limits: OutboxLimits(mostCalls: 2, overflow: .refusesNew))
    try await stand.enqueue(["1", "2"], in: outbox)
    let refused = await #expect(throws: OutboxError.self) {
      try await stand.enqueue(["3"], in: outbox)
    }
    expectEqual(refused?.description.hasPrefix("The outbox is full: it stores 2 calls and "), true)
    expectEqual(stand.events, [])
    await outbox.close()
    try expectEqual(stand.waiting().bodies, ["1", "2"])
  }

  @Test func `a batch under way stays when the oldest fall out`() async throws {
    var events: [OutboxEvent] = []
    let limits = OutboxLimits(mostCalls: 3)
    do {
      var store = try stand.store(limits, telling: &events)
      _ = store.append([OutboxStand.call("1"), OutboxStand.call("2")], telling: &events)
      _ = try store.nextBatch(of: OutboxStand.telemetry, telling: &events)
      for body in ["3", "4", "5"] { _ = store.append([OutboxStand.call(body)], telling: &events) }
    }
    expectEqual(
      events,
      (3...4).map {
        .fellOut(OutboxFallout(template: "/telemetry", numbers: $0...$0, reason: .size))
      }
    )
    // The next process knows which have left and which have not.
    let found = try stand.waiting(limits)
    expectEqual(found.bodies, ["1", "2", "5"])
    expectEqual(found.events, [])
    try expectEqual(stand.waiting(limits).bodies, [])
  }

  @Test func `a batch that is too old falls out with its calls, and not before the last is`() throws
  {
    let limits = OutboxLimits(longestAge: .seconds(10))
    let time = SetTime(.zero, ManualTime.epoch)
    var events: [OutboxEvent] = []
    var store = try stand.store(limits, time, telling: &events)
    _ = store.append([OutboxStand.call("1")], telling: &events)
    time.set(.seconds(5), ManualTime.epoch)
    _ = store.append([OutboxStand.call("2")], telling: &events)
    _ = try store.nextBatch(of: OutboxStand.telemetry, telling: &events)
    time.set(.seconds(12), ManualTime.epoch)
    store.age(of: "/telemetry", telling: &events)
    #expect(store.count == 2 && events == [])
    expectEqual(store.timeToAge(of: "/telemetry"), .milliseconds(3001))
    time.set(.seconds(16), ManualTime.epoch)
    // It may be on its way while calls come.
    _ = store.append([OutboxStand.call("3")], telling: &events)
    #expect(store.count == 3 && events == [])
    // So it may while another endpoint's sender looks.
    store.age(of: "/other", telling: &events)
    #expect(store.count == 3 && events == [])
    store.age(of: "/telemetry", telling: &events)
    let fallen = OutboxFallout(template: "/telemetry", numbers: 1...2, reason: .age)
    #expect(store.count == 1 && events == [.fellOut(fallen)])
  }

  @Test func `a letter that is written twice is one, and the oldest fall out`() throws {
    let size = CallRecords.overhead + 1 + 4 + "/telemetry".utf8.count + 1
    let limits = OutboxLimits(mostDeadLetterBytes: CallRecords.headBytes + 4 * size)
    var events: [OutboxEvent] = []
    func bury(_ bodies: [String], times: Int = 1, in store: inout OutboxStore) throws -> Int {
      _ = store.append(bodies.map(OutboxStand.call), telling: &events)
      let batch = try #require(try store.nextBatch(of: OutboxStand.telemetry, telling: &events))
      events = []
      for _ in 0..<times { try store.addLetters(of: batch.batch, status: 400, telling: &events) }
      try store.leaveBatch(batch.batch)
      return events.reduce(0) { sum, event in
        if case .deadLettersFellOut(let count) = event { sum + count } else { sum }
      }
    }
    do {
      var store = try stand.store(limits, telling: &events)
      try expectEqual(bury(["1"], times: 2, in: &store), 0)
      try expectEqual(store.letters.all().map(\.key), ["1"])
      try expectEqual(bury(["2", "3"], in: &store), 0)
    }
    var store = try stand.store(limits, telling: &events)
    try expectEqual(store.letters.all().map(\.key), ["1", "2", "3"])
    // Those that fit into half of the room stay: two of the four that lie there.
    try expectEqual(bury(["4"], in: &store), 2)
    try expectEqual(store.letters.all().map(\.key), ["2", "3", "4"])
  }

  @Test func `calls fall out by their age, also when the clock is set back`() async throws {
    let limits = OutboxLimits(longestAge: .seconds(100))
    let day = 86_400.0
    func open(_ time: SetTime) throws -> (Int, [OutboxEvent]) {
      var events: [OutboxEvent] = []
      var store = try stand.store(limits, time, telling: &events)
      store.age(telling: &events)
      return (store.count, events)
    }
    let time = SetTime(.seconds(0), Date(timeIntervalSince1970: 1000 * day))
    let outbox = try stand.open(limits: limits, time: time)
    try await stand.enqueue(["1"], in: outbox)
    // Within a process the uptime counts, whatever the clock says.
    time.set(.seconds(40), Date(timeIntervalSince1970: day))
    try await stand.enqueue(["2"], in: outbox)
    expectEqual(outbox.count, 2)
    await outbox.close()
    // From one to the next it is the clock: 50 s later both are young enough.
    let later = Date(timeIntervalSince1970: 1000 * day + 50)
    try expectEqual(open(SetTime(.zero, later)).0, 2)
    // Set back to 1970, and put right again: no time has passed.
    for date in [Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 20), later] {
      let (count, events) = try open(SetTime(.zero, date))
      #expect(count == 2 && events == [])
    }
    // It goes on from there: 20 s more are 110 for the first and 70 for the second.
    let fallen = OutboxFallout(template: "/telemetry", numbers: 1...1, reason: .age)
    let (count, events) = try open(SetTime(.zero, later + 20))
    #expect(count == 1 && events == [.fellOut(fallen)])
    try expectEqual(open(SetTime(.zero, later + 51)).0, 0)
  }

  @Test func `a clock that jumps between two processes costs a day at most`() async throws {
    let day = 86_400.0
    let outbox = try stand.open(time: SetTime(.zero, Date(timeIntervalSince1970: 0)))
    try await stand.enqueue(["1"], in: outbox)
    await outbox.close()
    var counts: [Int] = []
    for launch in 1...8 {
      let time = SetTime(.zero, Date(timeIntervalSince1970: Double(launch) * 1000 * day))
      var events: [OutboxEvent] = []
      var store = try stand.store(OutboxLimits(), time, telling: &events)
      store.age(telling: &events)
      counts.append(store.count)
    }
    expectEqual(counts, [1, 1, 1, 1, 1, 1, 1, 0])
  }

  @Test func `bounds that no machine can count are kept to what it can`() async throws {
    let outbox = try stand.open(
      limits: OutboxLimits(
        mostBytes: .max,
        mostCallBytes: .max,
        longestAge: .seconds(Int64.max),
        mostDeadLetterBytes: .max
      )
    )
    try await stand.enqueue(["1"], in: outbox)
    expectEqual(outbox.count, 1)
    await outbox.close()
    let none = try stand.open(limits: OutboxLimits(mostCalls: .min, mostBytes: .min))
    await #expect(throws: OutboxError.self) { try await stand.enqueue(["2"], in: none) }
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
