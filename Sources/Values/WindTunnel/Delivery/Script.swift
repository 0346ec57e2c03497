internal import Foundation
internal import WindTunnelSymptoms

/// An answer and where it breaks off, before it is written down as steps: an outcome's answer, to
/// which its faults are done one by one.
struct Script {
  /// The faults that the answer gave no room for.
  private(set) var undone: [UndoneFault] = []

  private let stage: Stage
  /// The time since 1970 when it was decided, where the caller told it.
  private let now: Duration?
  private var before: [Delivery.Step] = []
  private var head: ResponseHead?
  private var body = Data()
  private var pieces = Pieces()
  /// Tells whether the head ends the message whatever it announces (RFC 9112 §6.3, rule 1).
  private var isContentless = false
  private var isLive = false
  /// Tells whether the answer is a WebSocket's handshake, behind which a conversation goes on, or
  /// may be one, where the live origin is asked.
  private var isConversation = false
  /// The failures of the conversation.
  private var conversationFaults: [ConversationFault] = []
  /// The reason why there is nothing that a mutation could change.
  private var obstacle: String?
  /// The place where the recorded answer broke off; another answer in its place does not.
  private var recordedCut: Cut?
  private var stops = Stops()
  /// The versions of the body that its faults have not named yet.
  private var versionsLeft = 0
  /// The fault of the answer's form.
  private var malformation: Malformation?
  /// The pieces that the body comes in, and the time between them.
  private var dribble: (bytes: Int, interval: Duration)?
  /// The number of interim answers that come first.
  private var interimResponses = 0
  /// The bytes of the body after which one that has no end is broken off.
  private var endlessBytes: Int?
  /// The end of the connection after a whole answer.
  private var idleEnd: IdleEnd?
  /// The recordings whose bodies its faults send, by number.
  private let bodySources: [Int: Interaction]

  /// An end of the answer before its end.
  struct Cut {
    /// Bytes of the body in front of it; `nil`: no head either.
    var offset: Int?
    var ending: Delivery.Step
    /// Tells whether what came then was no HTTP.
    var isMalformed = false
  }

  init(_ outcome: Outcome, on stage: Stage) {
    self.stage = stage
    now = outcome.second
    bodySources = outcome.bodySources ?? [:]
    versionsLeft = outcome.decision.faults.count(where: \.isVersion)
    switch outcome.source {
    case .recording(let interaction, _): play(interaction, outcome)
    case .computed(let response): answer(response, to: outcome.request)
    case .forward:
      isLive = true
      obstacle = Self.passes
      // The fields of the connection are gone; this one no other request has (RFC 6455 §4.1).
      isConversation = stage == .onTheWire && outcome.request.headers["Sec-WebSocket-Key"] != nil
    case .unmatched(let mismatch):
      answer(.notice(501, "\(mismatch)\n"), to: outcome.request)
      obstacle = "no recording answers"
    }
    if let delay = outcome.delay {
      pieces = Pieces(Timing(firstByte: delay, lastByte: delay), .asRecorded)
    }
  }

  /// Leaves out the interim responses of a recording, which a client of HTTP/1.0 cannot receive.
  mutating func leaveOutInterims() {
    if head?.informational.isEmpty == false { head?.informational = [] }
  }

  /// The interim responses that come first.
  private var interims: [ResponseHead] {
    guard stage == .onTheWire else { return [] }
    let added = Array(repeating: ResponseHead(status: 103), count: interimResponses)
    return (head?.informational ?? []) + added
  }

  /// The answer, where all of it is sent at once and nothing is done to it; `nil` where it takes
  /// steps.
  var whole: (head: ResponseHead, body: Data)? {
    guard let head, recordedCut == nil, !isLive, !isConversation, stops.isEmpty, before.isEmpty,
      malformation == nil, head.informational.isEmpty,
      interimResponses == 0, endlessBytes == nil, dribble == nil, idleEnd == nil, pieces.isOne
    else { return nil }
    return (head, body)
  }

