import Foundation
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// A client on a scripted transport or on the test's cassette, and everything a test wants to look
/// at afterwards.
struct Fixture {
  let time = ManualTime()
  let transport: ScriptedTransport
  let observer = RecordingObserver()
  let client: NetworkClient
  /// The endpoint that calls go to unless they name another.
  let page: Endpoint

  /// With a path, the test's cassette answers the requests without a step in the script.
  init(
    _ script: [ScriptedTransport.Step] = [],
    at path: String? = nil,
    mostRetries: [RetryReason: Int] = RetryPolicy.standardTable,
    jitter: Jitter = .none,
    draw: Double = 0,
    deadline: Duration? = nil,
    endpoints: [String: EndpointTerms] = [:],
    rules: AdmissionController.Rules = AdmissionController.Rules(),
    cache: ResponseCache? = nil,
    middleware: [any Middleware] = [],
    authenticator: (any Authenticator)? = nil,
    networks: (any Networks)? = nil,
    sendsTraces: Bool = false
  ) throws {
    page = Endpoint(.get, path ?? "/a")
    transport = ScriptedTransport(script, path.map { _ in .windTunnel }, time: time)
    // However long the machine takes, no attempt of a session's does.
    let attemptTimeout = Duration.seconds(path == nil ? 3 : 3600)
    client = NetworkClient(
      builder: RequestBuilder(baseURL: try Self.base()),
      middleware: middleware,
      authenticator: authenticator,
      policy: RetryPolicy(mostRetries: mostRetries, backoff: Backoff(jitter: jitter)),
      transport: transport,
      cache: cache,
      observer: observer,
      limits: CallLimits(attemptTimeout: attemptTimeout, deadline: deadline),
      endpoints: endpoints,
      admission: AdmissionController(rules, time: time),
      networks: networks,
      sendsTraces: sendsTraces,
      time: time,
      draw: { draw }
    )
  }

  /// Starts a call beside the test.
  func start(_ endpoint: Endpoint? = nil) -> Task<Result<CallResponse, NetworkError>, Never> {
    Task { await result(of: endpoint ?? page) }
  }

  /// Makes a call in the test's own task.
  func result(of endpoint: Endpoint) async -> Result<CallResponse, NetworkError> {
    await client.outcome(of: endpoint)
  }

  /// Makes a call while its next waits pass, and says how long they were.
  func waited(
    _ count: Int,
    for endpoint: Endpoint? = nil
  ) async -> (result: Result<CallResponse, NetworkError>, waits: [Duration]) {
    let call = start(endpoint)
    let waits = await time.passSleeps(count)
    return (await call.value, waits)
  }

  /// A fixture whose client has a cache.
  static func cached(
    _ script: ScriptedTransport.Step...,
    at path: String? = nil,
    endpoints: [String: EndpointTerms] = [:],
    rules: AdmissionController.Rules = AdmissionController.Rules()
  ) throws -> Fixture {
    try Fixture(script, at: path, endpoints: endpoints, rules: rules, cache: ResponseCache())
  }

  /// Calls the page so many times, one after the other, and says what each call brought.
  func pages(_ count: Int = 1) async -> [String] {
    await seen(Array(repeating: page, count: count)) { "\($0)" }
  }

  /// Makes calls one after the other, and says what each brought and from where, or its error.
  func seen(
    _ endpoints: [Endpoint],
    _ words: (NetworkError) -> String = { $0.name }
  ) async -> [String] {
    var seen: [String] = []
    for endpoint in endpoints {
      switch await result(of: endpoint) {
      case .success(let answer):
        seen.append("\(String(decoding: answer.body, as: UTF8.self)) \(answer.source)")
      case .failure(let error): seen.append(words(error))
      }
    }
    return seen
  }

  /// Waits until a call waits for something.
  func until(_ wait: CallEvent.Wait) async {
    while !observer.waitsMet.contains(wait) { await Task.yield() }
  }

  static func base() throws -> URL {
    struct NoURL: Error {}
    guard let url = URL(string: "http://api.example.test") else { throw NoURL() }
    return url
  }
}

/// Does some work of a client's, whose error is a value.
func ended<Value>(
  _ work: () async throws(NetworkError) -> Value
) async -> Result<Value, NetworkError> {
  do throws(NetworkError) { return .success(try await work()) } catch { return .failure(error) }
}

extension NetworkClient {
  /// Makes a call, whose error is a value.
  func outcome(of endpoint: Endpoint) async -> Result<CallResponse, NetworkError> {
    await ended { () throws(NetworkError) in try await call(endpoint) }
  }
}

extension NetworkClient {
  /// Does some work while the client's errands are run.
  func runningErrands<Value>(_ work: () async throws -> Value) async rethrows -> Value {
    let runner = Task { await run() }
    while !shared.background.add({}) { await Task.yield() }
    do {
      let value = try await work()
      runner.cancel()
      await runner.value
      return value
    } catch {
      runner.cancel()
      await runner.value
      throw error
    }
  }
}

extension [CallEvent] {
  /// The record that they make of one of the calls.
  func record(of call: Int = 1) -> CallRecord? {
    reduce(into: nil as CallRecord?) { record, event in
      guard event.call == call else { return }
      if let new = CallRecord(event) { record = new } else { record?.hear(event) }
    }
  }

  /// The lines that are written of them.
  var lines: [String] {
    let lines = Locked<[String]>([])
    let writer = JSONLines { line in
      lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }
    for event in self { writer.observe(event) }
    return lines.withLock { $0 }
  }
}

extension StreamedResponse {
  /// All of its pieces.
  var content: Data { get async throws { try await pieces.reduce(into: Data()) { $0 += $1 } } }
}

extension RecordingObserver {
  /// How often a call was seen to wait or to send.
  var settled: Int {
    events.count {
      switch $0.kind {
      case .waiting, .attemptStarted: true
      default: false
      }
    }
  }

  /// The waits that calls met, in order.
  var waitsMet: [CallEvent.Wait] {
    events.compactMap { if case .waiting(let wait) = $0.kind { wait } else { nil } }
  }
}
