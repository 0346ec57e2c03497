public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A client of an API, made of four independent parts: a builder makes the request, a transport
/// carries it, a policy decides about retries, and an observer is told of all events.
///
/// ```swift
/// let client = NetworkClient(baseURL: baseURL, session: session)
/// let answer = try await client.call(Endpoint(.get, "/users/7"))
/// ```
///
/// Each part is a protocol with one method; for other behaviour, replace one part. Time and chance
/// are parameters too, so that a call can be predicted to the nanosecond.
public struct NetworkClient: Sendable {
  let middleware: [any Middleware]
  let authenticator: (any Authenticator)?
  let policy: any Policy
  private(set) var transport: any Transport
  /// The transport where it keeps deadlines by itself and nobody else's code is in the way.
  private(set) var keeper: (any DeadlineKeeping)?
  let cache: ResponseCache?
  /// `nil` where nobody hears anything.
  let observer: (any Observer)?
  /// The device's networks, for calls that wait for one; `nil`: it knows none.
  package let networks: (any Networks)?
  let admission: AdmissionController
  let sendsTraces: Bool
  private(set) var settings: Settings
  let time: any TimeSource
  let draw: @Sendable () -> Double
  let shared = SharedState()

  /// Makes a client of its parts.
  ///
  /// - Parameters:
  ///   - builder: The builder of requests.
  ///   - middleware: The stages that each attempt passes through, in this order on its way out.
  ///   - authenticator: The source of each attempt's credential; `nil`: none.
  ///   - policy: The policy of retries.
  ///   - transport: The transport of requests.
  ///   - cache: The cache of answers; `nil`: none.
  ///   - observer: The observer of events.
  ///   - limits: The limits of a call's duration, for endpoints that have none of their own.
  ///   - endpoints: The terms of endpoints by their templates, which overrule their own, such as
  ///     those of a ``NetworkConfiguration``.
  ///   - admission: The slots, the retry budget and what else calls share; `nil`: a controller of
  ///     its own, with the default rules and the same time.
  ///   - networks: The device's networks, for calls that wait for one; `nil`: none waits.
  ///   - sendsTraces: Tells whether each attempt has the id of its call, which no other call has,
  ///     of this launch or another, in `traceparent` (W3C Trace Context), and with its number in
  ///     `X-Request-ID`.
  ///   - environment: The name of the client's environment in records.
  ///   - time: The source of time.
  ///   - draw: The source of random numbers in 0..<1: for traces, jitter, and the waits for what
  ///     another call was told.
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

  /// Makes a client with the default parts, a base URL and a session.
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

  /// Calls an endpoint, with retries, and returns its answer or throws the last error.
  ///
  /// A cancellation of the task ends the call at once, in flight, in a queue and between attempts,
  /// and no attempt follows.
  ///
  /// The call runs off its caller's actor: requests are made, answers checked and files read on no
  /// main thread.
  @concurrent
  public func call(_ endpoint: Endpoint) async throws(NetworkError) -> CallResponse {
    try await Call(self, endpoint).run().get()
  }

  /// Calls an endpoint as ``call(_:)`` does.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - progress: Is told how far its content has been sent, and the answer's received.
  ///   - pause: The switch that suspends the call.
  /// - Returns: The answer.
  /// - Throws: ``NetworkError``.
  @concurrent
  public func call(
    _ endpoint: Endpoint,
    progress: TransferProgress?,
    pausedBy pause: CallPause? = nil
  ) async throws(NetworkError) -> CallResponse {
    try await Call(self, endpoint, telling: progress, pausedBy: pause).run().get()
  }

  /// Returns the answers of an endpoint as they become known: what the cache holds at once, marked
  /// as stale unless it is fresh, and then the server's, or its error. A fresh one is the last.
  ///
  /// ```swift
  /// for try await answer in client.updates(of: home) { show(answer, isOld: answer.isStale) }
  /// ```
  ///
  /// - Returns: One or two answers; it fails with a ``NetworkError``. Whoever stops reading cancels
  ///   the call.
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

