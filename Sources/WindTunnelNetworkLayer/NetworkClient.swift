public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Calls an API through four parts that know nothing of each other: a builder makes the request, a
/// transport carries it, a policy says whether to carry it again, an observer hears of it all.
///
/// Each part is a protocol with one method; whoever needs another behaviour replaces one part.
/// Time and chance are parameters too, so that a call can be told in advance to the nanosecond.
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

  /// Puts a client together.
  ///
  /// - Parameters:
  ///   - builder: Makes requests.
  ///   - middleware: Sees each attempt on its way out and back, in this order.
  ///   - authenticator: Puts a credential on each attempt.
  ///   - policy: Says what follows on an attempt.
  ///   - transport: Carries requests.
  ///   - cache: Keeps answers; `nil`: none are kept.
  ///   - observer: Hears what happens.
  ///   - limits: How long a call may take.
  ///   - admission: Slots, retry budget and circuit breakers; `nil`: a controller of its own, with
  ///     the default rules and the same time.
  ///   - sendsTraces: Whether each attempt carries a `traceparent` (W3C Trace Context).
  ///   - environment: What records call the environment that this is built for.
  ///   - time: What waits are measured with.
  ///   - draw: Brings numbers in 0..<1: one for each attempt, and those for traces.
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

  /// Puts the usual client together: everything by default, on a base URL and a session.
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

  /// Asks for an endpoint until there is something to show, or nothing more to hope for.
  ///
  /// A cancellation of the task ends it at once, in flight, in a queue and between attempts, and no
  /// attempt follows.
  ///
  /// Off its caller's actor: requests are made, answers judged and files read on no main thread.
  @concurrent
  public func call(_ endpoint: Endpoint) async throws(NetworkError) -> Answer {
    try await Call(self, endpoint).run().get()
  }

  /// Asks for an endpoint and makes a value of what comes, as a part of the call: what the decoder
  /// has to say, as a business code, is in its records. Off its caller's actor, decoding included.
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

  /// Does what outlives a call, until the task is cancelled: renewing what was served stale,
  /// answers that several calls share, a new credential. All of it runs in this task and ends with
  /// it.
  ///
  /// It belongs into a task as long-lived as the client, started once for all copies of it; while
  /// it runs, a second one returns at once. Without it nothing stale is served before the server
  /// was asked, and a shared answer is fetched by one of those who wait for it.
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

/// The time that a call may take.
public struct CallLimits: Sendable, Hashable {
  /// The time that one attempt may go without a byte in or out; the request's time-out interval.
  ///
  /// On Linux `URLSession` counts whole seconds, so it is rounded up there.
  public var attemptTimeout: Duration
  /// The time that a call may take with all its attempts and waits; `nil` for no end.
  public var deadline: Duration?

  /// Makes limits; by default 15 s for an attempt and 60 s for a call.
  public init(attemptTimeout: Duration = .seconds(15), deadline: Duration? = .seconds(60)) {
    self.attemptTimeout = attemptTimeout
    self.deadline = deadline
  }
}