  var delivery: Delivery {
    var settled = self
    let form = settled.settle()
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
    if isConversation, let head, stops.end == nil {
      steps += stops.waits(before: nil).map { .wait($0.length) }
      return Delivery(Self.withoutIdleWaits(steps) + [.converse(head, conversationFaults)])
    }
    let ending: Delivery.Step
    switch form {
    case .good: ending = settled.write(to: &steps)
    case .raw(let message): ending = settled.write(message, to: &steps)
    }
    return Delivery(Self.withoutIdleWaits(steps), afterwards: afterwards(ending))
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

  // MARK: What was recorded

  private mutating func play(_ interaction: Interaction, _ outcome: Outcome) {
    let (timing, pace) = (interaction.timing, outcome.pace)
    switch interaction.result {
    case .response(let response) where interaction.isConversation:
      answer(response, to: outcome.request)
      isConversation = true
      if let timing, case let wait = pace.wait(timing.firstByte), wait > .zero {
        before.append(.wait(wait))
      }
    case .response(let response) where stage == .onTheWire && response.status == 101:
      refuse("The recorded 101 hands the connection over to another protocol")
    case .response(let response):
      // An answer to a range, 206 or not, is the answer to that range.
      let isPart = interaction.request.headers["Range"] != nil
      // The part of a version is taken when there is one.
      let part = isPart || versionsLeft > 0 ? response : response.part(for: outcome.request)
      let (rest, restTiming) = resumed(part, of: interaction, for: outcome.request)
      answer(rest, to: outcome.request)
      pieces = restTiming.map { Pieces($0, pace) } ?? pieces
    case .cut(let response, let failure):
      let (rest, restTiming) = resumed(response, of: interaction, for: outcome.request)
      answer(rest, to: outcome.request)
      pieces = restTiming.map { Pieces($0, pace) } ?? pieces
      head = rest.head
      recordedCut = Cut(
        offset: body.count,
        ending: ending(failure.symptom),
        isMalformed: failure.symptom == .malformedResponse
      )
    case .failure(let failure):
      fail(failure.symptom)
      pieces = timing.map { Pieces(failure: $0, pace) } ?? pieces
      obstacle = "the recording is of a failure"
    }
  }

  /// Returns what follows the last event that a client has seen; what was recorded of a client that
  /// had seen the same is that already.
  private func resumed(
    _ response: Response,
    of interaction: Interaction,
    for request: Request
  ) -> (response: Response, timing: Timing?) {
    let isSame = request.headers["Last-Event-ID"] == interaction.request.headers["Last-Event-ID"]
    return isSame
      ? (response, interaction.timing)
      : response.resumed(for: request, interaction.timing, isWhole: interaction.failure == nil)
  }

  private mutating func answer(_ response: Response, to request: Request) {
    head = response.head
    isContentless = Response.hasNoContent(method: request.method, status: response.status)
    if isContentless {
      body = Data()
      return
    }
    body = response.body.data
    // What is played is whole, so a length that was written must be the body's.
    let length = String(body.count)
    let written = response.headers.count { $0.isNamed("Content-Length") }
    if written > 1 || written == 1 && response.headers["Content-Length"] != length {
      head?.headers["Content-Length"] = length
    }
  }

  /// Returns how a connection ends so that a client sees a symptom. A client that left once is kept
  /// waiting until it leaves again.
  private func ending(_ symptom: Symptom) -> Delivery.Step {
    switch (stage, symptom) {
    case (_, .cancelled): .stall
    case (.inProcess, _): .fail(symptom)
    case (.onTheWire, .connectionLost): .reset
    case (.onTheWire, .timedOut): .stall
    case (.onTheWire, _): .close
    }
  }

  private mutating func fail(_ symptom: Symptom) {
    switch (stage, symptom) {
    case (.inProcess, _), (.onTheWire, .connectionLost), (.onTheWire, .timedOut),
      (.onTheWire, .emptyAnswer), (.onTheWire, .malformedResponse), (.onTheWire, .cancelled):
      recordedCut = Cut(
        offset: nil,
        ending: ending(symptom),
        isMalformed: symptom == .malformedResponse
      )
    case (.onTheWire, _):
      refuse("The recorded failure \(symptom.rawValue) happens before there is a request")
    }
  }

  /// Says why a recording cannot be replayed on a connection.
  private mutating func refuse(_ reason: String) {
    stand(.notice(502, reason + "; a server cannot replay it on a connection it has.\n"))
  }

  /// Puts an answer where there is none.
  private mutating func stand(_ notice: Response) { (head, body) = (notice.head, notice.body.data) }

  // MARK: What goes wrong

  mutating func add(_ fault: Fault, to request: Request) {
    switch fault {
    case .delay(let spread): before.append(.wait(spread.least))
    case .status(let status, let retryAfter):
      replace(by: .injected(status, retryAfter: retryAfter?.values(now: now) ?? []), request)
    case .answer(let replacement): replace(by: replacement.response(to: request), request)
    case .cut(let point, let effect): cut(at: point, then: effect, fault)
    case .connection(let fault):
      switch fault.symptom {
      case nil: before.append(.wait(fault.delay))
      case .timedOut?: end(at: .afterRequest, .stall)
      case let symptom?: end(at: .afterRequest, stage == .inProcess ? .fail(symptom) : .reset)
      }
    case .conversation(let inner):
      // Without a wire there is none that it could be.
      if stage == .inProcess, !isLive { isConversation = true }
      guard isConversation else { return misfit(fault, "the answer is no WebSocket") }
      guard stops.end == nil else { return misfit(fault, Self.unanswered) }
      conversationFaults.append(inner)
    case .dribble, .throttle, .idle, .malformed:
      if isConversation { return misfit(fault, conversing) }
      change(by: fault)
    case .alter(let edit):
      attempt(fault) { script throws(Mutation.Misfit) in try script.edit(edit, request) }
    case .mutate(let mutation):
      attempt(fault) { script throws(Mutation.Misfit) in try script.mutate(mutation, request) }
    }
  }

  /// Changes the form in which a body comes.
  private mutating func change(by fault: Fault) {
    switch fault {
    case .dribble(let bytes, let interval):
      noteLive(fault)
      dribble = (bytes, interval)
    case .throttle(let rate):
      noteLive(fault)
      let rate = min(max(Fault.rates.lowerBound, rate), Fault.rates.upperBound)
      // Twenty pieces a second, where so many make a byte each.
      let bytes = max(1, rate / 20)
      dribble = (bytes, .nanoseconds(Int64(bytes) * 1_000_000_000 / Int64(rate)))
    case .idle(let end): idleEnd = end
    case .malformed(let malformation):
      attempt(fault) { script throws(Mutation.Misfit) in try script.malform(malformation) }
    case .delay, .status, .answer, .cut, .connection, .alter, .mutate, .conversation: break
    }
  }

  /// Puts the way up into a wait; the way down is the shaper's.
  mutating func travel(_ path: LinkPath, _ outcome: Outcome) {
    let travel = path.travel(
      requestBytes: outcome.requestBytes,
      isSecure: outcome.request.url.scheme == "https"
    )
    guard let travel else { return end(at: .afterRequest, .stall) }
    before.insert(.wait(travel), at: 0)
  }

  /// The reason why a live answer cannot be changed.
  private static let passes = "a live answer passes as it comes"

  /// The reason why what a conversation says cannot be changed as a body can.
  private var conversing: String {
    // Nobody knows what a live origin answers.
    isLive
      ? "a WebSocket is asked for, which has no body"
      : "the answer is a WebSocket, which has no body"
  }

  /// The reason why nothing goes wrong in a conversation that does not begin.
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

  private mutating func replace(by response: Response, _ request: Request) {
    leaveConversation("another answer refuses the handshake")
    answer(response, to: request)
    (isLive, isConversation, obstacle, recordedCut, pieces) = (false, false, nil, nil, Pieces())
  }

  private mutating func cut(at point: Fault.Point, then effect: Fault.Effect, _ fault: Fault) {
    if isConversation, point != .afterRequest { return misfit(fault, conversing) }
    var point = point
    if case .event(let count) = point {
      switch place(ofEvent: count) {
      case .success(let offset): point = .body(offset)
      case .failure(let reason): return misfit(fault, reason.reason)
      }
    }
    switch effect {
    case .reset: end(at: point, .reset, for: fault)
    case .close: end(at: point, .close, for: fault)
    // Who has no socket cannot tell one end from the other.
    case .halfClose: end(at: point, stage == .inProcess ? .close : .closeWrite, for: fault)
    case .stall(nil): end(at: point, .stall, for: fault)
    case .stall(let length?):
      noteLive(fault)
      stops.add(.wait(length), at: point, for: fault)
    }
  }

  /// Leaves out the cuts and pauses behind the end of the response: a client that gets all of it
  /// meets no fault.
  mutating func leaveOutMissedCuts() {
    guard !stops.isEmpty, head != nil, !isLive, endlessBytes == nil else { return }
    let (hasNoBody, count) = (isContentless, body.count)
    let whole = stops.countBytes ? message().bytes.count : 0
    let missed = stops.removeFaults { point in
      switch point {
      case .afterRequest, .inStatusLine, .inHeaders: return nil
      case .byte(let place):
        let isMissed = place > whole || hasNoBody && place == whole
        return isMissed ? "the response has \(whole) bytes" : nil
      case .body(let place), .inChunk(let place?):
        if hasNoBody { return "the response has no body" }
        return place > count ? "the body has \(count) bytes" : nil
      case .inChunk(nil), .event: return hasNoBody ? "the response has no body" : nil
      }
    }
    for (fault, reason) in missed { misfit(fault, reason) }
  }

  /// Returns the bytes of the body up to the end of so many of its events.
  private func place(ofEvent count: Int) -> Result<Int, Mutation.Misfit> {
    if isLive { return .failure(Mutation.Misfit(Self.passes)) }
    guard let type = head?.headers["Content-Type"],
      let format = EventStream.Format(contentType: type)
    else { return .failure(Mutation.Misfit("the answer streams no events")) }
    guard head?.headers["Content-Encoding"] == nil else {
      return .failure(Mutation.Misfit("the body is in a coding"))
    }
    if count == 0 { return .success(0) }
    let events = EventStream(body, format).events
    guard count <= events.count else {
      return .failure(Mutation.Misfit("the answer has \(events.count) events"))
    }
    return .success(events[count - 1].end)
  }

  /// Names the failures of a conversation that does not begin.
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
    stops.add(.end(ending), at: point, for: fault)
  }

