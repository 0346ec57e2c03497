import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelSymptoms
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// The client on a deck, in process or on the wire, with a clock that the test moves: between
/// attempts no time passes by itself.
struct FlightStand {
  static let origin = "http://api.example.test"

  let deck: Deck
  let time: ManualTime
  let session: URLSession
  let observer = RecordingObserver()
  let base: URL
  let client: NetworkClient

  /// A deck with one recording of a path, which is repeated.
  static func deck(
    _ path: String,
    _ scenario: Scenario = .calm,
    _ response: Response = .json(["id": 7]),
    method: String = "GET",
    headers: HeaderFields = [:]
  ) -> Deck {
    let request = Request(method, RequestURL(origin + path), headers: headers)
    return Deck(
      Cassette([Interaction(request, response)]),
      scenario: scenario,
      matcher: .pathAndQuery,
      then: .repeat
    )
  }

  /// Runs a deck, or the test's cassette, on a stage, and stops it however the body ends.
  static func run<Result>(
    _ deck: Deck = .current,
    on stage: Stage,
    _ rules: AdmissionController.Rules = AdmissionController.Rules(),
    policy: RetryPolicy = RetryPolicy(backoff: Backoff(jitter: .none)),
    limits: CallLimits = CallLimits(attemptTimeout: .seconds(3600), deadline: nil),
    cache: ResponseCache? = nil,
    authenticator: (any Authenticator)? = nil,
    _ body: (FlightStand) async throws -> Result
  ) async throws -> Result {
    var server: ReplayServer?
    if stage == .onTheWire {
      var options = ReplayServer.Options.patient
      // A library re-sends by itself on a connection that it kept.
      options.closesConnections = true
      options.limits = .patient
      server = try await ReplayServer(deck, options)
    }
    do {
      let time = ManualTime()
      let stand = try FlightStand(deck, server?.url, time) { base, session, observer in
        NetworkClient(
          builder: RequestBuilder(baseURL: base),
          authenticator: authenticator,
          policy: policy,
          transport: URLSessionTransport(session: session),
          cache: cache,
          observer: observer,
          limits: limits,
          admission: AdmissionController(rules, time: time),
          time: time
        )
      }
      let result = try await body(stand)
      stand.session.finishTasksAndInvalidate()
      await server?.stop(grace: .zero)
      return result
    } catch {
      await server?.stop(grace: .zero)
      throw error
    }
  }

  private init(
    _ deck: Deck,
    _ serverURL: String?,
    _ time: ManualTime,
    _ client: (URL, URLSession, RecordingObserver) -> NetworkClient
  ) throws {
    self.deck = deck
    self.time = time
    // However long a test waits for its turn between two steps, nothing runs out meanwhile.
    let configuration: URLSessionConfiguration =
      serverURL == nil ? .windTunnel(deck, silenceMax: .seconds(3600)) : .ephemeral
    configuration.timeoutIntervalForRequest = 3600
    configuration.urlCache = nil
    session = URLSession(configuration: configuration)
    base = try #require(URL(string: serverURL ?? Self.origin))
    self.client = client(base, session, observer)
  }

  /// Starts a call beside the test.
  func start(
    _ endpoint: Endpoint
  ) -> Task<Result<WindTunnelNetworkLayer.CallResponse, NetworkError>, Never> {
    Task { [client] in await client.outcome(of: endpoint) }
  }

  /// Starts calls one after the other, each as soon as the one before it waits or is under way.
  func start(
    inOrder endpoints: [Endpoint]
  ) async -> [Task<Result<WindTunnelNetworkLayer.CallResponse, NetworkError>, Never>] {
    var calls: [Task<Result<WindTunnelNetworkLayer.CallResponse, NetworkError>, Never>] = []
    for endpoint in endpoints {
      let before = observer.settled
      calls.append(start(endpoint))
      while observer.settled == before { await Task.yield() }
    }
    return calls
  }

  /// The paths of what was sent, in order.
  var sent: [String] {
    observer.events.compactMap {
      if case .attemptStarted(_, let request, _) = $0.kind { request.url?.path } else { nil }
    }
  }

  /// The waits between attempts, in order.
  var gaps: [Duration] {
    observer.events.compactMap {
      if case .retryScheduled(_, let delay) = $0.kind { delay } else { nil }
    }
  }

  /// The kinds of calls.
  enum Kind: Sendable, CaseIterable {
    /// All in memory.
    case call
    /// The content out of a file.
    case upload
    /// The answer into a file.
    case download
    /// The answer as it comes.
    case stream
  }

  /// Makes a call of a kind, and tells how it ended.
  static func result(
    of endpoint: Endpoint,
    _ kind: Kind,
    by client: NetworkClient
  ) async -> Result<WindTunnelNetworkLayer.CallResponse, NetworkError> {
    await ended { () throws(NetworkError) in try await run(endpoint, kind, by: client) }
  }

  private static func run(
    _ endpoint: Endpoint,
    _ kind: Kind,
    by client: NetworkClient
  ) async throws(NetworkError) -> WindTunnelNetworkLayer.CallResponse {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    // It may never have been there.
    defer { try? FileManager.default.removeItem(at: file) }
    switch kind {
    case .call: return try await client.call(endpoint)
    case .upload:
      do { try endpoint.body?.data?.write(to: file) } catch { throw .file("\(error)") }
      var endpoint = endpoint
      endpoint.body = .file(file)
      return try await client.call(endpoint)
    case .download: return try await client.download(endpoint, to: file)
    case .stream:
      let answer = try await client.stream(endpoint)
      do { for try await _ in answer.pieces {} } catch {
        throw .transport(.unknown, text: "\(error)")
      }
      return CallResponse(status: answer.status, headers: answer.headers)
    }
  }

  /// Makes a call, lets each wait of it pass that is no deadline, and tells how it ended and how long
  /// it waited.
  func call(
    _ endpoint: Endpoint,
    as kind: Kind = .call
  ) async -> (result: Result<WindTunnelNetworkLayer.CallResponse, NetworkError>, gaps: [Duration]) {
    let before = gaps.count
    let result = await time.passing(but: client.settings.limits.deadline) {
      await Self.result(of: endpoint, kind, by: client)
    }
    return (result, Array(gaps.dropFirst(before)))
  }
}
