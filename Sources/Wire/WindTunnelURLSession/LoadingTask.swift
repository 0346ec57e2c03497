internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnel
internal import WindTunnelSymptoms

/// One task from its request to its last response, across redirects.
///
/// All code runs on the task's own queue, so no locks are necessary. A task that is suspended and
/// resumed continues with the same outcome, because it is the same attempt.
final class LoadingTask: InProcessCourier {
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
  /// Counts pauses, so that a timer set before a pause has no effect after it.
  private var generation = 0
  /// The events that arrived while the task was suspended.
  private var held: [(LoadingTask) -> Void] = []

  private var request: URLRequest
  /// The content of the request, from any of the places where the platform stores it.
  private var body = Data()
  private var redirects = 0
  /// Whether the task's delegate is deciding about a redirect. The response waits meanwhile.
  private var isAsking = false
  var outcome: Outcome?
  var queue = ActionQueue()
  var unopened: Request?
  private var calls: ClientCalls
  private var forwarding: Forwarding?
  /// The redirect that is being forwarded.
  private var redirect: Redirect?
  private let start = DispatchTime.now()
  /// The part of the waits that was skipped.
  private var skipped = Duration.zero
  /// Whether a wait has begun and not ended. It never ends if the client stops the task.
  private var isWaiting = false {
    didSet {
      let change = isWaiting == oldValue ? 0 : isWaiting ? 1 : -1
      registration.waits?.withLock { $0.openCount += change }
    }
  }
  private var lastActivity = Duration.zero
  private var isTimed = false

  /// The maximum number of redirects, equal to the platforms' own protocols.
  private static let redirectsMax = 20
  /// The maximum interval between timer checks, so that no timer outlives its task by more.
  private static let timerStep = Duration.seconds(30)

  init(of interceptor: Interceptor, for registration: ProtocolRegistration) {
    self.registration = registration
    context = LoadingContext(of: interceptor, for: registration)
    request = interceptor.request
    // For the shared session, the platform has used the cookie storage that all tests share.
    if registration.isShared || Platform.leavesCookies(to: request) {
      context.addCookies(to: &request)
    }
    timeouts = Timeouts(request, context.configuration)
    calls = ClientCalls(to: interceptor, context: context, errors: registration.errors)
  }

  deinit { forwarding?.cancel() }

  // MARK: - Start, pause and end

  /// Starts the task, or resumes it after a pause.
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

  /// Pauses the task. A protocol cannot know whether it is stopped permanently.
  func pause() {
    guard !isPaused else { return }
    isPaused = true
    isTimed = false
    generation += 1
    forwarding?.suspend()
    noteFinished()
  }

  private func begin() {
    if let refusal = context.refusal { return terminate { $0.fail(refusal) } }
    state = .running
    RequestBridge.body(of: request, context) { [self] body in
      perform { task in
        switch body {
        case .success(let data): task.request(with: data)
        case .failure(let error): task.terminate { $0.fail(error) }
        }
      }
    }
  }

  /// Runs a closure now, or when a suspended task is resumed, or never if the task has ended.
  private func perform(_ body: @escaping (LoadingTask) -> Void) {
    guard state == .running else { return }
    if isPaused { held.append(body) } else { body(self) }
  }

  /// Runs a closure later on the task's queue, unless the task is paused or ends meanwhile.
  private func after(_ delay: Duration, _ body: @escaping (LoadingTask) -> Void) {
    let set = generation
    // A timer must not retain a task that has ended.
    context.after(delay) { [weak self] in
      guard let self, generation == set, !isPaused, state == .running else { return }
      body(self)
    }
  }

  /// Ends the task with its only terminal call.
  private func terminate(_ end: (inout ClientCalls) -> Void) {
    guard state != .finished else { return }
    state = .finished
    isWaiting = false
    isTimed = false
    generation += 1
    noteFinished()
    forwarding = nil
    held = []
    end(&calls)
  }

