internal import Foundation

/// The terms of an endpoint that a configuration can override without an app release.
///
/// A `nil` value keeps the endpoint's own value. Terms decode from JSON with the same names.
public struct EndpointTerms: Sendable, Hashable, Codable {
  /// The maximum time without a byte sent or received in one attempt, in milliseconds.
  public var attemptTimeoutMilliseconds: Int?
  /// The maximum duration of a call, in milliseconds.
  public var deadlineMilliseconds: Int?
  /// The maximum number of retries of a call.
  public var mostRetries: Int?
  /// The priority of a call: `critical`, `standard` or `deferrable`.
  public var priority: CallPriority?
  /// The time for which a response is fresh in the cache, in seconds.
  ///
  /// 0 without any other time means that responses are not cached.
  public var freshSeconds: Int?
  /// The time after its freshness for which it is used while a newer one is fetched, in seconds.
  public var staleWhileRevalidateSeconds: Int?
  /// The time after its freshness for which it is used if the server is unreachable, in seconds.
  public var staleIfErrorSeconds: Int?
  /// The maximum number of concurrent attempts.
  public var slots: Int?
  /// The networks that a call waits for: `any`, `inexpensive`, `unconstrained` or `unrestricted`.
  public var waitsForNetwork: NetworkNeed?
  /// The name of the engine that carries a call, if the client's transport is ``EngineShares``.
  public var engine: String?

  /// Creates terms. Omitted values are `nil`.
  public init(
    attemptTimeoutMilliseconds: Int? = nil,
    deadlineMilliseconds: Int? = nil,
    mostRetries: Int? = nil,
    priority: CallPriority? = nil,
    freshSeconds: Int? = nil,
    staleWhileRevalidateSeconds: Int? = nil,
    staleIfErrorSeconds: Int? = nil,
    slots: Int? = nil,
    waitsForNetwork: NetworkNeed? = nil,
    engine: String? = nil
  ) {
    self.attemptTimeoutMilliseconds = attemptTimeoutMilliseconds
    (self.deadlineMilliseconds, self.mostRetries) = (deadlineMilliseconds, mostRetries)
    (self.priority, self.freshSeconds) = (priority, freshSeconds)
    self.staleWhileRevalidateSeconds = staleWhileRevalidateSeconds
    (self.staleIfErrorSeconds, self.slots) = (staleIfErrorSeconds, slots)
    (self.waitsForNetwork, self.engine) = (waitsForNetwork, engine)
  }

  /// Returns an endpoint with these terms.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint as it is called.
  ///   - limits: The client's limits, which apply if neither the terms nor the endpoint set one.
  /// - Returns: The endpoint with the values that these terms set.
  func applied(to endpoint: Endpoint, upon limits: CallLimits) -> Endpoint {
    var endpoint = endpoint
    if attemptTimeoutMilliseconds != nil || deadlineMilliseconds != nil {
      var own = endpoint.limits ?? limits
      if let time = attemptTimeoutMilliseconds { own.attemptTimeout = .milliseconds(time) }
      if let time = deadlineMilliseconds { own.deadline = .milliseconds(time) }
      endpoint.limits = own
    }
    endpoint.mostRetries = mostRetries ?? endpoint.mostRetries
    endpoint.priority = priority ?? endpoint.priority
    endpoint.caching = caching ?? endpoint.caching
    endpoint.waitsForNetwork = waitsForNetwork ?? endpoint.waitsForNetwork
    endpoint.engine = engine ?? endpoint.engine
    return endpoint
  }

  /// The values that are set, in one line for a debug screen.
  var words: String {
    // Encoding cannot fail: there are only numbers and names.
    guard let data = try? JSONEncoder.ofRequests.encode(self) else { return "" }
    return String(decoding: data, as: UTF8.self)
  }

  private var caching: Caching? {
    let times = [freshSeconds, staleWhileRevalidateSeconds, staleIfErrorSeconds]
    guard times.contains(where: { $0 != nil }) else { return nil }
    if times.allSatisfy({ $0 ?? 0 == 0 }) { return .never }
    return .kept(
      CacheTimes(
        fresh: .seconds(freshSeconds ?? 0),
        staleWhileRevalidate: .seconds(staleWhileRevalidateSeconds ?? 0),
        staleIfError: .seconds(staleIfErrorSeconds ?? 0)
      )
    )
  }

  /// Returns these terms, overridden by others.
  func under(_ top: EndpointTerms) -> EndpointTerms {
    EndpointTerms(
      attemptTimeoutMilliseconds: top.attemptTimeoutMilliseconds ?? attemptTimeoutMilliseconds,
      deadlineMilliseconds: top.deadlineMilliseconds ?? deadlineMilliseconds,
      mostRetries: top.mostRetries ?? mostRetries,
      priority: top.priority ?? priority,
      freshSeconds: top.freshSeconds ?? freshSeconds,
      staleWhileRevalidateSeconds: top.staleWhileRevalidateSeconds ?? staleWhileRevalidateSeconds,
      staleIfErrorSeconds: top.staleIfErrorSeconds ?? staleIfErrorSeconds,
      slots: top.slots ?? slots,
      waitsForNetwork: top.waitsForNetwork ?? waitsForNetwork,
      engine: top.engine ?? engine
    )
  }

  /// Returns a sentence for each value that is out of bounds.
  func problems(of template: String) -> [String] {
    let bounds: [(String, Int?, ClosedRange<Int>)] = [
      ("attemptTimeoutMilliseconds", attemptTimeoutMilliseconds, 1...600_000),
      ("deadlineMilliseconds", deadlineMilliseconds, 1...86_400_000),
      ("mostRetries", mostRetries, 0...10), ("slots", slots, 1...64),
      ("freshSeconds", freshSeconds, 0...315_360_000),
      ("staleWhileRevalidateSeconds", staleWhileRevalidateSeconds, 0...315_360_000),
      ("staleIfErrorSeconds", staleIfErrorSeconds, 0...315_360_000),
    ]
    return ConfigurationError.problems(of: bounds, in: " of \"\(template)\"")
  }
}
