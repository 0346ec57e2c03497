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
  let builder: any Builder
  let middleware: [any Middleware]
  let authenticator: (any Authenticator)?
  let policy: any Policy
  let transport: any Transport
  /// The transport where it keeps deadlines by itself and nobody else's code is in the way.
  let keeper: (any DeadlineKeeping)?
  let cache: ResponseCache?
  /// `nil` where nobody hears anything.
  let observer: (any Observer)?
  let limits: CallLimits
  let admission: AdmissionController
  let sendsTraces: Bool
  private let builtFor: String
  let time: any TimeSource
  let draw: @Sendable () -> Double
  let background: BackgroundTasks
  let flights: SingleFlight<FlightKey, CallEnd>
  let revalidations: SingleFlight<String, Void>
  let renewals: SingleFlight<String, Bool>
  let calls = Counter()

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
  ///   - limits: The limits of a call's duration.
  ///   - admission: The slots, the retry budget and the circuit breakers; `nil`: a controller of
  ///     its own, with the default rules and the same time.
  ///   - sendsTraces: True to send a `traceparent` with each attempt (W3C Trace Context).
  ///   - environment: The name of the client's environment in records.
  ///   - time: The source of time.
  ///   - draw: The source of random numbers in 0..<1: one for each attempt, and those for traces.
  public init(
    builder: any Builder,
    middleware: [any Middleware] = [],
    authenticator: (any Authenticator)? = nil,
    policy: any Policy = RetryPolicy(),
    transport: any Transport,
    cache: ResponseCache? = nil,
    observer: any Observer = SilentObserver(),
    limits: CallLimits = CallLimits(),
    admission: AdmissionController? = nil,
    sendsTraces: Bool = false,
    environment: String = CallEvent.production,
    time: any TimeSource = SystemTime(),
    draw: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    self.builder = builder
    self.middleware = middleware
    self.authenticator = authenticator
    self.policy = policy
    self.transport = transport
    keeper =
      middleware.isEmpty && authenticator == nil ? transport as? any DeadlineKeeping : nil
    self.cache = cache
    self.observer = observer is SilentObserver ? nil : observer
    self.limits = limits
    self.admission = admission ?? AdmissionController(time: time)
    self.sendsTraces = sendsTraces
    builtFor = environment
    self.time = time
    self.draw = draw
    background = BackgroundTasks()
    flights = SingleFlight(background)
    revalidations = SingleFlight(background)
    renewals = SingleFlight(background)
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
  public func call(_ endpoint: Endpoint) async throws(NetworkError) -> Answer {
    try await Call(self, endpoint).run().get()
  }

  /// Calls an endpoint and decodes the answer as a part of the call, so that the decoder's error,
  /// such as a business code, is in its records. Runs off its caller's actor, decoding included.
  @concurrent
  public func value<Value>(
    of endpoint: Endpoint,
    by decoder: AnswerDecoder<Value>
  ) async throws(NetworkError) -> Value {
    try await Call(self, endpoint).run { answer throws(NetworkError) in
      try decoder.decode(answer)
    }.get()
  }

  /// The environment of requests: that of the last middleware that moves them, else the one that
  /// this is built for.
  var environment: String { middleware.lazy.compactMap(\.environment).last ?? builtFor }

  /// Runs the work that outlives a call, until the task is cancelled: renewing stale answers that
  /// were returned, answers that several calls share, and new credentials. All of it runs in this
  /// task and ends with it.
  ///
  /// Run it in a task as long-lived as the client, once for all copies of it; while it runs, a
  /// second one returns at once. Without it no stale answer is returned before the server was
  /// asked, and a shared answer is fetched by one of the calls that wait for it.
  @concurrent
  public func run() async { await background.run() }
}

/// Counts calls, from 1; copies of a client count together.
final class Counter: Sendable {
  private let count = Locked(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

/// The limits of a call's duration.
public struct CallLimits: Sendable, Hashable {
  /// The time for which one attempt may neither send nor receive a byte; the request's timeout
  /// interval.
  ///
  /// On Linux `URLSession` counts whole seconds, so that the time is rounded up there.
  public var attemptTimeout: Duration
  /// The time that a call may take with all its attempts and waits; `nil`: no limit.
  public var deadline: Duration?

  /// Makes limits; by default 15 s for an attempt and 60 s for a call.
  public init(attemptTimeout: Duration = .seconds(15), deadline: Duration? = .seconds(60)) {
    self.attemptTimeout = attemptTimeout
    self.deadline = deadline
  }
}
