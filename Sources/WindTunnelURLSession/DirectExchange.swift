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
  ) async throws(Failure) -> (head: ResponseHead, body: Data) {
    var request = request
    for _ in 0...Self.redirectsMax {
      let answer = try await hop(request, limit, listener)
      guard let next = Request(following: answer.head, from: request) else { return answer }
      request = next
    }
    throw failure(.tooManyRedirects)
  }

  /// Sends a request of Foundation's, with the timeout that it has.
  package func answer(
    to request: URLRequest,
    hearing listener: Listener? = nil
  ) async throws(Failure) -> (head: ResponseHead, body: Data) {
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
  ) async throws(Failure) -> (head: ResponseHead, body: Data) {
    // Nobody waits for it any more.
    if Task.isCancelled { throw .cancelled }
    await stopIfDead()
    let lane = request.headers[Lane.header].map { Lane($0) } ?? lane
    let begun = ContinuousClock.now
    let outcome: Outcome
    switch deck.arrive(request, lane: lane, on: .inProcess, at: Date()) {
    case .decided(let decided): outcome = decided
    case .opening(let opening):
      // One that fails throws; one that opens has no answer yet.
      _ = try await reception(
        of: opening,
        nil,
        .tick,
        request,
        limit,
        nil,
        silentSince: begun,
        began: nil
      )
      outcome = deck.decide(request, lane: lane, at: Date())
    }
    deck.requestEnded(outcome)
    defer { deck.finished(outcome) }
    let delivery = deck.delivery(of: outcome, on: .inProcess)
    if let refusal = LoadingTask.refusal(of: delivery) { throw .impossible(refusal.description) }
    let answer = try await reception(
      of: delivery,
      outcome.shaper,
      .arrived(.requestEnd),
      request,
      limit,
      listener,
      silentSince: begun
    ) { deck.responseBegan(outcome) }
    guard let answer else { throw failure(.malformedResponse) }
    return answer
  }

  /// Plays a delivery to its end. `began` is told of the answer's first byte; where it is `nil`,
  /// the delivery is a connection's, which is open at its end.
  ///
  /// - Returns: The answer; `nil` for a connection that is open.
  private func reception(
    of delivery: Delivery,
    _ shaper: Shaper?,
    _ first: Player.Event,
    _ request: Request,
    _ limit: Duration?,
    _ listener: Listener?,
    silentSince begun: ContinuousClock.Instant,
    began: (() -> Void)?
  ) async throws(Failure) -> (head: ResponseHead, body: Data)? {
    var reception = Reception(delivery, shaper, of: request, isOpening: began == nil)
    let start = ContinuousClock.now
    var event = first
    while true {
      let hadBegun = reception.headCame != nil
      let step = reception.next(event, at: .now - start)
      if !hadBegun, reception.headCame != nil { began?() }
      if let listener, let head = reception.head, Request(following: head, from: request) == nil {
        if !hadBegun { listener.head(head) }
        let piece = reception.takePiece()
        if !piece.isEmpty { listener.piece(piece) }
        // What has a coding has not been heard of before.
        if case .answer(_, let body) = step, reception.isCoded { listener.piece(body) }
      }
      let wake: ContinuousClock.Instant?
      switch step {
      case .answer(let head, let body): return (head, body)
      case .failure(let symptom): throw failure(symptom)
      case .impossible(let reason): throw .impossible(reason)
      case .opened: return nil
      case .wait(let moment): wake = moment.map { start + $0 }
      }
      let end = limit.map { (reception.lastActivity.map { start + $0 } ?? begun) + $0 }
      if let end, wake.map({ $0 > end }) ?? true {
        try await sleep(until: end)
        throw failure(.timedOut)
      }
      // Without either it is silent until somebody gives it up.
      try await sleep(until: wake ?? .now + .seconds(10_000_000_000))
      event = .tick
    }
  }

  private func sleep(until moment: ContinuousClock.Instant) async throws(Failure) {
    // A sleep fails for no other reason.
    do { try await ContinuousClock().sleep(until: moment) } catch { throw .cancelled }
    await stopIfDead()
  }

  /// The failure as which a client in process has a symptom.
  private func failure(_ symptom: Symptom) -> Failure { .failed(surfaced(symptom)) }

  /// The symptom as which a client in process has another.
  func surfaced(_ symptom: Symptom) -> Symptom {
    SurfacedSymptoms.shared.symptom(symptom, on: errors)
  }
}

/// The symptoms as which clients in process have symptoms: a platform tells some apart, and some
/// not. To make an error and to look at it costs more than all else of an exchange that fails.
private final class SurfacedSymptoms: Sendable {
  static let shared = SurfacedSymptoms()

  private struct Key: Hashable {
    var symptom: Symptom
    var platform: Symptom.Platform
  }

  private let known = Locked<[Key: Symptom]>([:])

  func symptom(_ symptom: Symptom, on platform: Symptom.Platform) -> Symptom {
    let key = Key(symptom: symptom, platform: platform)
    if let known = known.withLock({ $0[key] }) { return known }
    let surfaced = Symptom(symptom.urlError(for: nil, as: platform)) ?? .unknown
    known.withLock { $0[key] = surfaced }
    return surfaced
  }
}
