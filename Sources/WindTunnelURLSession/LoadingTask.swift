internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnel
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One task from its request to its last answer, across redirects.
///
/// Everything here runs on the task's own queue, so nothing needs a lock. A task that is suspended
/// and resumed goes on with the same outcome: it is the same attempt.
final class LoadingTask {
  private enum State {
    case waiting
    case running
    case finished
  }

  private let registration: ProtocolRegistration
  private let context: LoadingContext
  private let timeouts: Timeouts
  private var state = State.waiting
  private var isPaused = true
  /// Counts pauses, so that a timer that was set before one does nothing after it.
  private var generation = 0
  /// The events that came from elsewhere while the task was suspended.
  private var held: [(LoadingTask) -> Void] = []

  private var request: URLRequest
  /// The content that is sent with the request, wherever the platform keeps it.
  private var body = Data()
  private var redirects = 0
  /// Tells whether the task's delegate is being asked about a redirect; the answer waits with it.
  private var isAsking = false
  private var outcome: Outcome?
  private var player: Player?
  /// The request that waits for its connection to open.
  private var unopened: (Request, Lane)?
  private var courier: Courier
  private var forwarding: Forwarding?
  /// The redirect that is being forwarded.
  private var redirect: Redirect?
  private let start = DispatchTime.now()
  private var lastActivity = DispatchTime.now()
  private var isTimed = false

  /// The number of redirects that are followed, as by the platforms' own protocol.
  private static let redirectsMax = 20
  /// Timers are looked at in steps of at most this long, so that none outlives its task by more.
  private static let timerStep = Duration.seconds(30)

  init(of interceptor: Interceptor, for registration: ProtocolRegistration) {
    self.registration = registration
    context = LoadingContext(of: interceptor, for: registration)
    request = interceptor.request
    // Where the session is shared, the platform has looked for cookies in the storage of all.
    if registration.isShared || Platform.leavesCookies(to: request) {
      context.addCookies(to: &request)
    }
    timeouts = Timeouts(request, context.configuration)
    courier = Courier(to: interceptor, context: context, errors: registration.errors)
  }

  deinit { forwarding?.cancel() }

  // MARK: - Its life

  /// Starts, or goes on after a pause.
  func resume() {
    guard isPaused, state != .finished else { return }
    isPaused = false
    noteActivity()
    guard state == .running else { return begin() }
    startTimers()
    advance(.tick)
    let waiting = held
    held = []
    for body in waiting { perform(body) }
    if state == .running { forwarding?.resume() }
  }

  /// Stops; whether for good or for a while, a protocol is not told.
  func pause() {
    guard !isPaused else { return }
    isPaused = true
    isTimed = false
    generation += 1
    forwarding?.suspend()
    if let outcome { registration.deck.finished(outcome) }
  }

  private func begin() {
    if let refusal = context.refusal { return finish { $0.fail(refusal) } }
    state = .running
    RequestBridge.body(of: request, context) { [self] body in
      perform { task in
        switch body {
        case .success(let data): task.decide(body: data)
        case .failure(let error): task.finish { $0.fail(error) }
        }
      }
    }
  }

  /// Does something now, or when a suspended task is resumed, or never if the task has ended.
  private func perform(_ body: @escaping (LoadingTask) -> Void) {
    guard state == .running else { return }
    if isPaused { held.append(body) } else { body(self) }
  }

  /// Runs something later on the task's queue, unless the task was paused or ended meanwhile.
  private func after(_ delay: Duration, _ body: @escaping (LoadingTask) -> Void) {
    let set = generation
    // A task that has ended must not be held by its last timer.
    context.after(delay) { [weak self] in
      guard let self, generation == set, !isPaused, state == .running else { return }
      body(self)
    }
  }

  /// Makes the one terminal call.
  private func finish(_ end: (inout Courier) -> Void) {
    guard state != .finished else { return }
    state = .finished
    isTimed = false
    generation += 1
    if let outcome { registration.deck.finished(outcome) }
    forwarding = nil
    held = []
    end(&courier)
  }

  /// Tells whether nothing keeps an answer back.
  private var maySend: Bool { !isPaused && !isAsking && state == .running }

  // MARK: - From a request to what it gets

  private func decide(body: Data) {
    self.body = body
    let asked = RequestBridge.request(request, body: body, context.configuration)
    let lane = asked.headers[Lane.header].map { Lane($0) } ?? registration.lane
    switch registration.deck.arrive(asked, lane: lane, on: .inProcess, at: Date()) {
    case .opening(let opening):
      if opening.afterwards == .keep { unopened = (asked, lane) }
      player = Player(opening)
      advance(.tick)
    case .decided(let outcome): answer(outcome)
    }
  }

