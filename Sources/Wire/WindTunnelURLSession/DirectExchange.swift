package import Foundation
@_spi(WindTunnel) package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
package import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// The way to a deck without a session: what the deck decides is awaited in the caller's own task,
/// by the clock that the task has.
package struct DirectExchange: Sendable {
  /// The failures of an exchange.
  package enum Failure: Error, Sendable, Hashable {
    /// The caller was cancelled.
    case cancelled
    /// A symptom, as the platform of the errors has it.
    case failed(Symptom)
    /// The reason in a sentence why it cannot be had without a socket.
    case impossible(String)
  }

  /// A response whose body is without content coding.
  package struct WholeResponse: Sendable, Hashable {
    package let head: ResponseHead
    package let body: Data
  }

  /// The one who hears of an answer as it comes.
  package struct Listener: Sendable {
    let head: @Sendable (ResponseHead) -> Void
    let piece: @Sendable (Data) -> Void

    /// Makes one of what it does with the head, and with each piece of the body, which has no
    /// content coding any more.
    package init(
      head: @escaping @Sendable (ResponseHead) -> Void,
      piece: @escaping @Sendable (Data) -> Void
    ) {
      (self.head, self.piece) = (head, piece)
    }
  }

  let deck: Deck
  let lane: Lane
  /// The platform whose errors its failures are.
  package let errors: Symptom.Platform
  private let isDead = Locked(false)

  /// The number of redirects that are followed, as by the platforms' own protocol.
  private static let redirectsMax = 20

  /// Makes a way to a deck for the requests of a lane.
  package init(_ deck: Deck, lane: Lane, errors: Symptom.Platform) {
    (self.deck, self.lane, self.errors) = (deck, lane, errors)
  }

  /// Comes back only if its client lives: who swallows an error, and tries again at once, would
  /// never end.
  private func stopIfDead() async {
    guard isDead.withLock({ $0 }) else { return }
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }

  /// Ends the process that its client stands for, as far as the deck is concerned: nothing comes
  /// from there any more, and nothing comes of what is under way.
  package func die() { isDead.withLock { $0 = true } }

  /// Returns the way of a client that is started after this one.
  package func anew() -> DirectExchange { DirectExchange(deck, lane: lane, errors: errors) }

  /// Sends a request, follows redirects and returns the answer.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The time for which nothing may come; `nil`: none.
  ///   - listener: Hears of the answer as it comes, also of one that fails then.
  /// - Returns: The answer's head, and its body without content coding.
  /// - Throws: The failure that a client in process would see.
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

  /// Sends a request of Foundation's, with the timeout that it has.
  package func answer(
    to request: URLRequest,
    hearing listener: Listener? = nil
  ) async throws(Failure) -> WholeResponse {
    let limit = Platform.idleTimeout(request.timeoutInterval)
    return try await answer(
      to: RequestBridge.request(request, body: request.httpBody ?? Data(), nil),
      // Anything longer is meant as "never".
      silentFor: limit < 1e9 ? .milliseconds(Int64(limit * 1000)) : nil,
      hearing: listener
    )
  }

  private func hop(
    _ request: Request,
    _ limit: Duration?,
    _ listener: Listener?
  ) async throws(Failure) -> WholeResponse {
    // Nobody waits for it any more.
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
      // Without either it is silent until somebody gives it up.
      try await sleep(until: wake ?? .now + .seconds(10_000_000_000))
      reception.wake()
    }
  }

  private func sleep(until moment: ContinuousClock.Instant) async throws(Failure) {
    // A sleep fails for no other reason.
    do { try await ContinuousClock().sleep(until: moment) } catch { throw .cancelled }
    await stopIfDead()
  }

  /// Returns the symptom that a client sees in the platform's error: a platform has one error for
  /// several.
  func surfaced(_ symptom: Symptom) -> Symptom {
    Self.surfacedSymptoms[errors]?[symptom] ?? .unknown
  }

  /// The symptoms in the errors of each platform. Creating an error takes longer than the rest of
  /// an exchange that fails.
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