  /// Whether nothing delays the response.
  var isReady: Bool { !isPaused && !isAsking && state == .running }

  // MARK: - From a request to the deck's decision

  var deck: Deck { registration.deck }
  var lane: Lane { registration.lane }

  private func request(with body: Data) {
    self.body = body
    arrive(RequestBridge.request(request, body: body, context.configuration))
  }

  func sendAtOnce(_ outcome: Outcome) -> Bool {
    guard let response = rendered(outcome) else { return false }
    deck.responseBegan(outcome)
    calls.send(response)
    terminate { $0.end() }
    return true
  }

  /// Returns a complete response, if possible: an earlier one for the same request, or a new one.
  private func rendered(_ outcome: Outcome) -> RenderedResponse? {
    guard let key = outcome.renderedKey, isReady, let url = request.url else { return nil }
    return registration.responses.response(under: key, at: url) {
      outcome.whole(on: .inProcess).flatMap { RenderedResponse($0, at: url) }
    }
  }

  // MARK: - From a delivery to the client

  var now: Duration? { isReady ? elapsed : nil }
  var progress: AnswerInHand { calls.progress }

  func send(_ head: ResponseHead) {
    noteActivity()
    if let outcome { deck.responseBegan(outcome) }
    guard let next = Redirect(head, from: request) else {
      return calls.receive(head, at: request.url)
    }
    follow(next, head) { task in
      task.calls.receive(head, at: task.request.url)
      task.carry()
      task.advance(.tick)
    }
  }

  func send(_ data: Data) {
    noteActivity()
    calls.receive(data)
  }

  // Only its origin ends a live response.
  func finish(_ afterwards: Delivery.Afterwards) { if forwarding == nil { end(with: nil) } }

  func stall() {
    if progress.isWhole { return end(with: nil) }
    if let limit = registration.stallMax { after(limit) { $0.end(with: .timedOut) } }
    startTimers()
  }

  func wake(at moment: Duration) {
    guard let waits = registration.waits else {
      after(moment - elapsed) { $0.advance(.tick) }
      return startTimers()
    }
    let end = min(moment, elapsed + timeLeft)
    isWaiting = true
    after((end - elapsed) / waits.withLock { $0.begin(under: deck) }) { task in
      task.isWaiting = false
      task.skipped += max(.zero, end - task.elapsed)
      let isTimeout = end < moment && task.timeLeft <= .zero
      if isTimeout { task.runOut() } else { task.advance(.tick) }
    }
    startTimers()
  }

  func end(with symptom: Symptom?) {
    terminate { calls in if let symptom { calls.fail(symptom) } else { calls.finish() } }
  }

  func refuse(_ reason: HarnessError) { terminate { $0.fail(reason) } }

  // MARK: - The live origin

  /// Sends the request to the live origin, passes its response on and lets the deck record it.
  func forward() {
    guard let outcome else { return }
    startTimers()
    let forwarding = Forwarding(outcome, in: context) { [weak self] event in
      // Events in transit when the task was suspended wait until it is resumed.
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
      if redirect == nil { calls.receive(head, at: request.url, isOpen: true) }
    case .bytes(let data): if redirect == nil { calls.receive(data) }
    case .end(let answer, let timing, let error):
      // Recorded before the next hop is requested, so that the hops are in order on the cassette.
      var interaction = Interaction(outcome.request, answer, timing: timing)
      interaction.joined = interaction.response?.headers.perhapsJoined ?? []
      deck.keep(interaction, for: outcome)
      if let redirect, error == nil, case .response(let response) = answer {
        return follow(redirect, response.head) { task in
          task.calls.receive(response.head, at: task.request.url, isOpen: true)
          task.calls.receive(response.body.data)
          task.end(with: nil)
        }
      }
      terminate { calls in if let error { calls.fail(error) } else { calls.finish() } }
    }
  }

  // MARK: - Redirects

