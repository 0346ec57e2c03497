internal import Foundation

/// The terms of an endpoint that a configuration may overrule without a release; what is `nil` is
/// the endpoint's own.
///
/// Terms decode from JSON with the same names.
public struct EndpointTerms: Sendable, Hashable, Codable {
  /// The time for which one attempt may neither send nor receive a byte, in milliseconds.
  public var attemptTimeoutMilliseconds: Int?
  /// The time that a call may take, in milliseconds.
  public var deadlineMilliseconds: Int?
  /// The most retries of a call.
  public var mostRetries: Int?
  /// The priority of a call: `critical`, `standard` or `deferrable`.
  public var priority: CallPriority?
  /// The time for which an answer is fresh in the cache, in seconds; 0 with no other time: it is
  /// never kept.
  public var freshSeconds: Int?
  /// The time after that for which it is shown while a newer one is fetched, in seconds.
  public var staleWhileRevalidateSeconds: Int?
  /// The time after its freshness for which it is shown if the server cannot be had, in seconds.
  public var staleIfErrorSeconds: Int?
  /// The greatest number of its attempts at once.
  public var slots: Int?
  /// The networks that a call waits for: `any`, `inexpensive`, `unconstrained` or `unrestricted`.
  public var waitsForNetwork: NetworkNeed?
  /// The name of the engine that carries a call, where the client's transport is ``EngineShares``.
  public var engine: String?

  /// Makes terms of the values that are given.
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

  /// Returns an endpoint on these terms.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint as it is called.
  ///   - limits: The client's limits, of which those that are not named stay.
  /// - Returns: The endpoint with what is named in place of its own.
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

  /// The terms that are named, in one line for a debug screen.
  var words: String {
    // It has nothing but numbers and names.
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

  /// Returns these terms with others on top.
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

  /// Returns a sentence for each term that is out of bounds.
  func faults(of template: String) -> [String] {
    let bounds: [(String, Int?, ClosedRange<Int>)] = [
      ("attemptTimeoutMilliseconds", attemptTimeoutMilliseconds, 1...600_000),
      ("deadlineMilliseconds", deadlineMilliseconds, 1...86_400_000),
      ("mostRetries", mostRetries, 0...10), ("slots", slots, 1...64),
      ("freshSeconds", freshSeconds, 0...315_360_000),
      ("staleWhileRevalidateSeconds", staleWhileRevalidateSeconds, 0...315_360_000),
      ("staleIfErrorSeconds", staleIfErrorSeconds, 0...315_360_000),
    ]
    return ConfigurationError.faults(of: bounds, in: " of \"\(template)\"")
  }
}
