internal import Dispatch
internal import Foundation
internal import Symptoms
internal import WindTunnel

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One task from its request to its last answer, across redirects.
///
/// Everything here runs on the task's own queue, so nothing needs a lock. A task that is suspended
/// and resumed goes on with the same outcome: it is the same attempt.
final class Flight {
  private enum State {
    case waiting
    case aloft
    case landed
  }

  let seat: Seat
  let context: LoadingContext
  private let timeouts: Timeouts
  private var state = State.waiting
  private var isPaused = true
  /// Counts pauses, so that a timer that was set before one does nothing after it.
  private var generation = 0

  private var request: URLRequest
  private var redirects = 0
  private var outcome: Outcome?
  private var player: Player?
  private var courier: Courier
  private var forwarding: Forwarding?
  private var held: [Forwarding.Event] = []
  /// Where the answer that is being forwarded leads.
  private var redirect: Redirect?
  private let start = DispatchTime.now()
  private var lastActivity = DispatchTime.now()
  private var watches = false

  init(of interceptor: Interceptor, in seat: Seat) {
    self.seat = seat
    context = LoadingContext(of: interceptor, configuration: seat.configuration)
    request = interceptor.request
    timeouts = Timeouts(request, context.configuration)
    courier = Courier(to: interceptor, context: context, errors: seat.errors)
  }

  deinit { forwarding?.cancel() }

  /// Starts, or goes on after a pause.
  func resume() {
    guard isPaused, state != .landed else { return }
    isPaused = false
    lastActivity = .now()
    switch state {
    case .waiting: depart()
    case .aloft:
      watch()
      advance(.tick)
      if let forwarding, let outcome {
        let events = held
        held = []
        for event in events { pass(event, of: outcome) }
        if state == .aloft { forwarding.resume() }
      }
    case .landed: break
    }
  }

  /// Stops; whether for good or for a while, a protocol is not told.
  func pause() {
    guard !isPaused else { return }
    isPaused = true
    watches = false
    generation += 1
    forwarding?.suspend()
    if let outcome { seat.deck.finished(outcome) }
  }

  private func depart() {
    if let refusal = context.refusal { return land { $0.fail(refusal) } }
    state = .aloft
    RequestBridge.body(of: request, context) { [self] body in
      guard !isPaused, state == .aloft else { return }
      switch body {
      case .success(let data): decide(body: data)
      case .failure(let error): land { $0.fail(error) }
      }
    }
  }

  private func decide(body: Data) {
    let asked = RequestBridge.request(request, body: body, context.configuration)
    let deck = seat.deck
    let lane = asked.headers[Lane.header].map { Lane($0) } ?? seat.lane
    let opening = deck.open(lane: lane, on: .inProcess)
    if opening != .nothing {
      player = Player(opening)
      return advance(.tick)
    }
    let outcome = deck.decide(asked, lane: lane)
    self.outcome = outcome
    player = Player(
      Delivery(outcome, on: .inProcess),
      shaper: outcome.path.map { Shaper($0.link.down) }
    )
    advance(.arrived(.requestEnd))
  }