  private mutating func mutate(_ mutation: Mutation, _ request: Request) throws(Mutation.Misfit) {
    if let obstacle { throw Mutation.Misfit(obstacle) }
    guard let head else { throw Mutation.Misfit("there is no answer") }
    let (old, wasContentless) = (body, isContentless)
    let announced = head.headers["Content-Length"].flatMap { Int($0) }
    let mutated = try mutation.applied(to: Response(head, Body(old)), hasContent: !wasContentless)
    answer(mutated, to: request)
    // A recording that was cut announces more than it has, and does so still, by what the body
    // grew.
    if recordedCut?.offset != nil, !wasContentless, !isContentless, let announced, announced >= 0 {
      let rest = max(0, announced - old.count)
      self.head?.headers["Content-Length"] = String(body.count.adding(bytes: rest))
    }
    // A body that only ends earlier is still the origin's, piece by piece.
    if body != old.prefix(body.count) { pieces.join() }
    if recordedCut?.offset != nil { recordedCut?.offset = body.count }
  }

  private mutating func edit(_ edit: ResponseEdit, _ request: Request) throws(Mutation.Misfit) {
    if let obstacle { throw Mutation.Misfit(obstacle) }
    guard let head else { throw Mutation.Misfit("there is no answer") }
    switch edit {
    case .contentType(let type): self.head?.headers["Content-Type"] = type
    case .contentEncoding(let coding):
      let name = coding == .unknown ? "x-unknown" : coding.rawValue
      guard !isContentless, !body.isEmpty else { throw Mutation.Misfit("the answer has no body") }
      guard head.headers["Content-Encoding"] == nil else {
        throw Mutation.Misfit("the body is in a coding already")
      }
      self.head?.headers["Content-Encoding"] = name
    case .stale(let seconds): self.head?.headers["Age"] = String(seconds)
    case .version(let number):
      versionsLeft -= 1
      if versionsLeft == 0 { try becomeVersion(number, for: request) }
    case .moreFields(let count):
      for number in 1...max(1, count) { self.head?.headers.append("X-Filler-\(number)", "filler") }
    case .lowercaseFieldNames:
      var fields = head.headers.map { HeaderField($0.name.lowercased(), $0.value) }
      // The field that a server adds by itself would have its own spelling.
      if !isContentless, !isLive, head.headers["Content-Length"] == nil,
        head.headers["Transfer-Encoding"] == nil
      {
        fields.append(HeaderField("content-length", String(body.count)))
      }
      self.head?.headers = HeaderFields(fields)
    case .longField(let count):
      if stage == .inProcess, count > ResponseEdit.clientFieldBytesMax {
        stops.add(.end(.fail(.malformedResponse)), at: .afterRequest)
      } else {
        // Ten times as fast as a string of so many characters.
        let filler = [UInt8](repeating: UInt8(ascii: "f"), count: count)
        self.head?.headers.append("X-Filler", String(decoding: filler, as: UTF8.self))
      }
    case .interimResponses(let count): interimResponses += count
    case .body, .endlessBody, .gzipBomb, .bodyOf: try editBody(edit, of: head, for: request)
    }
  }

