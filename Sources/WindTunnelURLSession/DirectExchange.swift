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

  private let deck: Deck
  private let lane: Lane
  /// The platform whose errors its failures are.
  package let errors: Symptom.Platform

  /// The number of redirects that are followed, as by the platforms' own protocol.
  private static let redirectsMax = 20

  /// Makes a way to a deck for the requests of a lane.
  package init(_ deck: Deck, lane: Lane, errors: Symptom.Platform) {
    (self.deck, self.lane, self.errors) = (deck, lane, errors)
  }

  /// Sends a request, follows redirects and returns the answer.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The time for which nothing may come; `nil`: none.
  /// - Returns: The answer's head, and its body without content coding.
  /// - Throws: The failure that a client in process would see.
  package func answer(
    to request: Request,
    silentFor limit: Duration?
  ) async throws(Failure) -> (head: ResponseHead, body: Data) {
    var request = request
    for _ in 0...Self.redirectsMax {
      let answer = try await hop(request, limit)
      guard let next = Request(following: answer.head, from: request) else { return answer }
      request = next
    }
    throw failure(.tooManyRedirects)
  }

  /// Sends a request of Foundation's, with the timeout that it has.
  package func answer(
    to request: URLRequest
  ) async throws(Failure) -> (head: ResponseHead, body: Data) {
    let limit = Platform.idleTimeout(request.timeoutInterval)
    return try await answer(
      to: RequestBridge.request(request, body: request.httpBody ?? Data(), nil),
      // Anything longer is meant as "never".
      silentFor: limit < 1e9 ? .milliseconds(Int64(limit * 1000)) : nil
    )
  }

  private func hop(
    _ request: Request,
    _ limit: Duration?
  ) async throws(Failure) -> (head: ResponseHead, body: Data) {
    // Nobody waits for it any more.
    if Task.isCancelled { throw .cancelled }
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
      silentSince: begun
    ) { deck.answerBegan(outcome) }
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
    silentSince begun: ContinuousClock.Instant,
    began: (() -> Void)?
  ) async throws(Failure) -> (head: ResponseHead, body: Data)? {
    var player = Player(delivery, shaper: shaper)
    var (head, body, answer): (ResponseHead?, Data, AnswerInHand) = (nil, Data(), AnswerInHand())
    let start = ContinuousClock.now
    var lastActivity = begun
    var event = first
    func whole() throws(Failure) -> (head: ResponseHead, body: Data) {
      guard let head else { throw failure(.malformedResponse) }
      guard let open = ContentCoding.open(body, body.isEmpty ? nil : answer.coding) else {
        throw ContentCoding.refusal(answer.coding).map { .impossible("\($0)") }
          ?? failure(.undecodableBody)
      }
      return (head, open)
    }
    while true {
      var wake: ContinuousClock.Instant?
      for action in player.next(event, at: .now - start) {
        switch action {
        case .wake(let moment): wake = start + moment
        case .stall: if answer.isWhole { return try whole() }
        case .head(let came):
          lastActivity = .now
          began?()
          (head, answer) = (came, AnswerInHand(came, to: request.method))
          // Whoever follows does not read the rest.
          if Request(following: came, from: request) != nil { return (came, Data()) }
        case .bytes(let data):
          lastActivity = .now
          answer.received += data.count
          body.append(data)
        case .finish: return try whole()
        case .close, .closeWrite:
          if let symptom = answer.symptomWhenClosed { throw failure(symptom) }
          return try whole()
        case .reset:
          if answer.isWhole { return try whole() }
          throw failure(.connectionLost)
        case .fail(let symptom):
          if answer.isWhole { return try whole() }
          throw failure(symptom)
        case .live: throw .impossible("There is no live origin to ask without a session.")
        // Nothing in process has two ends to relay between.
        case .relay, .pass, .passEnd, .hold, .takeMore, .shakeHands: throw failure(.unknown)
        }
      }
      if began == nil, delivery.afterwards == .keep, player.isDone { return nil }
      let end = limit.map { lastActivity + $0 }
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
  }

  /// The failure as which a client in process has a symptom.
  private func failure(_ symptom: Symptom) -> Failure {
    .failed(SurfacedSymptoms.shared.symptom(symptom, on: errors))
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

extension Request {
  /// The request by which an answer that leads elsewhere is followed; `nil` where it is the answer
  /// itself.
  fileprivate init?(following head: ResponseHead, from original: Request) {
    guard 300..<400 ~= head.status,
      let target = RedirectTarget(
        head,
        from: URL(string: original.url.description),
        method: original.method
      )
    else { return nil }
    self.init(
      target.method,
      RequestURL(target.url.absoluteString),
      headers: HeaderFields(
        original.headers.filter { field in !target.dropped.contains { field.isNamed($0) } }
      ),
      body: target.keepsBody ? original.body : .empty
    )
  }
}
