import TestSupport

@testable import WindTunnelNetworkLayer

@Suite struct CrowdTests {
  typealias Ended = Task<Result<WindTunnelNetworkLayer.CallResponse, NetworkError>, Never>

  /// Counts what is in flight, and tells when it is gone.
  final class Engine: Transport {
    let inner: URLSessionTransport
    let state = Locked((now: 0, most: 0))
    init(_ session: URLSession) { inner = URLSessionTransport(session: session) }
    func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
      state.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      defer { state.withLock { $0.now -= 1 } }
      return try await inner.send(request)
    }
  }

  // A guard against a hang alone: by itself it takes less than a second, and beside the whole suite
  // as long as other tests keep the threads busy that it takes its turns on.
  @Test(.timeLimit(.minutes(5)))
  func `a thousand calls in a brown-out keep the caps, and leave nothing behind`() async throws {
    let count = CrowdOrigin.Count()
    let crowd = try Crowd(count)
    defer { crowd.stop() }
    var engine: Engine? = Engine(crowd.session)
    weak let gone = engine
    // Nobody is promoted before the critical ones have gone first.
    let caps = TrafficCaps(total: 12, perHost: 8, overtakingsMax: 32)
    let admission = AdmissionController(.init(caps: caps))
    let counters = [CallCounters(), CallCounters()]
    var clients = try crowd.clients(engine, admission, counters)

    // A thousand come: the critical ones last of all.
    admission.suspend()
    var calls: [Ended] = []
    for number in 0..<1000 {
      let priority: CallPriority =
        number >= 970 ? .critical : number.isMultiple(of: 3) ? .deferrable : .standard
      let endpoint = Endpoint(.get, "/\(priority)/\(number)", priority: priority)
      let client = clients[number % 2]
      calls.append(Task { await client.outcome(of: endpoint) })
      // All others stand in line before the first critical one comes. To wait for each of the thousand
      // would take as many turns of threads that other tests keep busy.
      if number == 969 || number == 999 {
        while admission.load.waiting <= number { await Task.yield() }
      }
    }
    admission.resume()
    while count.unanswered < 12 { await Task.yield() }
    admission.suspend()
    #expect(admission.load == (12, 988))
    let first = count.arrivals
    #expect(first.allSatisfy { $0.hasPrefix("/critical/") })

    // Half of them give up: those in flight, and of the others every other one.
    let inFlight = Set(first.compactMap { Int($0.dropFirst(10)) })
    let odd = (0..<970).filter { !$0.isMultiple(of: 2) }
    let even = (0..<970).filter { $0.isMultiple(of: 2) }
    let leaving = inFlight.union((odd + even).prefix(500 - inFlight.count))
    for number in leaving { calls[number].cancel() }
    for number in leaving { await expectEqual(calls[number].value, .failure(.cancelled)) }
    while count.unanswered > 0 { await Task.yield() }
    expectEqual(admission.load.running, 0)
    expectEqual(admission.load.waiting, 500)

    count.open()
    admission.resume()
    var good = 0
    for (number, call) in calls.enumerated() where !leaving.contains(number) {
      switch await call.value {
      case .success: good += 1
      case .failure(let error): expectEqual(error, .server(status: 503, body: Data("ok".utf8)))
      }
    }

    // The caps, as the servers and the client saw them.
    expectEqual(count.mostUnanswered, 12)
    expectEqual(engine?.state.withLock { $0.most }, 12)
    // The critical ones went first, up to the twelve that a server may see out of order.
    let critical = count.arrivals.prefix(30 + 12).count { $0.hasPrefix("/critical/") }
    let all = Set(count.arrivals.filter { $0.hasPrefix("/critical/") }).count
    expectEqual(all, 30)
    #expect(critical >= all)
    // Every other answer is bad, and the budget pays for a retry of each fifth call and ten more.
    let attempts = counters.reduce(0) { $0 + $1.counts.attempts }
    expectEqual(attempts, count.arrivals.count)
    #expect(attempts <= 508 + 10 + 200)
    #expect(good >= 250)
    expectEqual(counters.reduce(0) { $0 + ($1.counts.ended[.cancelled] ?? 0) }, 500)
    expectEqual(counters.map(\.counts.calls), [500, 500])

    // Nothing is left of it.
    #expect(admission.load == (0, 0))
    #expect(clients.allSatisfy { $0.shared.flights.count == 0 })
    clients = []
    calls = []
    engine = nil
    while gone != nil { await Task.yield() }
    crowd.session.finishTasksAndInvalidate()
  }
}