  private mutating func editBody(
    _ edit: ResponseEdit,
    of head: ResponseHead,
    for request: Request
  ) throws(Mutation.Misfit) {
    try giveRoom()
    switch edit {
    case .body(let content):
      let (changed, edits) = try content.applied(to: body, of: head)
      answer(Response(head, Body(changed)), to: request)
      if let edits { return pieces.follow(edits) }
    case .gzipBomb(let count):
      guard head.headers["Content-Encoding"] == nil else {
        throw Mutation.Misfit("the body is in a coding already")
      }
      // In process the platform opens it, and has not said so yet.
      let isNamed = request.headers["Accept-Encoding"] != nil
      guard stage == .inProcess || isNamed && request.headers.accepts(coding: "gzip") else {
        throw Mutation.Misfit("the client takes no gzip")
      }
      var packed = head
      packed.headers["Content-Encoding"] = "gzip"
      answer(Response(packed, Body(GzipBomb(opensTo: bounded(count)).data)), to: request)
    case .bodyOf(let number):
      let other = try bodySource(number, for: request)
      var changed = head
      for name in ["Content-Type", "Content-Encoding"] {
        changed.headers[name] = other.headers[name]
      }
      answer(Response(changed, other.body), to: request)
    case .endlessBody(let count):
      guard malformation == nil else { throw Mutation.Misfit("the answer is malformed") }
      self.head?.headers.remove("Content-Length")
      self.head?.headers["Transfer-Encoding"] = "chunked"
      endlessBytes = bounded(count)
      return
    case .contentType, .contentEncoding, .stale, .version, .moreFields, .lowercaseFieldNames,
      .longField, .interimResponses:
      return
    }
    pieces.join()
  }

