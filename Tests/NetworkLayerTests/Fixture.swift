import Foundation
import WindTunnelNetworkLayer

/// A client on a scripted transport, and everything a test wants to look at afterwards.
struct Fixture {
  let time = ManualTime()
  let transport: ScriptedTransport
  let observer = RecordingObserver()
  let client: NetworkClient

  init(
    _ script: [ScriptedTransport.Step],
    jitter: Jitter = .none,
    draw: Double = 0,
    deadline: Duration? = nil,
    endpoints: [String: EndpointTerms] = [:],
    rules: AdmissionController.Rules = AdmissionController.Rules(),
    cache: ResponseCache? = nil,
    middleware: [any Middleware] = [],
    authenticator: (any Authenticator)? = nil,
    sendsTraces: Bool = false
  ) throws {
    transport = ScriptedTransport(script, time: time)
    client = NetworkClient(
      builder: RequestBuilder(baseURL: try Self.base()),
      middleware: middleware,
      authenticator: authenticator,
      policy: RetryPolicy(backoff: Backoff(jitter: jitter)),
      transport: transport,
      cache: cache,
      observer: observer,
      limits: CallLimits(attemptTimeout: .seconds(3), deadline: deadline),
      endpoints: endpoints,
      admission: AdmissionController(rules, time: time),
      sendsTraces: sendsTraces,
      time: time,
      draw: { draw }
    )
  }

  /// Starts a call beside the test.
  func start(
    _ endpoint: Endpoint = Endpoint(.get, "/a")
  ) -> Task<Result<CallResponse, NetworkError>, Never> {
    Task { await result(of: endpoint) }
  }

  /// Makes a call in the test's own task.
  func result(of endpoint: Endpoint) async -> Result<CallResponse, NetworkError> {
    await client.outcome(of: endpoint)
  }

  static func base() throws -> URL {
    struct NoURL: Error {}
    guard let url = URL(string: "http://api.example.test") else { throw NoURL() }
    return url
  }
}

extension NetworkClient {
  /// Makes a call, whose error is a value.
  func outcome(of endpoint: Endpoint) async -> Result<CallResponse, NetworkError> {
    do throws(NetworkError) { return .success(try await call(endpoint)) } catch {
      return .failure(error)
    }
  }
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
