internal import Dispatch
internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

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
  let timeouts: Timeouts
  private var state = State.waiting
  private var isPaused = true
  /// Counts pauses, so that a timer that was set before one does nothing after it.
  private var generation = 0
  /// What came from elsewhere while the task was suspended.
  private var held: [(Flight) -> Void] = []

  var request: URLRequest
  /// What is sent with the request, wherever the platform keeps it.
  var body = Data()
  var redirects = 0
  /// Whether the task's delegate is being asked about a redirect; the answer waits with it.
  var isAsking = false
  var outcome: Outcome?
  var player: Player?
  /// What waits for its connection to open.
  var asking: (Request, Lane)?
  var courier: Courier
  var forwarding: Forwarding?
  /// Where the answer that is being forwarded leads.
  var redirect: Redirect?
  let start = DispatchTime.now()
  private(set) var lastActivity = DispatchTime.now()
  var watches = false

  init(of interceptor: Interceptor, in seat: Seat) {
    self.seat = seat
    context = LoadingContext(of: interceptor, in: seat)
    request = interceptor.request
    // Where a seat is shared, the platform has looked for cookies in everybody's storage.
    if seat.isShared || Platform.leavesCookies(to: request) { context.addCookies(to: &request) }
    timeouts = Timeouts(request, context.configuration)
    courier = Courier(to: interceptor, context: context, errors: seat.errors)
  }

  deinit { forwarding?.cancel() }

  /// Starts, or goes on after a pause.
  func resume() {
    guard isPaused, state != .landed else { return }
    isPaused = false
    lastActivity = .now()
    guard state == .aloft else { return depart() }
    watch()
    advance(.tick)
    let waiting = held
    held = []
    for body in waiting { goOn(body) }
    if state == .aloft { forwarding?.resume() }
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

  /// Does something now, or when a suspended task is resumed, or never if the task has ended.
  func goOn(_ body: @escaping (Flight) -> Void) {
    guard state == .aloft else { return }
    if isPaused { held.append(body) } else { body(self) }
  }

  private func depart() {
    if let refusal = context.refusal { return land { $0.fail(refusal) } }
    state = .aloft
    RequestBridge.body(of: request, context) { [self] body in
      goOn { flight in
        switch body {
        case .success(let data): flight.decide(body: data)
        case .failure(let error): flight.land { $0.fail(error) }
        }
      }
    }
  }

  /// Forgets the answer in hand: there will be another.
  func drop() {
    if let outcome { seat.deck.finished(outcome) }
    outcome = nil
    player = nil
    forwarding = nil
    redirect = nil
  }

  func touch() { lastActivity = .now() }

  /// Feeds the player and does what it says.
  func advance(_ event: Player.Event) {
    guard maySend, let actions = player?.next(event, at: now) else { return }
    carry(actions[...])
    if let (asked, lane) = asking, state == .aloft, player?.isDone == true {
      asking = nil
      ask(asked, in: lane)
    }
  }

  func carry(_ actions: ArraySlice<Player.Action>) {
    var actions = actions
    while state == .aloft, !isPaused, let action = actions.popFirst() {
      switch action {
      case .wake(let moment):
        after(moment - now) { $0.advance(.tick) }
        watch()
      case .stall: if courier.isWhole { land { $0.finish() } } else { watch() }
      case .live: forward()
      case .head(let head):
        touch()
        if let outcome { seat.deck.answerBegan(outcome) }
        if let next = Redirect(head, from: request) {
          return follow(next, head) { flight in
            flight.courier.receive(head, at: flight.request.url)
            flight.carry(actions)
            flight.advance(.tick)
          }
        }
        courier.receive(head, at: request.url)
      case .bytes(let data):
        touch()
        courier.receive(data)
      // A live answer ends when its origin ends it.
      case .finish where forwarding != nil: break
      case .finish: land { $0.finish() }
      case .close, .closeWrite: land { $0.closed() }
      case .reset: land { $0.broken(.connectionLost) }
      case .fail(let symptom): land { $0.broken(symptom) }
      // Nothing in process has two ends to relay between.
      case .relay, .pass, .passEnd, .hold, .takeMore, .shakeHands: land { $0.fail(Symptom.unknown) }
      }
    }
  }

  /// Whether nothing keeps an answer back.
  var maySend: Bool { !isPaused && !isAsking && state == .aloft }

  /// Makes the one terminal call.
  func land(_ end: (inout Courier) -> Void) {
    guard state != .landed else { return }
    state = .landed
    watches = false
    generation += 1
    if let outcome { seat.deck.finished(outcome) }
    forwarding = nil
    held = []
    end(&courier)
  }

  /// Runs something later on the task's queue, unless the flight was paused or ended meanwhile.
  func after(_ delay: Duration, _ body: @escaping (Flight) -> Void) {
    let set = generation
    // A task that has ended must not be held by its last timer.
    context.after(delay) { [weak self] in
      guard let self, generation == set, !isPaused, state == .aloft else { return }
      body(self)
    }
  }
}