  /// Downloads an answer's content to a file. An existing file is replaced, at once and only by a
  /// whole one.
  ///
  /// After a loss the next attempt asks for the part that is missing (RFC 9110 §14), where the
  /// version has a strong validator; parts of two versions are never joined. The file's length is
  /// checked, and its digest where it is told or the server names one (`Repr-Digest`, RFC 9530).
  /// The cache is neither read nor written, and middleware gets the answer without its content.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint, by default a `GET`'s: what cannot be repeated cannot go on either.
  ///   - file: The file, in a directory that is there.
  ///   - check: The length and the digest, where they are known.
  ///   - progress: Is told how much of the file has come.
  ///   - pause: The switch that suspends the call.
  /// - Returns: The last attempt's answer, without content: its status is 206 where it brought the
  ///   last part.
  /// - Throws: ``NetworkError``; the file is then as it was before.
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

  /// Calls an endpoint and returns its answer as soon as the head has come, with the content to
  /// follow as bytes, lines or server-sent events.
  ///
  /// Up to the head it is a call as any other, with its attempts and its deadline. Its slot is free
  /// from then on, and what follows has no deadline: a piece that does not come fails after the
  /// limits' time for one attempt. The cache is neither read nor written, and middleware gets the
  /// answer without its content.
  @concurrent
  public func stream(_ endpoint: Endpoint) async throws(NetworkError) -> StreamedResponse {
    let receiver = StreamReceiver(endpoint.rules)
    return try await Call(self, endpoint, by: receiver).run { _ throws(NetworkError) in
      guard let answer = receiver.answer else { throw .cancelled }
      return answer
    }.get()
  }

  /// Calls an endpoint and decodes the answer as a part of the call, so that the decoder's error,
  /// such as a business code, is in its records. Runs off its caller's actor, decoding included.
  @concurrent
  public func value<Value>(
    of endpoint: Endpoint,
    by decoder: ResponseDecoder<Value>
  ) async throws(NetworkError) -> Value {
    try await Call(self, endpoint).run { answer throws(NetworkError) in
      try decoder.decode(answer)
    }.get()
  }

  /// Calls an endpoint and returns the number of attempts, too, also if the call failed.
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
    /// The changes that the client has made at servers, and its new credentials. A call after a
    /// change shares no earlier response.
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
  /// Calls that begin from now on have its builder, limits, terms of endpoints, shares of engines
  /// and environment; a call that is under way keeps those that it began with, for each of its
  /// attempts. The caps hold at once for all who share the admission controller, and take no slot
  /// away from an attempt in flight; those that no configuration has, such as
  /// ``TrafficCaps/reserved``, stay as they are.
  public func apply(_ configuration: NetworkConfiguration) { apply(configuration, nil) }

  /// Applies one with the rank of a start, unless that of a higher rank was applied before.
  package func apply(_ configuration: NetworkConfiguration, _ rank: ConfigurationRank?) {
    let new = Settings(
      builder: configuration.builder,
      limits: configuration.limits,
      endpoints: configuration.endpoints,
      engineShares: configuration.engineShares,
      environment: configuration.environment
    )
    // Together, so that of two configurations no two halves remain.
    shared.applied.withLock { applied in
      if let running = applied?.rank, let rank, rank < running { return }
      applied = (new, rank)
      admission.apply(configuration.caps)
    }
  }

  /// Returns this client as it is configured now, which no later configuration changes.
  func current() -> NetworkClient {
    guard let applied = shared.applied.withLock({ $0 }) else { return self }
    var client = self
    client.settings = applied.settings
    return client
  }

  /// Returns an endpoint on the terms of this client.
  func withTerms(_ endpoint: Endpoint) -> Endpoint {
    let terms = settings.endpoints[endpoint.template]
    return terms?.applied(to: endpoint, upon: settings.limits) ?? endpoint
  }

  /// Returns this client with another transport: all that calls share, they share.
  func carried(by transport: any Transport) -> NetworkClient {
    var client = self
    (client.transport, client.keeper) = (transport, nil)
    return client
  }

  /// The environment of requests: that of the last middleware that moves them, else the one that
  /// this is built for.
  var environment: String { middleware.lazy.compactMap(\.environment).last ?? settings.environment }

  /// Runs the work that outlives a call, until the task is cancelled: renewing stale answers that
  /// were returned, answers that several calls share, and new credentials. All of it runs in this
  /// task and ends with it.
  ///
  /// Run it in a task as long-lived as the client, once for all copies of it; while it runs, a
  /// second one returns at once. Without it no stale answer is returned before the server was
  /// asked, and a shared answer is fetched by one of the calls that wait for it.
  @concurrent
  public func run() async { await shared.background.run() }
}

/// Counts from 1; copies of a client count together.
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
