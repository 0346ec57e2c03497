public import Foundation

/// A client of an API, composed of a request builder, a transport, a retry policy and an observer.
///
/// ```swift
/// let client = NetworkClient(baseURL: baseURL, session: session)
/// let answer = try await client.call(Endpoint(.get, "/users/7"))
/// ```
///
/// Each part is a protocol with one method and can be replaced independently. Time and randomness
/// are parameters too, so that tests can predict a call to the nanosecond.
public struct NetworkClient: Sendable {
  let middleware: [any Middleware]
  let authenticator: (any Authenticator)?
  let policy: any Policy
  private(set) var transport: any Transport
  /// The transport, if it enforces deadlines itself and no code of the app runs during an attempt.
  private(set) var keeper: (any DeadlineKeeping)?
  let cache: ResponseCache?
  /// The observer of events; `nil` if there is none.
  let observer: (any Observer)?
  /// The device's networks, for calls that wait for one; `nil` if they are not observed.
  package let networks: (any Networks)?
  let admission: AdmissionController
  let sendsTraces: Bool
  private(set) var settings: Settings
  let time: any TimeSource
  let draw: @Sendable () -> Double
  let shared = SharedState()

  /// Creates a client from its parts.
  ///
  /// - Parameters:
  ///   - builder: The builder of requests.
  ///   - middleware: The stages that each attempt passes through, in this order for requests.
  ///   - authenticator: The source of each attempt's credential; `nil` for none.
  ///   - policy: The retry policy.
  ///   - transport: The transport of requests.
  ///   - cache: The cache of responses; `nil` for none.
  ///   - observer: The observer of events.
  ///   - limits: The limits of a call's duration, for endpoints without limits of their own.
  ///   - endpoints: The terms of endpoints by their templates, such as in a
  ///     ``NetworkConfiguration``. They override the endpoint's own terms.
  ///   - admission: The slots, the retry budget and other state that calls share; `nil` for a
  ///     controller of its own, with the default rules and the same time.
  ///   - networks: The device's networks, for calls that wait for one; `nil` if no call waits.
  ///   - sendsTraces: Whether each attempt sends a call id, unique across launches, in
  ///     `traceparent` (W3C Trace Context). `X-Request-ID` contains the id and the attempt's
  ///     number.
  ///   - environment: The name of the client's environment in records.
  ///   - time: The source of time.
  ///   - draw: The source of random numbers in 0..<1: for traces, for jitter between retries, and
  ///     for jitter after a `Retry-After` that another call received.
  public init(
    builder: any Builder,
    middleware: [any Middleware] = [],
    authenticator: (any Authenticator)? = nil,
    policy: any Policy = RetryPolicy(),
    transport: any Transport,
    cache: ResponseCache? = nil,
    observer: any Observer = SilentObserver(),
    limits: CallLimits = CallLimits(),
    endpoints: [String: EndpointTerms] = [:],
    admission: AdmissionController? = nil,
    networks: (any Networks)? = nil,
    sendsTraces: Bool = true,
    environment: String = CallRecord.production,
    time: any TimeSource = SystemTime(),
    draw: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    (self.middleware, self.authenticator) = (middleware, authenticator)
    (self.policy, self.transport) = (policy, transport)
    keeper =
      middleware.isEmpty && authenticator == nil ? transport as? any DeadlineKeeping : nil
    self.cache = cache
    self.observer = observer is SilentObserver ? nil : observer
    self.networks = networks
    settings = Settings(
      builder: builder,
      limits: limits,
      endpoints: endpoints,
      environment: environment
    )
    self.admission = admission ?? AdmissionController(time: time)
    self.sendsTraces = sendsTraces
    self.time = time
    self.draw = draw
  }

  /// Creates a client with the default parts, a base URL and a session.
  public init(
    baseURL: URL,
    session: URLSession,
    policy: any Policy = RetryPolicy(),
    observer: any Observer = SilentObserver(),
    limits: CallLimits = CallLimits(),
    admission: AdmissionController? = nil
  ) {
    self.init(
      builder: RequestBuilder(baseURL: baseURL),
      policy: policy,
      transport: URLSessionTransport(session: session),
      observer: observer,
      limits: limits,
      admission: admission
    )
  }