  /// Follows a redirect if the task's delegate allows it. Otherwise `stay` delivers the redirect
  /// itself.
  private func follow(
    _ redirect: Redirect,
    _ head: ResponseHead,
    otherwise stay: @escaping (LoadingTask) -> Void
  ) {
    redirects += 1
    guard redirects <= Self.redirectsMax else {
      return end(with: .tooManyRedirects)
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
    // The current response is dropped, because another one follows.
    noteFinished()
    queue = ActionQueue()
    (outcome, forwarding, self.redirect) = (nil, nil, nil)
    calls.storeCookies(of: head, at: request.url)
    request = next
    context.addCookies(to: &request)
    request(with: redirect.keepsBody ? request.httpBody ?? body : Data())
  }

  // MARK: - Time

  /// The time since the task began. Work that outlives a run in virtual time uses another clock.
  private var elapsed: Duration {
    let nanoseconds = DispatchTime.now().uptimeNanoseconds &- start.uptimeNanoseconds
    return max(.zero, .nanoseconds(Int64(bitPattern: nanoseconds))) + skipped
  }

  private func noteActivity() { lastActivity = elapsed }

  /// Starts the timers at the first wait. A response without waits needs none.
  private func startTimers() {
    guard !isTimed else { return }
    isTimed = true
    checkTimers()
  }

  /// The time until a timeout of the client, or until the next check of the timers.
  private var timeLeft: Duration {
    min(
      timeouts.idle.map { $0 - elapsed + lastActivity } ?? Self.timerStep,
      timeouts.resource.map { $0 - elapsed } ?? Self.timerStep,
      Self.timerStep
    )
  }

  private func checkTimers() {
    let (moment, left) = (elapsed, timeLeft)
    let silent = moment - lastActivity
    if left <= .zero { return runOut() }
    // A live origin may be slow. A played response must end, for any timeout of the client.
    let untilCeiling =
      forwarding == nil ? registration.silenceMax - silent : Self.timerStep
    if untilCeiling <= .zero {
      // Overdue events, and delays of a busy machine, do not count as silence.
      advance(.tick)
      guard moment - lastActivity < registration.silenceMax else {
        return refuse(Self.silence(registration.silenceMax))
      }
      return after(.zero) { $0.checkTimers() }
    }
    after(min(left, untilCeiling)) { $0.checkTimers() }
  }

  /// Handles the client's timeout.
  ///
  /// If a live origin was too slow, its response so far and the timeout are recorded.
  private func runOut() {
    guard let forwarding else { return end(with: .timedOut) }
    forwarding.giveUp(Symptom.timedOut.urlError(for: request.url, as: registration.errors))
  }

  private static func silence(_ length: Duration) -> HarnessError {
    HarnessError(
      """
      Nothing arrived for \(length), the maximum wait of the harness, and this task would wait \
      longer. Set a timeout of the request, or a longer silenceMax in the configuration.
      """
    )
  }
}

/// The timeouts that a `URLProtocol` must enforce itself.
///
/// For a protocol the platform enforces none on Linux, and only the resource timeout on Apple
/// platforms.
private struct Timeouts {
  /// The idle timeout, restarted by every byte; `nil` for none.
  var idle: Duration?
  /// The timeout from the start of the task to its end; `nil` for none.
  var resource: Duration?

  /// The default interval of a `URLRequest`.
  private static let unset: TimeInterval = 60
  /// A longer interval is treated as infinite, as is `.infinity`.
  private static let longest: TimeInterval = 1e9

  init(_ request: URLRequest, _ configuration: URLSessionConfiguration?) {
    let own = request.timeoutInterval
    // A request's own timeout overrides the configuration's.
    let wanted = own == Self.unset ? configuration?.timeoutIntervalForRequest ?? own : own
    idle = Self.duration(Platform.idleTimeout(wanted))
    resource = configuration.flatMap { Self.duration($0.timeoutIntervalForResource) }
  }

  private static func duration(_ interval: TimeInterval) -> Duration? {
    guard interval >= 0, interval < longest else { return nil }
    return .milliseconds(Int64(interval * 1000))
  }
}
