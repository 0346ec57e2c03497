import TestSupport
import WindTunnelNetworkLayer

/// Holds every request until the test answers it, and tells of each as it comes.
final class HeldTransport: Transport, @unchecked Sendable {
  private let lock = NSLock()
  private var held: [String: CheckedContinuation<AttemptOutcome, Never>] = [:]
  private var early: [String: AttemptOutcome] = [:]
  private var now = 0
  private var peak = 0
  private var count = 0
  private let (arrived, arrival) = AsyncStream<String>.makeStream()

  /// How many were held at once, at most.
  var most: Int { lock.withLock { peak } }
  /// How many came in all.
  var requests: Int { lock.withLock { count } }
  /// How many are held now.
  var holding: Int { lock.withLock { now } }

  /// The path of the next request that no test has heard of.
  func next() async -> String {
    for await path in arrived { return path }
    return ""
  }

  func next(_ count: Int) async -> [String] {
    var paths: [String] = []
    for _ in 0..<count { paths.append(await next()) }
    return paths
  }

  func answer(_ path: String, _ status: Int = 200, _ headers: Headers = [:], body: String = "") {
    end(path, .success(ServerResponse(status: status, headers: headers, body: Data(body.utf8))))
  }

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    let path = request.url?.path ?? ""
    lock.withLock {
      now += 1
      count += 1
      peak = max(peak, now)
    }
    defer { lock.withLock { now -= 1 } }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let outcome = lock.withLock {
          let outcome = early.removeValue(forKey: path)
          if outcome == nil { held[path] = waiter }
          return outcome
        }
        arrival.yield(path)
        if let outcome { waiter.resume(returning: outcome) }
      }
    } onCancel: {
      end(path, .failure(.cancelled))
    }
    return try outcome.get()
  }

  private func end(_ path: String, _ outcome: AttemptOutcome) {
    let waiter = lock.withLock {
      let waiter = held.removeValue(forKey: path)
      if waiter == nil { early[path] = outcome }
      return waiter
    }
    waiter?.resume(returning: outcome)
  }
}

/// A client on a held transport, with its observer.
struct HeldFixture {
  let time = ManualTime()
  let transport = HeldTransport()
  let observer = RecordingObserver()
  let client: NetworkClient

  init(
    _ rules: AdmissionController.Rules = AdmissionController.Rules(),
    cache: ResponseCache? = nil
  ) throws {
    client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      transport: transport,
      cache: cache,
      observer: observer,
      limits: CallLimits(deadline: nil),
      admission: AdmissionController(rules, time: time),
      time: time
    )
  }

  /// Starts a call beside the test, and waits until it is in flight or in a queue.
  func start(_ endpoint: Endpoint) async -> Task<Result<CallResponse, NetworkError>, Never> {
    let before = observer.settled
    let task = Task { [client] in await client.outcome(of: endpoint) }
    while observer.settled == before { await Task.yield() }
    return task
  }

  /// The waits that calls met, in order.
  var waits: [CallEvent.Wait] { observer.waitsMet }
}