  /// Calls an endpoint, with retries, and returns its response or throws the last error.
  ///
  /// Cancelling the task ends the call immediately, whether it is in flight, queued or between
  /// attempts. No further attempt follows.
  ///
  /// The call does not run on its caller's actor: requests are built, responses checked and files
  /// read off the main thread.
  @concurrent
  public func call(_ endpoint: Endpoint) async throws(NetworkError) -> CallResponse {
    try await Call(self, endpoint).run().get()
  }

  /// Calls an endpoint like ``call(_:)``, with progress reports and a switch that suspends the
  /// call.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - progress: The receiver of progress: bytes sent of the request, bytes received of the
  ///     response.
  ///   - pause: The switch that suspends the call.
  /// - Returns: The response.
  /// - Throws: ``NetworkError``.
  @concurrent
  public func call(
    _ endpoint: Endpoint,
    progress: TransferProgress?,
    pausedBy pause: CallPause? = nil
  ) async throws(NetworkError) -> CallResponse {
    try await Call(self, endpoint, telling: progress, pausedBy: pause).run().get()
  }

  /// Returns an endpoint's responses as they become available: first the cached one, then the
  /// server's.
  ///
  /// The cached response is marked as stale unless it is fresh. A fresh one is the last: no request
  /// follows.
  ///
  /// ```swift
  /// for try await answer in client.updates(of: home) { show(answer, isOld: answer.isStale) }
  /// ```
  ///
  /// - Returns: One or two responses; the stream fails with a ``NetworkError``. Ending the
  ///   iteration cancels the call.
  public func updates(of endpoint: Endpoint) -> AsyncThrowingStream<CallResponse, any Error> {
    AsyncThrowingStream { updates in
      let task = Task { @concurrent in
        let call = Call(self, endpoint, isRevalidation: true)
        let kept = call.cached()
        if let kept { updates.yield(kept) }
        if kept.map(\.isStale) ?? true {
          switch await call.run() {
          case .success(let answer): updates.yield(answer)
          case .failure(let error): return updates.finish(throwing: error)
          }
        }
        updates.finish()
      }
      updates.onTermination = { _ in task.cancel() }
    }
  }

  /// Downloads a response's content to a file, and replaces an existing file only when it is
  /// complete.
  ///
  /// After a lost connection the next attempt requests the missing part (RFC 9110 §14), if the
  /// version has a strong validator. Parts of two versions are never combined. The file's length is
  /// checked, and its digest if the caller passes one or the server sends one (`Repr-Digest`, RFC
  /// 9530). The cache is neither read nor written, and middleware receives the response without its
  /// content.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint, by default a `GET`: only a repeatable request can be resumed.
  ///   - file: The file, in an existing directory.
  ///   - check: The expected length and digest, if they are known.
  ///   - progress: The receiver of progress: the number of bytes received.
  ///   - pause: The switch that suspends the call.
  /// - Returns: The last attempt's response, without content. Its status is 206 if the last attempt
  ///   received a part.
  /// - Throws: ``NetworkError``; the file is then unchanged.
  @concurrent
  public func download(
    _ endpoint: Endpoint,
    to file: URL,
    expecting check: FileCheck = FileCheck(),
    progress: TransferProgress? = nil,
    pausedBy pause: CallPause? = nil
  ) async throws(NetworkError) -> CallResponse {
    let receiver = FileReceiver(file, check, progress) { [time] in time.date }
    let call = Call(self, endpoint, by: receiver, telling: progress, pausedBy: pause)
    return try await call.run(finishing: receiver.finish).get()
  }

  /// Calls an endpoint and returns when the head has arrived; the content follows as a stream.
  ///
  /// The content can be read as bytes, lines or server-sent events. Up to the head the call has
  /// attempts and a deadline like any other. After the head its slot is free, and the content has
  /// no deadline: reading fails if no bytes arrive for the time limit of one attempt. The cache is
  /// neither read nor written, and middleware receives the response without its content.
  @concurrent
  public func stream(_ endpoint: Endpoint) async throws(NetworkError) -> StreamedResponse {
    let receiver = StreamReceiver(endpoint.rules)
    return try await Call(self, endpoint, by: receiver).run { _ throws(NetworkError) in
      guard let answer = receiver.answer else { throw .cancelled }
      return answer
    }.get()
  }

