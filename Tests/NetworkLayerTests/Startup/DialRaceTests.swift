import TestSupport
import WindTunnelVirtualTime

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// How long a dial test waits for each server, to the nanosecond of a time that is virtual.
@Suite(.onThisSystem, .timeLimit(.minutes(1))) struct DialRaceTests {
  private static let data = Data("pong".utf8)

  /// Servers by name, with the milliseconds that each of their answers takes, the last one for all
  /// that follow; `nil`: it says nothing.
  private typealias Servers = KeyValuePairs<String, [Int?]>

  /// The answers of servers, and how many of their probes were given up.
  private static func engine(
    _ servers: Servers,
    _ givenUp: Locked<[String: Int]> = Locked([:])
  ) -> ScriptedEngine {
    let times = Dictionary(uniqueKeysWithValues: servers.map { ($0.key, $0.value) })
    let asked = Locked<[String: Int]>([:])
    return ScriptedEngine { request throws(TransportError) in
      let name = request.url?.host ?? ""
      let number = asked.withLock { asked in
        defer { asked[name, default: 0] += 1 }
        return asked[name] ?? 0
      }
      let all = times[name] ?? []
      let time = number < all.count ? all[number] : all.last ?? nil
      do { try await Task.sleep(for: time.map { .milliseconds($0) } ?? .seconds(3600)) } catch {
        givenUp.withLock { $0[name, default: 0] += 1 }
        throw .cancelled
      }
      return ServerResponse(status: 200, body: data)
    }
  }

  private static func url(_ name: String) throws -> URL {
    try #require(URL(string: "https://\(name)"))
  }

  /// Tests the servers in virtual time, and returns what was found in one line each.
  private static func run(
    _ servers: Servers,
    samples: Int = 3,
    margin: Double = 0.25,
    _ memory: DialMemory? = nil,
    feeding admission: AdmissionController? = nil
  ) async throws -> [String] {
    let givenUp = Locked<[String: Int]>([:])
    let (engine, urls) = (engine(servers, givenUp), try servers.map { try url($0.key) })
    let record = try await VirtualTime.run {
      await DialTest(
        candidates: urls,
        path: "/probe",
        expecting: data,
        samples: samples,
        margin: margin,
        remembering: memory
      ).run(on: "wifi", by: engine, feeding: admission, time: SystemTime(), isRenewal: true)
    }
    let names = record.order.compactMap(\.host).joined(separator: " ")
    return ["\(names) in \(milliseconds(record.elapsed))"]
      + record.candidates.map { found in
        let name = found.url.host ?? ""
        let times = found.samples.map { milliseconds($0) }.joined(separator: " ")
        var words = "\(name) \(found.requests): \(times)"
        if let median = found.median { words += " = \(milliseconds(median))" }
        if let bar = found.slowerThan { words += " slower than \(milliseconds(bar))" }
        if let failure = found.failure { words += " (\(failure))" }
        if let count = givenUp.withLock({ $0[name] }) { words += " given up \(count)" }
        return words
      }
  }

  private static func milliseconds(_ duration: Duration) -> String {
    "\(duration / .milliseconds(1))"
  }

  @Test func `where the nearest is well no other one is waited for`() async throws {
    // 25 ms, for what is below them is hardly told apart.
    try await expectEqual(
      Self.run(["near": [2], "silent": [nil], "far": [160]]),
      [
        "near silent far in 25.0", "near 3: 2.0 2.0 2.0 = 2.0",
        "silent 1:  slower than 1.5 given up 1", "far 1:  slower than 1.5 given up 1",
      ]
    )
    // Four times the time that it would have to be below.
    try await expectEqual(
      Self.run(["near": [20], "silent": [nil]]),
      [
        "near silent in 60.0", "near 3: 20.0 20.0 20.0 = 20.0",
        "silent 1:  slower than 15.0 given up 1",
      ]
    )
  }

  @Test func `where the nearest is dead or slow the next is gone on with`() async throws {
    try await expectEqual(
      Self.run(["near": [nil], "second": [40], "third": [160]]),
      [
        "second near third in 213.333336", "near 1:  slower than 53.333334 given up 1",
        "second 3: 40.0 40.0 40.0 = 40.0", "third 2: 160.0 slower than 40.0 given up 1",
      ]
    )
    try await expectEqual(
      Self.run(["near": [1500], "second": [3]]),
      ["second near in 25.0", "near 1:  slower than 4.0 given up 1", "second 3: 3.0 3.0 3.0 = 3.0"]
    )
  }

  @Test func `one that may yet be chosen is waited for`() async throws {
    // Its first probe makes a connection, and is one of three.
    try await expectEqual(
      Self.run(["near": [30], "second": [85, 10]]),
      ["second near in 105.0", "near 3: 30.0 30.0 30.0 = 30.0", "second 3: 85.0 10.0 10.0 = 10.0"]
    )
    // A millisecond more than four times as long would be too long.
    try await expectEqual(
      Self.run(["near": [30], "second": [91, 10]]),
      [
        "near second in 90.0", "near 3: 30.0 30.0 30.0 = 30.0",
        "second 1:  slower than 22.5 given up 1",
      ]
    )
    // The one of before is waited for longer than another: it is left for a faster one only.
    try await expectEqual(
      Self.run(["near": [130, 30], "second": [25]]).first,
      "near second in 190.0"
    )
    // Whatever another's time is, it is none for which the first is left.
    try await expectEqual(
      Self.run(["near": [900], "second": [5]], samples: 1, margin: 1),
      ["near second in 900.0", "near 1: 900.0 = 900.0", "second 1: 5.0 = 5.0"]
    )
  }

  @Test func `one whose median is settled is not waited for`() async throws {
    // Of three two took 100 ms, and the third would have to take none.
    try await expectEqual(
      Self.run(["near": [50], "second": [100]]),
      [
        "near second in 150.0", "near 3: 50.0 50.0 50.0 = 50.0",
        "second 2: 100.0 slower than 37.5 given up 1",
      ]
    )
    // Two that were quick are enough to be chosen, however long the third takes.
    try await expectEqual(
      Self.run(["near": [100], "second": [20, 20, nil]]),
      [
        "second near in 340.0", "near 3: 100.0 100.0 100.0 = 100.0",
        "second 3: 20.0 20.0 = 20.0 slower than 75.0 given up 1",
      ]
    )
  }

  @Test func `where none is measured they are all waited for, to the budget`() async throws {
    try await expectEqual(
      Self.run(["near": [nil], "second": [400]]),
      [
        "second near in 1000.0", "near 1:  (the budget was spent) given up 1",
        "second 3: 400.0 400.0 = 400.0 (the budget was spent) given up 1",
      ]
    )
    try await expectEqual(Self.run([:]), [" in 0.0"])
  }

  @Test func `one that is left as slower has not failed, and is not remembered`() async throws {
    let folder = DiskStoreTests.Folder()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let memory = DialMemory(file: folder.url.appending(path: "servers"))
    let admission = AdmissionController(
      .init(breaker: BreakerRules(window: 1, share: 1, pause: .seconds(3600)))
    )
    let servers: Servers = ["near": [1500], "second": [3]]
    let first = try await Self.run(servers, memory, feeding: admission)
    expectEqual(first.first, "second near in 25.0")
    expectEqual(
      memory.choice(on: "wifi", among: try servers.map { try Self.url($0.key) })?.url,
      (try Self.url("second"))
    )
    // Its circuit is closed: it is asked again, and the choice of before stays until it is slower.
    let again = try await Self.run(["near": [3], "second": [3]], memory, feeding: admission)
    expectEqual(
      again,
      ["second near in 9.0", "near 3: 3.0 3.0 3.0 = 3.0", "second 3: 3.0 3.0 3.0 = 3.0"]
    )
    let back = try await Self.run(["near": [3], "second": [nil]], memory, feeding: admission)
    expectEqual(back.first, "near second in 25.0")
    expectEqual(
      memory.choice(on: "wifi", among: try servers.map { try Self.url($0.key) })?.url,
      (try Self.url("near"))
    )
  }

  @Test func `a test that is cancelled ends at once, and calls no server slower`() async throws {
    let engine = Self.engine(["near": [nil], "second": [3]])
    let urls = try ["near", "second"].map { try Self.url($0) }
    let record = try await VirtualTime.run {
      let dial = Task {
        await DialTest(candidates: urls, path: "/probe", expecting: Self.data)
          .run(on: nil, by: engine, time: SystemTime())
      }
      try await Task.sleep(for: .milliseconds(5))
      dial.cancel()
      return await dial.value
    }
    expectEqual(record.elapsed, .milliseconds(5))
    expectEqual(
      record.candidates.map(\.failure),
      ["the test was cancelled", "the test was cancelled"]
    )
    expectEqual(record.candidates.map(\.slowerThan), [nil, nil])
  }
}
