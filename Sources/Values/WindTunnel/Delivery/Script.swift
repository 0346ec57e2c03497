internal import Foundation
internal import WindTunnelSymptoms

/// The delivery of an outcome under construction: its response, to which its faults are applied one
/// by one.
struct Script {
  /// The faults that are not possible with the response.
  private(set) var undone: [UndoneFault] = []

  /// The time of the decision, since 1970; `nil` if the caller passed none.
  private let now: Duration?
  private var before: [Delivery.Step] = []
  private var response: ScriptedResponse
  private var isLive = false
  /// Whether the response is to a WebSocket handshake, after which a conversation follows or, with
  /// a live origin, may follow.
  private var isConversation = false
  /// The faults of the conversation.
  private var conversationFaults: [ConversationFault] = []
  /// The reason why a mutation is not possible.
  private var obstacle: String?
  /// The number of faults with a version of the body that have not been applied yet.
  private var versionsLeft = 0
  /// The end of the connection after a complete response.
  private var idleEnd: IdleEnd?

  init(_ outcome: Outcome, on stage: Stage) {
    response = ScriptedResponse(on: stage, bodySources: outcome.bodySources ?? [:])
    now = outcome.second
    versionsLeft = outcome.decision.faults.count(where: \.isVersion)
    switch outcome.source {
    case .recording(let interaction, _): play(interaction, outcome)
    case .computed(let computed): response.answer(computed, to: outcome.request)
    case .forward:
      isLive = true
      obstacle = Self.passes
      // The connection's fields have been removed. This field occurs in no other request (RFC 6455
      // §4.1).
      isConversation = stage == .onTheWire && outcome.request.headers["Sec-WebSocket-Key"] != nil
    case .unmatched(let mismatch):
      response.answer(.text("\(mismatch)\n", status: 501), to: outcome.request)
      obstacle = "no recording matches"
    }
    if let delay = outcome.delay {
      response.pieces = Pieces(Timing(firstByte: delay, lastByte: delay), .asRecorded)
    }
  }

  /// Removes the interim responses of a recording, which a client of HTTP/1.0 cannot receive.
  mutating func leaveOutInterims() { response.leaveOutInterims() }

  /// The response, if all of it is sent at once without changes; `nil` if it needs steps.
  var whole: (head: ResponseHead, body: Data)? {
    isLive || isConversation || !before.isEmpty || idleEnd != nil ? nil : response.whole
  }

  var delivery: Delivery {
    var steps: [Delivery.Step] = []
    steps.reserveCapacity(before.count + 6)
    steps.append(.await(.requestEnd))
    steps += before
    if isLive {
      let live: Delivery.Step =
        conversationFaults.isEmpty ? .bytes(.live) : .converseLive(conversationFaults)
      let steps = Self.withoutIdleWaits(steps) + [live, .finish]
      return Delivery(steps, afterwards: afterwards(.finish))
    }
    if isConversation, let head = response.head, response.stops.end == nil {
      steps += response.stops.waits(before: nil).map { .wait($0.length) }
      return Delivery(Self.withoutIdleWaits(steps) + [.converse(head, conversationFaults)])
    }
    let all = ResponseSteps(response, behind: steps)
    return Delivery(Self.withoutIdleWaits(all.steps), afterwards: afterwards(all.ending))
  }

  private static func withoutIdleWaits(_ steps: [Delivery.Step]) -> [Delivery.Step] {
    if steps.contains(where: isIdle) { steps.filter { !isIdle($0) } } else { steps }
  }

  private static func isIdle(_ step: Delivery.Step) -> Bool {
    if case .wait(.zero) = step { true } else { false }
  }

  private func afterwards(_ ending: Delivery.Step) -> Delivery.Afterwards {
    switch ending {
    case .finish: idleEnd.map { .idle($0) } ?? .keep
    case .reset: .reset
    default: .close
    }
  }

  // MARK: The recording