  /// Returns the response of another recording, without a content coding that can be decoded.
  private func bodySource(_ number: Int, for request: Request) throws(Mutation.Misfit) -> Response {
    guard let source = bodySources[number] else {
      throw Mutation.Misfit("the cassette has no recording \(number)")
    }
    let fitted = FittedResponse(source, to: request, isVersioned: true).interaction
    guard case .response(let other) = fitted.result, !other.body.data.isEmpty else {
      throw Mutation.Misfit("recording \(number) has no whole body")
    }
    guard other.body.data != body else {
      throw Mutation.Misfit("the body is that of recording \(number) already")
    }
    return other
  }

  private mutating func becomeVersion(_ number: Int, for request: Request) throws(Mutation.Misfit) {
    guard recordedCut == nil else { throw Mutation.Misfit("the recording is of a cut answer") }
    guard let head, head.status == 200 else { throw Mutation.Misfit("the answer is no 200") }
    guard head.headers["Content-Encoding"] == nil else {
      throw Mutation.Misfit("the body is in a coding")
    }
    let old = body
    let whole = Response(head, Body(old)).version(number)
    guard number == 1 || isContentless || whole.body.data != old else {
      throw Mutation.Misfit("the body has no letter and no digit")
    }
    answer(whole.part(for: request), to: request)
    if body != old { pieces.join() }
  }

  /// Tells in an error where there is no body that another could take the place of.
  private func giveRoom() throws(Mutation.Misfit) {
    guard recordedCut == nil else { throw Mutation.Misfit("the recording is of a cut answer") }
    guard !isContentless else { throw Mutation.Misfit("the answer has no body") }
  }

  private func bounded(_ count: Int) -> Int {
    stage == .inProcess ? min(count, ResponseEdit.inProcessBodyBytesMax) : count
  }

  private mutating func malform(_ malformation: Malformation) throws(Mutation.Misfit) {
    guard self.malformation == nil else {
      throw Mutation.Misfit("the answer is malformed in another way")
    }
    guard endlessBytes == nil else { throw Mutation.Misfit("the answer has no end") }
    guard recordedCut == nil else { throw Mutation.Misfit("the recording is of a failure") }
    if head == nil {
      stand(.stopgap)
      isLive = false
    }
    guard !malformation.needsContent || !isContentless && !body.isEmpty else {
      throw Mutation.Misfit("the answer has no body")
    }
    self.malformation = malformation
  }
}