  private func answer(_ outcome: Outcome) {
    let deck = registration.deck
    self.outcome = outcome
    // It is here at once; nothing has seen it come.
    deck.requestEnded(outcome)
    if let response = rendered(outcome) {
      deck.responseBegan(outcome)
      courier.send(response)
      return finish { $0.end() }
    }
    let delivery = deck.delivery(of: outcome, on: .inProcess)
    if let refusal = Self.refusal(of: delivery) { return finish { $0.fail(refusal) } }
    player = Player(delivery, shaper: outcome.shaper)
    advance(.arrived(.requestEnd))
  }

  /// Returns the response, where it is there all at once: as it was made for an earlier request, or
  /// made now for those that follow.
  private func rendered(_ outcome: Outcome) -> RenderedResponse? {
    guard let key = outcome.renderedKey, maySend, let url = request.url else { return nil }
    return registration.responses.response(under: key, at: url) {
      outcome.whole(on: .inProcess).flatMap { RenderedResponse($0, at: url) }
    }
  }

  /// Returns the reason, in words, why a delivery cannot be carried without a socket; `nil` where
  /// it can.
  static func refusal(of delivery: Delivery) -> HarnessError? {
    let lacking = delivery.needs.subtracting(Stage.inProcess.abilities)
    guard !lacking.isEmpty else { return nil }
    let nouns = lacking.map(\.noun).sorted().joined(separator: " and ")
    return HarnessError(
      """
      What was decided for this request takes \(nouns), which no URLProtocol has. Play the same deck \
      on a loopback server.
      """
    )
  }

  // MARK: - From a delivery to the client

  /// Feeds the player and does what it says.
  private func advance(_ event: Player.Event) {
    guard maySend, let actions = player?.next(event, at: now) else { return }
    carry(actions[...])
    if let (asked, lane) = unopened, state == .running, player?.isDone == true {
      unopened = nil
      answer(registration.deck.decide(asked, lane: lane, at: Date()))
    }
  }

  private func carry(_ actions: ArraySlice<Player.Action>) {
    var actions = actions
    while state == .running, !isPaused, let action = actions.popFirst() {
      switch action {
      case .wake(let moment):
        after(moment - now) { $0.advance(.tick) }
        startTimers()
      case .stall: if courier.isWhole { finish { $0.finish() } } else { startTimers() }
      case .live: forward()
      case .head(let head):
        noteActivity()
        if let outcome { registration.deck.responseBegan(outcome) }
        if let next = Redirect(head, from: request) {
          return follow(next, head) { task in
            task.courier.receive(head, at: task.request.url)
            task.carry(actions)
            task.advance(.tick)
          }
        }
        courier.receive(head, at: request.url)
      case .bytes(let data):
        noteActivity()
        courier.receive(data)
      // A live answer ends when its origin ends it.
      case .finish where forwarding != nil: break
      case .finish: finish { $0.finish() }
      case .close, .closeWrite: finish { $0.closed() }
      case .reset: finish { $0.broken(.connectionLost) }
      case .fail(let symptom): finish { $0.broken(symptom) }
      // Nothing in process has two ends to relay between.
      case .relay, .pass, .passEnd, .hold, .takeMore, .shakeHands, .converse:
        finish { $0.fail(Symptom.unknown) }
      }
    }
  }

  // MARK: - The live origin

  /// Asks the live origin, passes its answer through and lets the deck keep it.
  private func forward() {
    guard let outcome else { return }
    startTimers()
    let forwarding = Forwarding(outcome, in: context) { [weak self] event in
      // What was on its way when the task was suspended waits with it.
      self?.perform { $0.pass(event, of: outcome) }
    }
    self.forwarding = forwarding
    forwarding.resume()
  }

  private func pass(_ event: Forwarding.Event, of outcome: Outcome) {
    noteActivity()
    switch event {
    case .head(let head):
      redirect = Redirect(head, from: request)
      if redirect == nil { courier.receive(head, at: request.url, isOpen: true) }
    case .bytes(let data): if redirect == nil { courier.receive(data) }
    case .end(let answer, let timing, let error):
      // Kept before a next hop asks, so that the hops stand in order on the cassette.
      var interaction = Interaction(outcome.request, answer, timing: timing)
      interaction.joined = interaction.response?.headers.perhapsJoined ?? []
      registration.deck.keep(interaction, for: outcome)
      if let redirect, error == nil, case .response(let response) = answer {
        return follow(redirect, response.head) { task in
          task.courier.receive(response.head, at: task.request.url, isOpen: true)
          task.courier.receive(response.body.data)
          task.finish { $0.finish() }
        }
      }
      finish { courier in if let error { courier.fail(error) } else { courier.finish() } }
    }
  }

