import TestSupport
import WindTunnelNetworkLayer
import WindTunnelVirtualTime

/// The reference client, whose time is a clock's, and its date too.
@Suite(.timeLimit(.minutes(2))) struct ClientOnClockTests {
  /// The time of a client that takes a clock.
  private struct ClockTime<C: Clock<Duration>>: TimeSource {
    let clock: C
    let origin: C.Instant

    init(_ clock: C) { (self.clock, origin) = (clock, clock.now) }

    var uptime: Duration { origin.duration(to: clock.now) }
    var date: Date { Date(timeIntervalSince1970: 784_111_777 + uptime / .seconds(1)) }

    func sleep(for duration: Duration) async throws(CancellationError) {
      // What the clock has against a sleep ends the run.
      do { try await clock.sleep(for: duration) } catch { throw CancellationError() }
    }
  }

  private actor Server {
    private(set) var asked: [Duration] = []
    private let failures: Int

    init(failures: Int) { self.failures = failures }

    func answer(at time: Duration) -> ServerResponse {
      asked.append(time)
      return ServerResponse(status: asked.count > failures ? 200 : 503, body: Data("{}".utf8))
    }
  }

  @available(macOS 15, iOS 18, *)
  private static func client(
    _ server: Server,
    _ clock: VirtualClock,
    takes: Duration = .milliseconds(40),
    deadline: Duration?,
    observer: any Observer = SilentObserver()
  ) throws -> NetworkClient {
    let time = ClockTime(clock)
    return NetworkClient(
      builder: RequestBuilder(baseURL: try #require(URL(string: "http://a.test"))),
      policy: RetryPolicy(
        mostRetries: [.status(503): 100],
        backoff: Backoff(base: .seconds(15), cap: .seconds(600), jitter: .none)
      ),
      transport: ScriptedEngine { _ throws(TransportError) in
        do { try await time.sleep(for: takes) } catch { throw .cancelled }
        return await server.answer(at: time.uptime)
      },
      observer: observer,
      limits: CallLimits(attemptTimeout: .seconds(3600), deadline: deadline),
      admission: AdmissionController(
        AdmissionController.Rules(budget: nil, breaker: nil),
        time: time
      ),
      time: time,
      draw: { 0.5 }
    )
  }

  @available(macOS 15, iOS 18, *)
  @Test func `an hour of retries with back-off takes no time`() async throws {
    let begun = ContinuousClock.now
    let (clock, server) = (VirtualClock(), Server(failures: 11))
    let client = try Self.client(server, clock, deadline: nil)
    let answer = try await VirtualTime.run(on: clock, patience: .zero) {
      try await client.call(Endpoint(.get, "/home"))
    }
    expectEqual(answer.status, 200)
    let asked = await server.asked
    let waits = zip(asked, asked.dropFirst()).map { $1 - $0 - .milliseconds(40) }
    expectEqual(Array(waits.prefix(6)), [15, 30, 60, 120, 240, 480].map { .seconds($0) })
    #expect(waits.dropFirst(6).allSatisfy { $0 == .seconds(600) })
    #expect(clock.now.elapsed > .seconds(3600))
    #expect(ContinuousClock.now - begun < .seconds(60))
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a call that is never answered ends at its deadline of an hour`() async throws {
    let (clock, server) = (VirtualClock(), Server(failures: 0))
    let client = try Self.client(server, clock, takes: .seconds(7200), deadline: .seconds(3600))
    try await VirtualTime.run(on: clock, patience: .zero) {
      _ = await #expect(throws: NetworkError.deadlinePassed(.seconds(3600))) {
        try await client.call(Endpoint(.get, "/home"))
      }
    }
    expectEqual(clock.now.elapsed, .seconds(3600))
  }

  @available(macOS 15, iOS 18, *)
  @Test func `a hundred runs of many calls tell the same`() async throws {
    @Sendable func flight() async throws -> String {
      let (clock, server, observer) = (VirtualClock(), Server(failures: 12), RecordingObserver())
      let client = try Self.client(server, clock, deadline: .seconds(3600), observer: observer)
      try await VirtualTime.run(on: clock, patience: .zero) {
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<8 {
            group.addTask { _ = try? await client.call(Endpoint(.get, "/\(number)")) }
          }
        }
      }
      return observer.events.map { "\($0)" }.joined(separator: "\n")
    }
    let first = try await flight()
    #expect(first.contains("503"))
    for _ in 0..<100 { try await expectEqual(flight(), first) }
  }
}
