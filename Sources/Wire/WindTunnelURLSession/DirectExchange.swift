package import Foundation
@_spi(WindTunnel) package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
package import WindTunnelSymptoms

/// A client of a deck without a session, which waits in the caller's task and uses the task's
/// clock.
package struct DirectExchange: Sendable {
  /// The failures of an exchange.
  package enum Failure: Error, Sendable, Hashable {
    /// The caller was cancelled.
    case cancelled
    /// A symptom, as it appears on the platform of the errors.
    case failed(Symptom)
    /// The reason in a sentence why the response requires a socket.
    case impossible(String)
  }

  /// A response whose body is without content coding.
  package struct WholeResponse: Sendable, Hashable {
    package let head: ResponseHead
    package let body: Data
  }

  /// The closures that receive a response as it arrives.
  package struct Listener: Sendable {
    let head: @Sendable (ResponseHead) -> Void
    let piece: @Sendable (Data) -> Void

    /// Creates a listener with closures for the head and for each piece of the decoded body.
    package init(
      head: @escaping @Sendable (ResponseHead) -> Void,
      piece: @escaping @Sendable (Data) -> Void
    ) {
      (self.head, self.piece) = (head, piece)
    }
  }

  let deck: Deck
  let lane: Lane
  /// The platform whose errors are used for failures.
  package let errors: Symptom.Platform
  private let isDead = Locked(false)

  /// The maximum number of redirects, equal to the platforms' own protocols.
  private static let redirectsMax = 20

  /// Creates a client of a deck for the requests of a lane.
  package init(_ deck: Deck, lane: Lane, errors: Symptom.Platform) {
    (self.deck, self.lane, self.errors) = (deck, lane, errors)
  }

  /// Returns only if the simulated process is alive. Otherwise a client that ignores errors and
  /// retries at once would never end.
  private func stopIfDead() async {
    guard isDead.withLock({ $0 }) else { return }
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }

  /// Simulates the death of the client's process: nothing is sent or received any more.
  package func die() { isDead.withLock { $0 = true } }

  /// Returns the exchange of a client that is started after this one.
  package func anew() -> DirectExchange { DirectExchange(deck, lane: lane, errors: errors) }

  /// Sends a request, follows redirects and returns the response.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The maximum time without data; `nil` for no limit.
  ///   - listener: Receives the response as it arrives, even if it fails later.
  /// - Returns: The response's head, and its body without content coding.
  /// - Throws: The failure that a client in the same process would receive.
  package func answer(
    to request: Request,
    silentFor limit: Duration?,
    hearing listener: Listener? = nil
  ) async throws(Failure) -> WholeResponse {
    var request = request
    for _ in 0...Self.redirectsMax {
      let answer = try await hop(request, limit, listener)
      guard let next = Request(following: answer.head, from: request) else { return answer }
      request = next
    }
    throw .failed(surfaced(.tooManyRedirects))
  }

  /// Sends a Foundation request with its own timeout.
  package func answer(
    to request: URLRequest,
    hearing listener: Listener? = nil
  ) async throws(Failure) -> WholeResponse {
    let limit = Platform.idleTimeout(request.timeoutInterval)
    return try await answer(
      to: RequestBridge.request(request, body: request.httpBody ?? Data(), nil),
      // A longer timeout is treated as infinite.
      silentFor: limit < 1e9 ? .milliseconds(Int64(limit * 1000)) : nil,
      hearing: listener
    )
  }

  private func hop(
    _ request: Request,
    _ limit: Duration?,
    _ listener: Listener?
  ) async throws(Failure) -> WholeResponse {
    // The caller does not wait any more.
    if Task.isCancelled { throw .cancelled }
    await stopIfDead()
    let start = ContinuousClock.now
    let reception = Reception(of: request, for: self) { .now - start }
    defer { reception.noteFinished() }
    reception.arrive(request)
    while true {
      if let listener { reception.report(to: listener) }
      if let result = reception.result { return try result.get() }
      let wake = reception.wakeTime.map { start + $0 }
      let end = limit.map { start + reception.lastActivity + $0 }
      if let end, wake.map({ $0 > end }) ?? true {
        try await sleep(until: end)
        throw .failed(surfaced(.timedOut))
      }
      // Without a wake time or a limit, nothing arrives until the task is cancelled.
      try await sleep(until: wake ?? .now + .seconds(10_000_000_000))
      reception.wake()
    }
  }

  private func sleep(until moment: ContinuousClock.Instant) async throws(Failure) {
    // A sleep fails for no other reason.
    do { try await ContinuousClock().sleep(until: moment) } catch { throw .cancelled }
    await stopIfDead()
  }

  /// Returns the symptom that a client derives from the platform's error.
  ///
  /// A platform has one error for several symptoms.
  func surfaced(_ symptom: Symptom) -> Symptom {
    Self.surfacedSymptoms[errors]?[symptom] ?? .unknown
  }

  /// The symptoms in the errors of each platform.
  ///
  /// They are stored because creating an error takes longer than the rest of a failing exchange.
  private static let surfacedSymptoms = table(of: Symptom.Platform.allCases) { platform in
    table(of: Symptom.allCases) { Symptom($0.urlError(for: nil, as: platform)) ?? .unknown }
  }

  private static func table<Key: Hashable, Value>(
    of keys: [Key],
    _ value: (Key) -> Value
  ) -> [Key: Value] {
    Dictionary(uniqueKeysWithValues: keys.map { ($0, value($0)) })
  }
}