  /// Calls an endpoint and decodes the response as a part of the call.
  ///
  /// The call's records therefore include the decoder's error, such as a business code. The call
  /// and the decoding do not run on the caller's actor.
  @concurrent
  public func value<Value>(
    of endpoint: Endpoint,
    by decoder: ResponseDecoder<Value>
  ) async throws(NetworkError) -> Value {
    try await Call(self, endpoint).run { answer throws(NetworkError) in
      try decoder.decode(answer)
    }.get()
  }

  /// Calls an endpoint and returns the number of attempts, even if the call failed.
  package func counted(
    _ endpoint: Endpoint
  ) async -> (result: Result<CallResponse, NetworkError>, attempts: Int) {
    await Call(self, endpoint).counted { $0 }
  }

  /// The parts of a client that a configuration replaces.
  struct Settings: Sendable {
    var builder: any Builder
    var limits: CallLimits
    /// The terms of endpoints by their templates.
    var endpoints: [String: EndpointTerms]
    /// The shares of engines; `nil` if the configuration has none.
    var engineShares: [String: Int]?
    var environment: String
  }

  /// The state that all copies of a client share.
  final class SharedState: Sendable {
    let background: BackgroundTasks
    let flights: SingleFlight<FlightKey, CallEnd>
    let revalidations: SingleFlight<String, Void>
    let renewals: SingleFlight<String, Bool>
    let calls = Counter()
    /// The number of changes that the client made at servers, and of its new credentials. A call
    /// after a change shares no earlier response.
    let changes = Counter()
    /// The latest configuration, with the rank of its start; `nil` before the first one.
    fileprivate let applied = Locked<(settings: Settings, rank: ConfigurationRank?)?>(nil)

    fileprivate init() {
      background = BackgroundTasks()
      flights = SingleFlight(background)
      revalidations = SingleFlight(background)
      renewals = SingleFlight(background)
    }
  }

  /// Applies a configuration to this client and all its copies.
  ///
  /// Calls that begin afterwards use its builder, limits, endpoint terms, engine shares and
  /// environment. A call in progress keeps its configuration for all its attempts.
  ///
  /// The caps apply immediately to all clients that share the admission controller, but no attempt
  /// in flight loses its slot. Caps that are not part of a configuration, such as
  /// ``TrafficCaps/reserved``, do not change.
  public func apply(_ configuration: NetworkConfiguration) { apply(configuration, nil) }

  /// Applies the configuration of a start, unless one with a higher rank was applied before.
  package func apply(_ configuration: NetworkConfiguration, _ rank: ConfigurationRank?) {
    let new = Settings(
      builder: configuration.builder,
      limits: configuration.limits,
      endpoints: configuration.endpoints,
      engineShares: configuration.engineShares,
      environment: configuration.environment
    )
    // One lock for both, so that two configurations are never mixed.
    shared.applied.withLock { applied in
      if let running = applied?.rank, let rank, rank < running { return }
      applied = (new, rank)
      admission.apply(configuration.caps)
    }
  }

  /// Returns a client with the current configuration, which later configurations do not change.
  func current() -> NetworkClient {
    guard let applied = shared.applied.withLock({ $0 }) else { return self }
    var client = self
    client.settings = applied.settings
    return client
  }

  /// Returns this client with another transport. Both clients share the same state.
  func carried(by transport: any Transport) -> NetworkClient {
    var client = self
    (client.transport, client.keeper) = (transport, nil)
    return client
  }

  /// The environment of requests: the last middleware's, if one moves requests, otherwise the
  /// configured one.
  var environment: String { middleware.lazy.compactMap(\.environment).last ?? settings.environment }

  /// Runs the client's background work until the task is cancelled.
  ///
  /// The work outlives single calls: renewing stale responses that were returned, fetching
  /// responses that several calls share, and renewing credentials. All of it runs in this task and
  /// ends with it.
  ///
  /// Run it once for all copies of the client, in a task with the client's lifetime. While it runs,
  /// a second run returns immediately. Without it, a stale response is not returned before the
  /// server has been contacted. A shared response is then fetched by one of the calls that wait for
  /// it.
  @concurrent
  public func run() async { await shared.background.run() }
}

/// A counter that starts at 1 and that copies of a client share.
final class Counter: Sendable {
  private let count = Locked(0)

  var current: Int { count.withLock { $0 } }

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 12)
