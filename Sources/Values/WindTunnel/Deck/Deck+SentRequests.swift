@_spi(WindTunnel) internal import WindTunnelCore

extension Deck {
  /// Returns the received requests that match a pattern, such as `POST /orders`, in the order of
  /// the deck's decisions.
  ///
  /// A deck keeps its last 10,000 requests, or fewer if their heads have more than 32 MB
  /// (``droppedRequests``), and 16 MB of their content, until ``reset()``. If
  /// ``PlaybackOptions/keepsRequests`` is off, it keeps none.
  public func requests(_ pattern: RequestPattern = "*") -> [SentRequest] {
    guard let exchanges else { return [] }
    return exchanges.entries.filter { pattern.matches($0.request) }
      .map { SentRequest($0, since: exchanges.first) }
  }

  /// The number of received requests that are no longer kept.
  public var droppedRequests: Int { exchanges?.dropped ?? 0 }

  /// Returns the next request that matches a pattern, and waits if it has not arrived.
  ///
  /// Each request is returned once, in the order of the deck's decisions, even if there are several
  /// callers.
  ///
  /// - Parameters:
  ///   - pattern: The method and the path of the request, such as `POST /orders`.
  ///   - limit: The maximum time to wait.
  /// - Returns: The request. The response may not have been sent yet.
  /// - Throws: ``MissingRequest`` if no request arrives in time, and `CancellationError`.
  public func nextRequest(
    _ pattern: RequestPattern,
    within limit: Duration
  ) async throws -> SentRequest {
    guard exchanges != nil else {
      throw MissingRequest(pattern: pattern, limit: limit, came: [], isKept: false)
    }
    if let record = await nextExchange(pattern, within: limit) {
      return SentRequest(record, since: exchanges?.first)
    }
    try Task.checkCancellation()
    throw MissingRequest(pattern: pattern, limit: limit, came: requests())
  }

  /// The last exchanges; `nil` if the deck keeps none.
  package var exchanges: ExchangeRecords? { state.withLock { $0.kept.exchanges } }

  /// Starts keeping requests with the next one.
  package func keepRequests() { state.withLock { $0.kept.beginKeeping() } }

  /// Changes the record of an exchange, if it is kept.
  func change(_ outcome: Outcome, _ change: (inout ExchangeRecord) -> Void) {
    let id = outcome.id
    state.withLock { $0.kept.exchanges?.change(id, change) }
  }

  /// The number of callers that wait for a request.
  var waiterCount: Int { state.withLock { $0.kept.waiters.count } }

  /// Returns the record of a decision, if it is kept.
  func exchange(_ id: Int) -> ExchangeRecord? { state.withLock { $0.kept.exchanges?[id] } }

  /// Returns the next exchange that matches a pattern, when it is decided; `nil` after the time
  /// limit.
  func nextExchange(_ pattern: RequestPattern, within limit: Duration) async -> ExchangeRecord? {
    let next = Promise<ExchangeRecord?>()
    let stop = { @Sendable [state] in
      if state.withLock({ $0.kept.stopWaiting(next) }) { next.keep(nil) }
    }
    state.withLock { $0.kept.give(pattern, to: next) }
    let timer = Task {
      try await Task.sleep(for: limit, clock: .continuous)
      stop()
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler(operation: { await next.value }, onCancel: stop)
  }
}

/// The error if an awaited request did not arrive.
public struct MissingRequest: Error, Sendable, Hashable, CustomStringConvertible {
  /// The pattern of the request.
  public let pattern: RequestPattern
  /// The maximum time to wait.
  public let limit: Duration
  /// The requests that the deck received.
  public let came: [SentRequest]
  /// Whether the deck keeps requests (``PlaybackOptions/keepsRequests``).
  public private(set) var isKept = true

  private static let linesMax = 9

  /// The pattern, the time, and the last received requests, without secrets, in at most ten lines.
  public var description: String {
    let head = "No request \(pattern) arrived within \(limit)"
    if !isKept { return "\(head): the deck stores none. Set PlaybackOptions.keepsRequests." }
    if came.isEmpty { return "\(head), and no other request." }
    let lines = came.suffix(Self.linesMax).map { "\n  \($0.method) \($0.url.withoutSecrets)" }
    let count = came.count == 1 ? "The only request" : "The last of \(came.count) requests"
    return "\(head), or it was returned earlier. \(count):\(lines.joined())"
  }
}