  private mutating func play(_ interaction: Interaction, _ outcome: Outcome) {
    let (timing, pace) = (interaction.timing, outcome.pace)
    let request = outcome.request
    switch interaction.result {
    case .response(let recorded) where interaction.isConversation:
      response.answer(recorded, to: request)
      isConversation = true
      if let timing, case let wait = pace.wait(timing.firstByte), wait > .zero {
        before.append(.wait(wait))
      }
    case .response(let recorded) where response.stage == .onTheWire && recorded.status == 101:
      refuse("The recorded 101 switches the connection to another protocol")
    case .response(let recorded):
      // A response to a range request, 206 or not, is the response for that range.
      let isPart = interaction.request.headers["Range"] != nil
      // If the response has a version, the part is taken from the version.
      let part = isPart || versionsLeft > 0 ? recorded : recorded.part(for: request)
      let (rest, restTiming) = resumed(part, of: interaction, for: request)
      response.answer(rest, to: request)
      response.pieces = restTiming.map { Pieces($0, pace) } ?? response.pieces
    case .cut(let recorded, let failure):
      let (rest, restTiming) = resumed(recorded, of: interaction, for: request)
      response.answer(rest, to: request, cutBy: failure.symptom)
      response.pieces = restTiming.map { Pieces($0, pace) } ?? response.pieces
    case .failure(let failure):
      fail(failure.symptom)
      response.pieces = timing.map { Pieces(failure: $0, pace) } ?? response.pieces
      obstacle = "the recording is of a failure"
    }
  }

  /// Returns the events after the client's last one.
  ///
  /// A recording for a client with the same last event is used unchanged.
  private func resumed(
    _ response: Response,
    of interaction: Interaction,
    for request: Request
  ) -> (response: Response, timing: Timing?) {
    request.headers["Last-Event-ID"] == interaction.request.headers["Last-Event-ID"]
      ? (response, interaction.timing)
      : response.resumed(for: request, interaction.timing, isWhole: interaction.failure == nil)
  }

  private mutating func fail(_ symptom: Symptom) {
    switch (response.stage, symptom) {
    case (.inProcess, _), (.onTheWire, .connectionLost), (.onTheWire, .timedOut),
      (.onTheWire, .emptyAnswer), (.onTheWire, .malformedResponse), (.onTheWire, .cancelled):
      response.breakOff(by: symptom, at: nil)
    case (.onTheWire, _):
      refuse("The recorded failure \(symptom.rawValue) occurs before the request")
    }
  }

  /// Sets a response with the reason why a recording cannot be replayed on a connection.
  private mutating func refuse(_ reason: String) {
    let text = "\(reason); a server cannot replay it on an open connection.\n"
    response.stand(.text(text, status: 502))
  }

  // MARK: Faults

  mutating func add(_ fault: Fault, to request: Request) {
    switch fault {
    case .delay(let spread): before.append(.wait(spread.least))
    case .status(let status, let retryAfter):
      let fields = retryAfter?.values(now: now) ?? []
      var refusal = Response.injected(status, retryAfter: fields, insteadOf: response.head)
      if status == 429, let now, case .seconds(let wait)? = retryAfter {
        let limits = response.head?.headers.rateLimits(endingIn: wait, now: now) ?? []
        for field in limits { refusal.head.headers.append(field.name, field.value) }
      }
      replace(by: refusal, request)
    case .answer(let replacement): replace(by: replacement.response(to: request), request)
    case .cut(let point, let effect): cut(at: point, then: effect, fault)
    case .connection(let fault):
      switch fault.symptom {
      case nil: before.append(.wait(fault.delay))
      case .timedOut?: end(at: .afterRequest, .stall)
      case let symptom?:
        end(at: .afterRequest, response.stage == .inProcess ? .fail(symptom) : .reset)
      }
    case .conversation(let inner):
      // A stage without sockets has no conversations, so it need not be distinguished.
      if response.stage == .inProcess, !isLive { isConversation = true }
      guard isConversation else { return misfit(fault, "the response is not a WebSocket") }
      guard response.stops.end == nil else { return misfit(fault, Self.unanswered) }
      conversationFaults.append(inner)
    case .dribble where isConversation, .throttle where isConversation, .idle where isConversation,
      .malformed where isConversation:
      misfit(fault, conversing)
    case .dribble(let bytes, let interval):
      noteLive(fault)
      response.dribble = (bytes, interval)
    case .throttle(let rate):
      noteLive(fault)
      let rate = min(max(Fault.rates.lowerBound, rate), Fault.rates.upperBound)
      // Twenty parts a second if each then has at least one byte.
      let bytes = max(1, rate / 20)
      response.dribble = (bytes, .nanoseconds(Int64(bytes) * 1_000_000_000 / Int64(rate)))
    case .idle(let end): idleEnd = end
    case .malformed(let malformation):
      attempt(fault) { script throws(Mutation.Misfit) in
        try script.response.malform(malformation)
        script.isLive = false
      }
    case .alter(let edit):
      attempt(fault) { script throws(Mutation.Misfit) in try script.edit(edit, request) }
    case .mutate(let mutation):
      attempt(fault) { script throws(Mutation.Misfit) in
        if let obstacle = script.obstacle { throw Mutation.Misfit(obstacle) }
        try script.response.mutate(mutation, request)
      }
    }
  }