  private var now: Duration {
    .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds))
  }

  /// Feeds the player and does what it says.
  private func advance(_ event: Player.Event) {
    guard !isPaused, state == .aloft, let actions = player?.next(event, at: now) else { return }
    for action in actions {
      guard state == .aloft, !isPaused else { return }
      switch action {
      case .wake(let moment):
        after(moment - now) { $0.advance(.tick) }
        watch()
      case .stall: watch()
      case .live: forward()
      case .head(let head):
        touch()
        if let next = Redirect(head, from: request) { return follow(next, head) }
        courier.receive(head, at: request.url)
      case .bytes(let data):
        touch()
        courier.receive(data)
      // A live answer ends when its origin ends it.
      case .finish where forwarding != nil: break
      case .finish: land { $0.finish() }
      case .close, .closeWrite: land { $0.closed() }
      case .reset: land { $0.fail(Symptom.connectionLost) }
      case .fail(let symptom): land { $0.fail(symptom) }
      // Nothing in process has two ends to relay between.
      case .relay: land { $0.fail(Symptom.unknown) }
      }
    }
  }

  /// Makes the one terminal call.
  private func land(_ end: (inout Courier) -> Void) {
    guard state != .landed else { return }
    state = .landed
    watches = false
    generation += 1
    if let outcome { seat.deck.finished(outcome) }
    forwarding = nil
    end(&courier)
  }

  /// Runs something later on the task's queue, unless the flight was paused or ended meanwhile.
  private func after(_ delay: Duration, _ body: @escaping (Flight) -> Void) {
    let set = generation
    // A task that has ended must not be held by its last timer.
    context.after(delay) { [weak self] in
      guard let self, generation == set, !isPaused, state == .aloft else { return }
      body(self)
    }
  }
}

// MARK: - Timeouts

extension Flight {
  private func touch() { lastActivity = .now() }

  /// Timers are looked at in steps of at most this long, so that none outlives its task by more.
  private static let step = Duration.seconds(30)

  /// Starts the timers once something is waited for; an answer that is there needs none.
  private func watch() {
    guard !watches, timeouts.idle != nil || timeouts.resource != nil else { return }
    watches = true
    look()
  }

  private func look() {
    let silent = Duration.nanoseconds(
      Int64(DispatchTime.now().uptimeNanoseconds - lastActivity.uptimeNanoseconds)
    )
    let left = min(
      timeouts.idle.map { $0 - silent } ?? Self.step,
      timeouts.resource.map { $0 - now } ?? Self.step,
      Self.step
    )
    if left <= .zero { return land { $0.fail(Symptom.timedOut) } }
    after(left) { $0.look() }
  }
}

// MARK: - Redirects

extension Flight {
  /// How many redirects are followed, as by the platforms' own protocol.
  private static let redirectsMax = 20

  private func follow(_ redirect: Redirect, _ head: ResponseHead) {
    if let outcome { seat.deck.finished(outcome) }
    outcome = nil
    player = nil
    forwarding = nil
    self.redirect = nil
    redirects += 1
    courier.storeCookies(of: head, at: request.url)
    guard redirects <= Self.redirectsMax else {
      return land { $0.fail(Symptom.tooManyRedirects) }
    }
    let from = request
    context.ask(about: redirect.request, head, from: from) { [self] allowed in
      guard !isPaused, state == .aloft else { return }
      guard var next = allowed else {
        courier.receive(head, at: from.url)
        return land { $0.finish() }
      }
      context.addCookies(to: &next)
      request = next
      decide(body: redirect.keepsBody ? next.httpBody ?? Data() : Data())
    }
  }
}

// MARK: - Forwarding

extension Flight {
  /// Asks the live origin, passes its answer through and lets the deck keep it.
  private func forward() {
    guard let outcome else { return }
    watch()
    let forwarding = Forwarding(outcome.request, in: context) { [weak self] event in
      self?.pass(event, of: outcome)
    }
    self.forwarding = forwarding
    forwarding.resume()
  }

  private func pass(_ event: Forwarding.Event, of outcome: Outcome) {
    guard state == .aloft else { return }
    // What was on its way when the task was suspended waits with it.
    guard !isPaused else { return held.append(event) }
    touch()
    switch event {
    case .head(let head):
      redirect = Redirect(head, from: request)
      if redirect == nil { courier.receive(head, at: request.url) }
    case .bytes(let data): if redirect == nil { courier.receive(data) }
    case .end(let answer, let timing, let error):
      // Kept before a next hop asks, so that the hops stand in order on the tape.
      seat.deck.keep(Interaction(outcome.request, answer, timing: timing), for: outcome)
      if let redirect, error == nil, case .response(let response) = answer {
        return follow(redirect, response.head)
      }
      land { courier in if let error { courier.fail(error) } else { courier.finish() } }
    }
  }
}