// MARK: In which form

extension Script {
  /// The form in which an answer goes out.
  private enum Form {
    case good
    /// As bytes that no framing in good form gives.
    case raw(WireMessage)
  }

  /// Lays down in which form the answer goes out. Where the stage has no bytes of its own to send,
  /// what a client would see of them takes their place.
  private mutating func settle() -> Form {
    guard !isLive else { return .good }
    // A recorded failure comes before any byte.
    if recordedCut != nil, recordedCut?.offset == nil { stops.removeUnplain() }
    if let dribble { pieces.dribble(dribble.bytes, every: dribble.interval, of: body.count) }
    guard malformation != nil || breaksOffMalformed || !stops.arePlain else {
      settlePauses()
      return .good
    }
    if head == nil { stand(.stopgap) }
    let message = message()
    guard stage == .inProcess, malformation != .chunkedTrailers,
      !stops.endInHeaders(of: message, ofBody: body.count)
    else { return .raw(message) }
    stops.makePlain(in: message, ofBody: body.count)
    if let malformation { seem(malformation) }
    settlePauses()
    return .good
  }

  /// Waits within the body are its pieces'.
  private mutating func settlePauses() {
    let pauses = stops.waits(before: firstCut.0).compactMap { wait in
      wait.offset.map { Pieces.Break(offset: $0, wait: wait.length) }
    }
    if !pauses.isEmpty { pieces.add(pauses) }
  }

  /// The end of the answer before its end, if there is one, and whether it is the recorded one. The
  /// first on the way is the one that happens.
  private var firstCut: (Cut?, isRecorded: Bool) {
    let cut = stops.end.map { Cut(offset: $0.offset, ending: $0.ending) }
    guard let recordedCut, let cut else { return (cut ?? recordedCut, cut == nil) }
    let isRecorded = (recordedCut.offset ?? -1) <= (cut.offset ?? -1)
    return (isRecorded ? recordedCut : cut, isRecorded)
  }

  /// Tells whether the recorded answer broke off, on a wire, in what was no HTTP.
  private var breaksOffMalformed: Bool {
    stage == .onTheWire && !isContentless && recordedCut?.isMalformed == true
      && recordedCut?.offset != nil
  }

  /// Lets the answer be what a client makes of a malformed one.
  private mutating func seem(_ malformation: Malformation) {
    let half = body.count / 2
    switch malformation.appearance {
    case .whole: break
    case .failure(let symptom): stops.add(.end(.fail(symptom)), at: .afterRequest)
    case .failureBehindBody(let symptom): stops.add(.end(.fail(symptom)), at: .body(body.count))
    case .failureBehindHalf(let symptom): stops.add(.end(.fail(symptom)), at: .body(half))
    case .half(let isAnnounced):
      body = body.prefix(half)
      head?.headers.remove("Transfer-Encoding")
      head?.headers["Content-Length"] = isAnnounced ? String(half) : nil
    case .contentless(let status):
      head?.status = status
      body = Data()
    }
  }

  // MARK: As steps

  /// Writes an answer in good form, whole or to where it breaks off, and answers how it ends.
  private func write(to steps: inout [Delivery.Step]) -> Delivery.Step {
    let (cut, isRecorded) = firstCut
    let hasStart = cut?.offset != nil || isRecorded
    let waits = stops.waits(before: cut)
    steps += waits.filter { $0.offset == nil }.map { .wait($0.length) }
    if hasStart, pieces.firstWait > .zero { steps.append(.wait(pieces.firstWait)) }
    if let head = announcing(cut), cut == nil || cut?.offset != nil {
      steps += interims.map { .head($0) }
      steps.append(.head(head))
      let sent = cut?.offset.map { self.body.prefix($0) } ?? body
      steps += pieces.steps(sent)
      if cut == nil, let endlessBytes { steps += Self.filler(endlessBytes - sent.count) }
      if isRecorded, pieces.lastWait > .zero { steps.append(.wait(pieces.lastWait)) }
      steps += waits.filter { ($0.offset ?? -1) >= sent.count }.map { .wait($0.length) }
    }
    if isRecorded, let cut, cut.isMalformed, cut.offset == nil, stage == .onTheWire {
      steps.append(.bytes(.data(Data(WireMessage.garbage))))
    }
    let ending = cut?.ending ?? goodEnding
    steps.append(ending)
    return ending
  }

