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
  let policy: any Policy
  let transport: any Transport
  let observer: any Observer
  let limits: CallLimits
  let time: any TimeSource
  let draw: @Sendable () -> Double
  private let calls = Counter()

  /// Puts a client together.
  ///
  /// - Parameters:
  ///   - builder: Makes requests.
  ///   - policy: Says what follows on an attempt.
  ///   - transport: Carries requests.
  ///   - observer: Hears what happens.
  ///   - limits: How long a call may take.
  ///   - time: What waits are measured with.
  ///   - draw: Brings numbers in 0..<1, one for each attempt.
  public init(
    builder: any Builder,
    policy: any Policy = RetryPolicy(),
    transport: any Transport,
    observer: any Observer = SilentObserver(),
    limits: CallLimits = CallLimits(),
    time: any TimeSource = SystemTime(),
    draw: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    self.builder = builder
    self.policy = policy
    self.transport = transport
    self.observer = observer
    self.limits = limits
    self.time = time
    self.draw = draw
  }

  /// Puts the usual client together: everything by default, on a base URL and a session.
  public init(
    baseURL: URL,
    session: URLSession,
    policy: any Policy = RetryPolicy(),
    observer: any Observer = SilentObserver(),
    limits: CallLimits = CallLimits()
  ) {
    self.init(
      builder: RequestBuilder(baseURL: baseURL),
      policy: policy,
      transport: URLSessionTransport(session: session),
      observer: observer,
      limits: limits
    )
  }

  /// Asks for an endpoint until there is something to show, or nothing more to hope for.
  ///
  /// A cancellation of the task ends it at once, in flight and between attempts, and no attempt
  /// follows.
  public func call(_ endpoint: Endpoint) async throws(NetworkError) -> Answer {
    let call = Call(client: self, number: calls.next(), start: time.uptime)
    return try await call.run(endpoint).get()
  }
}

/// Counts calls, from 1; copies of a client count together.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  func next() -> Int {
    lock.withLock {
      count += 1
      return count
    }
  }
}