  // MARK: - Redirects

  /// Asks the task's delegate, and then the next place; where the delegate does not want to be
  /// led, the answer that leads is the answer, and `stay` hands it over.
  private func follow(
    _ redirect: Redirect,
    _ head: ResponseHead,
    otherwise stay: @escaping (LoadingTask) -> Void
  ) {
    redirects += 1
    guard redirects <= Self.redirectsMax else {
      return finish { $0.fail(Symptom.tooManyRedirects) }
    }
    isAsking = true
    context.ask(about: redirect.request, head, from: request) { [self] allowed in
      perform { task in
        task.isAsking = false
        if let allowed { task.go(to: allowed, redirect, head) } else { stay(task) }
      }
    }
  }

  private func go(to next: URLRequest, _ redirect: Redirect, _ head: ResponseHead) {
    // The answer in hand is forgotten: there will be another.
    if let outcome { registration.deck.finished(outcome) }
    (outcome, player, forwarding, self.redirect) = (nil, nil, nil, nil)
    courier.storeCookies(of: head, at: request.url)
    request = next
    context.addCookies(to: &request)
    decide(body: redirect.keepsBody ? request.httpBody ?? body : Data())
  }

  // MARK: - Time

  /// The time since the task began. Work that outlives a run in virtual time sees another clock.
  private var now: Duration {
    let nanoseconds = DispatchTime.now().uptimeNanoseconds &- start.uptimeNanoseconds
    return max(.zero, .nanoseconds(Int64(bitPattern: nanoseconds)))
  }

  private func noteActivity() { lastActivity = .now() }

  /// Starts the timers once something is waited for; an answer that is there needs none.
  private func startTimers() {
    guard !isTimed else { return }
    isTimed = true
    checkTimers()
  }

  /// Returns the time since something came last; less than nothing where that was after the moment.
  private func silence(at moment: DispatchTime) -> Duration {
    .nanoseconds(Int64(moment.uptimeNanoseconds) - Int64(lastActivity.uptimeNanoseconds))
  }

  private func checkTimers() {
    let moment = DispatchTime.now()
    let silent = silence(at: moment)
    let left = min(
      timeouts.idle.map { $0 - silent } ?? Self.timerStep,
      timeouts.resource.map { $0 - now } ?? Self.timerStep,
      Self.timerStep
    )
    if left <= .zero { return runOut() }
    // A live origin may take its time; what is played has an end, whatever the client waits for.
    let untilCeiling =
      forwarding == nil ? registration.silenceMax - silent : Self.timerStep
    if untilCeiling <= .zero {
      // What was due by now, and what a machine was too busy to bring, is no silence.
      advance(.tick)
      guard silence(at: moment) < registration.silenceMax else {
        return finish { $0.fail(Self.silence(registration.silenceMax)) }
      }
      return after(.zero) { $0.checkTimers() }
    }
    after(min(left, untilCeiling)) { $0.checkTimers() }
  }

  /// The client waits no longer. An origin that kept it waiting is recorded as one: what it had
  /// said by then, and that the time was up.
  private func runOut() {
    guard let forwarding else { return finish { $0.fail(Symptom.timedOut) } }
    forwarding.giveUp(Symptom.timedOut.urlError(for: request.url, as: registration.errors))
  }

  private static func silence(_ length: Duration) -> HarnessError {
    HarnessError(
      """
      Nothing came for \(length), which is as long as the harness waits, and this task would wait \
      longer. Give the request a timeout, or the configuration a longer silenceMax.
      """
    )
  }
}

/// The timeouts that a `URLProtocol` has to keep itself: on Linux none ever fires for one, on Apple
/// platforms only the resource's.
private struct Timeouts {
  /// Restarted by every byte; `nil`: never.
  var idle: Duration?
  /// From the start of the task to its end; `nil`: never.
  var resource: Duration?

  /// The interval of a `URLRequest` for which none was set.
  private static let unset: TimeInterval = 60
  /// Anything longer is meant as "never"; `.infinity` is.
  private static let longest: TimeInterval = 1e9

  init(_ request: URLRequest, _ configuration: URLSessionConfiguration?) {
    let own = request.timeoutInterval
    // A request's own timeout beats the configuration's.
    let wanted = own == Self.unset ? configuration?.timeoutIntervalForRequest ?? own : own
    idle = Self.duration(Platform.idleTimeout(wanted))
    resource = configuration.flatMap { Self.duration($0.timeoutIntervalForResource) }
  }

  private static func duration(_ interval: TimeInterval) -> Duration? {
    guard interval >= 0, interval < longest else { return nil }
    return .milliseconds(Int64(interval * 1000))
  }
}