  /// The end of an answer that nothing cuts.
  private var goodEnding: Delivery.Step {
    if endlessBytes != nil { return stage == .inProcess ? .fail(.truncated) : .close }
    return head == nil ? .close : .finish
  }

  /// White space of so many bytes, in steps that share the bytes of one piece.
  private static func filler(_ count: Int) -> [Delivery.Step] {
    guard count > 0 else { return [] }
    let piece = Data(repeating: UInt8(ascii: " "), count: min(count, ResponseEdit.pieceBytes))
    let (whole, rest) = count.quotientAndRemainder(dividingBy: piece.count)
    let steps = Array(repeating: Delivery.Step.bytes(.data(piece)), count: whole)
    return rest > 0 ? steps + [.bytes(.data(piece.prefix(rest)))] : steps
  }

  /// Returns the head, which announces more than is sent before a cut: an end where no more was
  /// announced would be a good one.
  private func announcing(_ cut: Cut?) -> ResponseHead? {
    guard var head, !isContentless else { return head }
    let isOpen = head.headers["Content-Length"] == nil
    guard let offset = cut?.offset else {
      // On the tape of a client that hides the framing a stream does not say that it was one.
      if stage == .onTheWire, pieces.isStream, isOpen, head.headers["Transfer-Encoding"] == nil {
        head.headers.append("Transfer-Encoding", "chunked")
      }
      return head
    }
    if stage == .onTheWire, pieces.isStream, isOpen {
      // Its chunks have an end of their own, which does not come (RFC 9112 §8).
      head.headers["Transfer-Encoding"] = "chunked"
      return head
    }
    let announced = head.headers["Content-Length"].flatMap { Int($0) }
    let least = max(body.count, min(offset, body.count) + 1)
    if let announced, announced >= least { return head }
    head.headers.remove("Transfer-Encoding")
    head.headers["Content-Length"] = String(least)
    return head
  }

  /// Returns the answer as bytes.
  private func message() -> WireMessage {
    let head = head ?? ResponseHead()
    if let malformation { return WireMessage(head, body, wrongAs: malformation) }
    if breaksOffMalformed { return WireMessage(head, brokenBehind: body) }
    if let chunk = stops.chunkBytes(ofBody: body.count), !isContentless {
      let announced = max(body.count, chunk + 1)
      return WireMessage(head, body, .chunk(announced), isContentless: false)
    }
    let written = head.headers["Content-Length"].flatMap { Int($0) }
    if isContentless { return WireMessage(head, body, .length(written), isContentless: true) }
    let announced = recordedCut == nil ? body.count : max(written ?? 0, body.count + 1)
    let message = WireMessage(head, body, .length(announced), isContentless: false)
    // An end where no more was announced would be a good one.
    guard recordedCut == nil, stops.end(behind: message, ofBody: body.count) else { return message }
    return WireMessage(head, body, .length(body.count + 1), isContentless: false)
  }

  /// Writes an answer as bytes, whole or to where it breaks off, and answers how it ends.
  private func write(_ message: WireMessage, to steps: inout [Delivery.Step]) -> Delivery.Step {
    var marks: [(offset: Int, act: Stops.Act)] = pieces.breaks.map { pause in
      (message.offset(of: .body(pause.offset)), .wait(pause.wait))
    }
    if let recordedCut, let offset = recordedCut.offset {
      marks.append((message.offset(of: .body(offset)), .end(recordedCut.ending)))
    }
    marks += stops.marks(in: message, ofBody: body.count)
    if pieces.firstWait > .zero { steps.append(.wait(pieces.firstWait)) }
    let interims = interims.reduce(into: [UInt8]()) { $0.appendHead($1) }
    var start = 0
    func send(to end: Int) {
      guard end > start else { return }
      var bytes = Array(message.bytes[start..<end])
      if start == 0 { bytes = interims + bytes }
      steps.append(.bytes(.data(Data(bytes))))
      start = end
    }
    for mark in marks.stablySorted(by: { $0.offset < $1.offset }) {
      send(to: mark.offset)
      switch mark.act {
      case .wait(let length): steps.append(.wait(length))
      case .end(let ending):
        steps.append(ending)
        return ending
      }
    }
    send(to: message.bytes.count)
    steps.append(malformation == .resetWithoutLength ? .reset : .close)
    return malformation == .resetWithoutLength ? .reset : .close
  }
}
