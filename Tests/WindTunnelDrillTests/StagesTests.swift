import Foundation
import Testing
import WindTunnel
import WindTunnelDrill

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is seen of the parts of attempts, and of what comes after the weather, in process and on the wire.
@Suite(.timeLimit(.minutes(10))) struct StagesTests {
  @Sendable private static func ask(_ call: DrillCall) async throws -> Data {
    let (data, _) = try await call.session.data(for: call.urlRequest)
    return data
  }

  private static let tape = Cassette([
    Interaction(
      Request("GET", "https://api.example.test/big"),
      Response(headers: ["Content-Type": "text/plain"], body: Body(Data(count: 20_000)))
    )
  ])

  private static func fly(
    _ scenario: Scenario,
    _ stage: Stage,
    calls: Int = 3
  ) async throws -> [Observation] {
    let drill = Drill(
      tape,
      in: [scenario],
      calls: calls,
      load: .closedLoop(concurrency: 1),
      deadline: .seconds(600),
      stage: stage
    )
    return try await drill.fly(ask).scenarios[0].subjects[0].observations
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `a link's own parts are told, and all of them together are the call`(stage: Stage)
    async throws
  {
    let link = Link(
      up: .init(delay: .milliseconds(40)),
      down: .init(delay: .milliseconds(40)),
      dnsDelay: .milliseconds(150)
    )
    for call in try await Self.fly(Scenario("s", link: link), stage) {
      let stages = try #require(call.attempts.first).stages
      #expect(stages.dns == .milliseconds(150))
      // A round trip, and the request half of one.
      let connect = try #require(stages.connect)
      #expect(.milliseconds(80)..<(.milliseconds(82)) ~= connect)
      let upload = try #require(stages.upload)
      #expect(upload >= .milliseconds(40))
      let first = try #require(stages.firstByte)
      // What comes next is on its way for half a round trip.
      #expect(first >= .milliseconds(39))
      let body = try #require(stages.body)
      #expect(body >= .zero)
      // The tape's origin is https, and its round trip more is the link's.
      let tls = try #require(stages.tls)
      #expect(tls >= .milliseconds(80))
      let all = [.milliseconds(150), connect, tls, upload, first, body].reduce(.zero, +)
      #expect(all <= call.latency, "nothing is counted twice")
    }
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `a server that thinks is slow to its first byte, and one that dribbles in its body`(
    stage: Stage
  ) async throws {
    let thinks: Scenario = [.always(.always, .delay(.exactly(.milliseconds(200))))]
    for call in try await Self.fly(thinks, stage) {
      let stages = try #require(call.attempts.first).stages
      #expect(try #require(stages.firstByte) >= .milliseconds(200))
      #expect(stages.dns == nil && stages.connect == nil && stages.tls == nil)
      #expect((stages.upload == nil) == (stage == .inProcess))
    }
    let slow = Scenario("s", link: Link(up: .init(), down: .init(bitsPerSecond: 800_000)))
    for call in try await Self.fly(slow, stage) {
      let stages = try #require(call.attempts.first).stages
      // 20,000 bytes at 100,000 a second.
      #expect(try #require(stages.body) >= .milliseconds(150))
    }
  }

  @Test func `a connection that comes about late is late in connecting, where that is seen`()
    async throws
  {
    let late: Scenario = [.always(.always, .connection(.lostSYNs(1)))]
    for call in try await Self.fly(late, .inProcess) {
      #expect(try #require(call.attempts.first?.stages.connect) >= .seconds(1))
    }
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `after the weather calls are told by how long after it they ended`(stage: Stage) async throws
  {
    let elevator: Scenario = [.always(.window(until: .seconds(3)), .status(503))]
    let drill = Drill(
      Self.tape,
      in: [elevator],
      calls: 8,
      load: .closedLoop(concurrency: 1),
      deadline: .seconds(600),
      stage: stage
    )
    // The first call takes what it gets, and the others ask until they have something.
    let row = try await drill.fly { call in
      while true {
        let (data, response) = try await call.session.data(for: call.urlRequest)
        if (response as? HTTPURLResponse)?.statusCode == 200 { return data }
        if call.index == 0 { throw Gone() }
        try await Task.sleep(for: .milliseconds(50))
      }
    }.scenarios[0].subjects[0]
    // It ended while the window was open, unless the machine kept it from that.
    let first = row.observations[0]
    let end = try #require(first.start) + first.latency
    #expect(first.afterWindow == nil || end >= .seconds(3))
    let after = try row.observations.dropFirst().map { try #require($0.afterWindow) }
    #expect(after == after.sorted())
    #expect(row.metrics.firstRecovery == after[0])
    #expect(row.metrics.steadyRecovery == after[4])
    let calm = try await Self.fly(.calm, stage)
    #expect(calm.allSatisfy { $0.afterWindow == nil })
  }

  private struct Gone: Error {}

  @Test(arguments: [1000, 1_000_000])
  func `a post that breaks off is no duplicate, and one that came whole is`(size: Int) async throws
  {
    let post = Request("POST", "https://api.example.test/up", body: Body(Data(count: size)))
    let drill = Drill(
      Cassette([Interaction(post, Response(status: 201))]),
      in: [[.on("POST /up", .first(1), .status(503))]],
      calls: 2,
      load: .closedLoop(concurrency: 1),
      deadline: .seconds(600),
      stage: .onTheWire
    )
    @Sendable func ask(_ call: DrillCall) async throws -> Int? {
      try await (call.session.data(for: call.urlRequest).1 as? HTTPURLResponse)?.statusCode
    }
    let report = try await drill.fly { call in
      _ = try await ask(call)
      return try await ask(call)
    }
    #expect(report.scenarios[0].subjects[0].metrics.duplicates == 2)
    let broken = try await drill.fly { call in
      try RawPost.breakOff(call)
      return try await ask(call)
    }
    let row = broken.scenarios[0].subjects[0]
    #expect(row.metrics.duplicates == 0)
    #expect(row.observations.map(\.attemptCount) == [1, 1], "nobody can act upon half a request")
  }
}

/// A client that leaves in the middle of its request.
private enum RawPost {
  static func breakOff(_ call: DrillCall) throws {
    let port = try #require(call.url.port)
    let length = call.request.body.count
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(code == 0)
    let head =
      "POST \(call.url.path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(length)\r\n\r\n"
    var bytes = Array(head.utf8) + [UInt8](repeating: 0, count: length / 2)
    while !bytes.isEmpty {
      let count = send(descriptor, bytes, bytes.count, 0)
      try #require(count > 0)
      bytes.removeFirst(count)
    }
    // The end of what it sends; the server ends the connection when it has noticed.
    shutdown(descriptor, Int32(SHUT_WR))
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) > 0 {}
  }
}