  /// Adds the travel time of the request as a wait; the shaper delays the response.
  mutating func travel(_ path: LinkPath, _ outcome: Outcome) {
    let travel = path.travel(
      requestBytes: outcome.requestBytes,
      isSecure: outcome.request.url.scheme == "https"
    )
    guard let travel else { return end(at: .afterRequest, .stall) }
    before.insert(.wait(travel), at: 0)
  }

  /// The reason why a live response cannot be changed.
  private static let passes = "a live response is passed on as it arrives"

  /// The reason why a conversation cannot be changed like a body.
  private var conversing: String {
    // The live origin's response is unknown.
    isLive
      ? "a WebSocket is requested, which has no body"
      : "the response is a WebSocket, which has no body"
  }

  /// The reason why a conversation that does not begin has no faults.
  private static let unanswered = "the handshake is not answered"

  private mutating func noteLive(_ fault: Fault) {
    if isLive { misfit(fault, Self.passes) }
  }

  mutating func misfit(_ fault: Fault, _ reason: String) {
    undone.append(UndoneFault(fault, because: reason))
  }

  private mutating func attempt(
    _ fault: Fault,
    _ body: (inout Script) throws(Mutation.Misfit) -> Void
  ) {
    do throws(Mutation.Misfit) {
      try body(&self)
    } catch {
      misfit(fault, error.reason)
    }
  }

  private mutating func replace(by other: Response, _ request: Request) {
    leaveConversation("another response refuses the handshake")
    response.answer(other, to: request)
    (response.recordedCut, response.pieces) = (nil, Pieces())
    (isLive, isConversation, obstacle) = (false, false, nil)
  }

  private mutating func edit(_ edit: ResponseEdit, _ request: Request) throws(Mutation.Misfit) {
    if let obstacle { throw Mutation.Misfit(obstacle) }
    if case .version = edit, response.head != nil {
      versionsLeft -= 1
      if versionsLeft > 0 { return }
    }
    try response.edit(edit, request)
  }

  private mutating func cut(at point: Fault.Point, then effect: Fault.Effect, _ fault: Fault) {
    if isConversation, point != .afterRequest { return misfit(fault, conversing) }
    var point = point
    if case .event(let count) = point {
      if isLive { return misfit(fault, Self.passes) }
      switch response.place(ofEvent: count) {
      case .success(let offset): point = .body(offset)
      case .failure(let reason): return misfit(fault, reason.reason)
      }
    }
    switch effect {
    case .reset: end(at: point, .reset, for: fault)
    case .close: end(at: point, .close, for: fault)
    // A stage without sockets cannot distinguish the two kinds of end.
    case .halfClose: end(at: point, response.stage == .inProcess ? .close : .closeWrite, for: fault)
    case .stall(nil): end(at: point, .stall, for: fault)
    case .stall(let length?):
      noteLive(fault)
      response.stops.add(.wait(length), at: point, for: fault)
    }
  }

  /// Removes the cuts and pauses after the end of the response: a client that receives the complete
  /// response has no fault.
  mutating func leaveOutMissedCuts() {
    if isLive { return }
    for (fault, reason) in response.removeMissedCuts() { misfit(fault, reason) }
  }

  /// Reports the faults of a conversation that does not begin.
  private mutating func leaveConversation(_ reason: String) {
    for fault in conversationFaults { misfit(.conversation(fault), reason) }
    conversationFaults = []
  }

  private mutating func end(
    at point: Fault.Point,
    _ ending: Delivery.Step,
    for fault: Fault? = nil
  ) {
    leaveConversation(Self.unanswered)
    isLive = false
    response.stops.add(.end(ending), at: point, for: fault)
  }
}
