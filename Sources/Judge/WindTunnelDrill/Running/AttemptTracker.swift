internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelSymptoms

/// Makes attempts of the events of a deck, and sends each: before anything of it can happen, and
/// again when it is over.
final class AttemptTracker: Sendable {
  /// The facts that were seen of one call.
  struct Seen: Sendable {
    var count = 0
    /// Tells whether the server answered something else on purpose, and in good form.
    var hasMutation = false
    /// The facts of it by which requests of an app's start are known.
    var start = StartRequests.Seen()
    /// The first request that is not on the cassette, with the nearest one that is.
    var notOnCassette: String?
    /// The first requests that came, whose secrets its client may print again.
    var requests: [Request] = []
    /// The host that its first request came to.
    var host: String?
    /// Tells whether its first request came by TLS.
    var isSecure: Bool?
    /// The numbers of the values that its own requests are compared by, from 0, which are the same
    /// whatever other calls are in the air.
    var numbers = CallNumbers()
    /// The number of values in it that are compared with those of other calls.
    var marks = 0
    /// The versions of bodies that its requests were answered with, in order.
    var versions: [AnsweredVersion] = []
    /// The cut in which its last answer ended, where that was a stream of events.
    var cut: CutStream?
    /// Tells whether its last answer was a stream that ended with an event of an error.
    var endsInErrorEvent = false
    /// The time of the first sign of the client: a question for a name, a connection or a request.
    var firstSign: Duration?
  }

  private struct State: Sendable {
    var calls: [Int: Seen] = [:]
    /// The number of attempts of each call that has ended: what its client sends later goes on from
    /// there, or it would be told as the call's first attempt once more.
    var taken: [Int: Int] = [:]
    /// By the number of the decision.
    var open: [Int: Open] = [:]
    /// The conversations that have not ended, by the number of the decision.
    var conversing: [Int: (call: Int, place: Int)] = [:]
    /// The times, by call, at which names were asked for and answered that no attempt has used yet.
    var lookingUp: [Int: (asked: Duration, answered: Duration)] = [:]
    /// The times, by call, at which connections began to open that come about late.
    var connecting: [Int: Duration] = [:]
    /// The calls whose last connection showed a certificate that does not hold.
    var underBadCertificate: Set<Int> = []
    /// Those who wait, by call, for the first sign of its client.
    var awaited: [Int: @Sendable (Duration) -> Void] = [:]
    /// The maximum number of attempts of a call, and the action at the next one.
    var bounds: [Int: (attempts: Int, end: @Sendable () -> Void)] = [:]
    /// The last requests for what is not on the cassette that came by no call's address, the oldest
    /// first.
    var strays: [(at: Duration, words: String)] = []
    /// The numbers of what requests brought.
    var numbers = ValueNumbers()
    /// The names of the recorded queries of each path, once one is asked for.
    var recordedQueries: [String: Set<String>]?

    /// Returns the call that a decision was made for, and the attempt's place in it.
    func attempt(of id: Int) -> (call: Int, place: Int)? {
      open[id].map { ($0.call, $0.place) } ?? conversing[id]
    }

    /// Counts an attempt.
    ///
    /// - Returns: Its place in its call, and whether an earlier answer was made up on purpose.
    mutating func count(of call: Int, isMutated: Bool) -> (place: Int, isLedAstray: Bool) {
      guard let index = calls.index(forKey: call) else {
        let count = taken[call, default: 0]
        taken[call] = count + 1
        return (count, false)
      }
      let (place, isLedAstray) = (calls.values[index].count, calls.values[index].hasMutation)
      calls.values[index].count += 1
      if isMutated { calls.values[index].hasMutation = true }
      return (place, isLedAstray)
    }

    /// Tells whether an attempt belongs to an app's start, and notes it.
    mutating func isOfStart(
      _ key: String?,
      of call: Int,
      answered status: Int?,
      by requests: StartRequests
    ) -> Bool {
      var late = StartRequests.Seen()
      guard let index = calls.index(forKey: call) else {
        return requests.take(key, of: call, answered: status, &late)
      }
      return requests.take(key, of: call, answered: status, &calls.values[index].start)
    }

    /// Notes a sign of a call's client, and returns who waits for the first.
    mutating func noteSign(of call: Int, at moment: Duration) -> (@Sendable () -> Void)? {
      if let index = calls.index(forKey: call) {
        if calls.values[index].firstSign == nil { calls.values[index].firstSign = moment }
      } else if taken[call] == nil {
        calls[call] = Seen(firstSign: moment)
      }
      guard !awaited.isEmpty, let tell = awaited.removeValue(forKey: call) else { return nil }
      return { tell(moment) }
    }

    /// Notes whether a call's connection shows a certificate that does not hold.
    mutating func note(isBadCertificate: Bool, of call: Int) {
      if isBadCertificate {
        underBadCertificate.insert(call)
      } else if !underBadCertificate.isEmpty {
        underBadCertificate.remove(call)
      }
    }
  }

  /// The number of stray requests that are kept: enough to find one that came while a call was in
  /// flight.
  private static let straysMax = 256

  /// The limits of what is kept of a call's requests.
  private static let requestsMax = 4
  private static let versionsMax = 8
  private static let requestBytesMax = 64 << 10

  /// An attempt that is not over: which it is of which call, and how far it has come.
  private struct Open: Sendable {
    var call: Int
    var place: Int
    /// Tells whether it belongs to an app's start.
    var isOfStart: Bool
    /// Tells whether an earlier answer was made up on purpose: nobody has recorded what follows it.
    var isLedAstray: Bool
    var requestEnd: Duration?
    var firstByte: Duration?
    var stages: ExchangeStages
    /// The date in `Retry-After`, as an offset.
    var retryNotBefore: Duration?
    /// The status, where the request asks for a part and may get it.
    var status: Int?
  }

  private let cassette: Cassette
  /// The places of the streams of events.
  private let streams: Set<Int>
  /// The rule by which requests belong to an app's start, and are no attempts at what their call
  /// asks for.
  private let startRequests: StartRequests
  private let stage: Stage
  private let epoch: DispatchTime
  private let send: @Sendable (WorkerMessage) -> Void
  private let state = Locked(State())
  private let recordings = Locked(KnownRecordings())
  /// The attempts without their decisions, by what they were dealt.
  private let dealt: Distinct<Dealt, Observation.Attempt>

  /// A response and the faults that are done to it.
  private struct Dealt: Sendable, Hashable {
    var take: Journal.Take
    var faults: [Fault]
  }

  init(
    _ cassette: Cassette,
    streams: Set<Int> = [],
    starts startRequests: StartRequests = .none,
    on stage: Stage,
    epoch: DispatchTime,
    _ send: @escaping @Sendable (WorkerMessage) -> Void
  ) {
    (self.cassette, self.streams, self.startRequests) = (cassette, streams, startRequests)
    (self.stage, self.epoch, self.send) = (stage, epoch, send)
    dealt = Distinct {
      Observation.Attempt($0.take, $0.faults, over: Self.interaction($0.take, cassette))
    }
  }

  /// Takes an event of the deck's.
  func observe(_ event: ExchangeEvent) {
    switch event {
    case .decided(let entry): decided(entry)
    case .undone(let outcome, let faults):
      let attempt = state.withLock { $0.attempt(of: outcome.id) }
      guard let (call, place) = attempt else { return }
      send(
        .undone(
          call: call,
          place: place,
          faults.map(Observation.Attempt.Undone.init),
          isWhole: AnswerSummary.isWhole(outcome)
        )
      )
    case .requestEnd(let outcome, let handshake, let upload):
      requestEnded(outcome, handshake, upload)
    case .firstByte(let outcome):
      let now = epoch.elapsed
      state.withLock { state in
        guard let open = state.open.index(forKey: outcome.id) else { return }
        // What was said before it, such as an interim answer, was the first.
        if state.open.values[open].firstByte == nil { state.open.values[open].firstByte = now }
      }
    case .ended(let outcome, let end): ended(outcome, end)
    case .conversed(let outcome, let log): conversed(outcome, log)
    case .left, .passed, .said, .notAsked, .strayed, .tunnelEnded: break
    }
  }

  private func decided(_ entry: Journal.Entry) {
    guard let call = entry.decision.lane.call else { return }
    let now = epoch.elapsed
    // Attempts to connect that were lost had come before.
    let lost = entry.decision.faults.reduce(Duration.zero) { sum, fault in
      if case .connection(let fault) = fault { sum + fault.delay } else { sum }
    }
    let sign = max(.zero, now - lost)
    // A connection that goes on is no attempt; its request will be.
    if entry.take == .connection, !entry.decision.failsConnection {
      let isBad = entry.decision.showsBadCertificate
      // In process it opens here and now; on the wire it has.
      let isLate = stage == .inProcess && !entry.decision.faults.isEmpty
      let tell = state.withLock { state in
        state.note(isBadCertificate: isBad, of: call)
        if isLate { state.connecting[call] = now }
        return state.noteSign(of: call, at: sign)
      }
      tell?()
      return
    }
    let isConnection = entry.take == .connection
    let isBad = isConnection && entry.decision.showsBadCertificate
    let key = isConnection ? nil : entry.decision.key
    let misleads = entry.decision.faults.mislead
    var attempt = attempt(entry, at: now)
    let status = attempt.status
    let tell = state.withLock { state -> (@Sendable () -> Void)? in
      let tell = state.noteSign(of: call, at: sign)
      if isConnection { state.note(isBadCertificate: isBad, of: call) }
      let isOfStart = state.isOfStart(key, of: call, answered: status, by: startRequests)
      attempt.isOfStart = isOfStart
      let (place, isLedAstray) = state.count(of: call, isMutated: misleads && !isOfStart)
      let begun = state.connecting.isEmpty ? nil : state.connecting.removeValue(forKey: call)
      let lookUp = state.lookingUp.isEmpty ? nil : state.lookingUp.removeValue(forKey: call)
      guard !isConnection else { return tell }
      var stages = ExchangeStages()
      stages.dns = lookUp.map { $0.answered - $0.asked }
      if let begun { stages.connect = now - begun }
      state.open[entry.id] = Open(
        call: call,
        place: place,
        isOfStart: isOfStart,
        isLedAstray: isLedAstray,
        stages: stages
      )
      let bad = state.underBadCertificate
      attempt.isUnderBadCertificate = !bad.isEmpty && bad.contains(call)
      return tell
    }
    tell?()
    if !streams.isEmpty, !isConnection { note(attempt, entry, of: call) }
    send(.attempt(call: call, attempt))
    if stage == .onTheWire { endIfTooMany(call) }
  }

  /// Ends a call after its maximum number of attempts.
  private func endIfTooMany(_ call: Int) {
    let end = state.withLock { state -> (@Sendable () -> Void)? in
      guard let bound = state.bounds[call], let count = state.calls[call]?.count,
        count > bound.attempts
      else { return nil }
      state.bounds[call] = nil
      return bound.end
    }
    end?()
  }

  /// Notes whether an answer is a stream of events that is cut, or ends with one of an error.
  private func note(_ attempt: Observation.Attempt, _ entry: Journal.Entry, of call: Int) {
    var (cut, hasError) = (CutStream?.none, false)
    if case .recording(let place) = entry.take.dealt, streams.contains(place) {
      if attempt.error != nil {
        cut = attempt.bytes.map { CutStream(interaction: place, bytes: $0) }
      } else {
        hasError =
          entry.decision.faults.contains(.alter(.body(.errorEvent)))
          && 200..<300 ~= attempt.status ?? 0
      }
    }
    state.withLock { state in
      state.calls[call]?.cut = cut
      state.calls[call]?.endsInErrorEvent = hasError
    }
  }

  /// A call's name is asked for, and answered after so long; for addresses of both kinds at once.
  func askedForName(of call: Int, until delay: Duration) {
    let now = epoch.elapsed
    let tell = state.withLock { state in
      let before = state.lookingUp[call]
      state.lookingUp[call] = (
        before?.asked ?? now, max(before?.answered ?? .zero, now + delay.inWholeMicroseconds)
      )
      return state.noteSign(of: call, at: now)
    }
    tell?()
  }

  /// Tells somebody of the first sign of a call's client, once, with the time at which it came.
  func tellFirstSign(of call: Int, _ tell: @escaping @Sendable (Duration) -> Void) {
    state.withLock { $0.awaited[call] = tell }
  }

  /// Sets the maximum number of attempts of a call, and the action at the next one.
  func tell(of call: Int, after attempts: Int, _ end: @escaping @Sendable () -> Void) {
    state.withLock { $0.bounds[call] = (attempts, end) }
  }

  private func requestEnded(_ outcome: Outcome, _ handshake: Duration?, _ upload: Duration?) {
    let now = epoch.elapsed
    // What was recorded and is used up is on the cassette, whose author wants it to end there.
    if case .unmatched(let mismatch) = outcome.source, mismatch.played == 0 {
      miss(outcome, mismatch, at: now)
    }
    let date = retryDate(of: outcome)
    let asksForPart = outcome.request.headers["Range"] != nil
    let status = asksForPart ? AnswerSummary.status(of: outcome) : nil
    let brought = Brought(outcome, recordings.withLock { $0.values(of: outcome) }, on: stage)
    let told = state.withLock { state -> WorkerMessage? in
      guard let place = state.open.index(forKey: outcome.id) else { return nil }
      state.open.values[place].requestEnd = now
      state.open.values[place].retryNotBefore = date
      state.open.values[place].status = status
      state.open.values[place].stages.tls = handshake?.inWholeMicroseconds
      state.open.values[place].stages.upload = upload?.inWholeMicroseconds
      let (call, attempt) = (state.open.values[place].call, state.open.values[place].place)
      // Nobody compares what is sent behind the end of its call, and its numbers are gone.
      guard let index = state.calls.index(forKey: call) else { return nil }
      // Out of its place, so that nothing of it is copied.
      var seen = Seen()
      swap(&seen, &state.calls.values[index])
      defer { swap(&seen, &state.calls.values[index]) }
      if outcome.request.body.count <= Self.requestBytesMax,
        seen.requests.count < Self.requestsMax
      {
        seen.requests.append(outcome.request)
      }
      let isOfStart = state.open.values[place].isOfStart
      let sent = sent(outcome, brought, by: call, isOfStart: isOfStart, &seen, &state)
      return sent == Observation.Sent() ? nil : .sent(call: call, place: attempt, sent)
    }
    if let told { send(told) }
  }

  /// The things that a request brought, worked out in front of the lock.
  private struct Brought: Sendable {
    var values: SentValues
    var host: String?
    var resumesAt: Int?

    init(_ outcome: Outcome, _ values: SentValues, on stage: Stage) {
      self.values = values
      host = SentValues.host(of: outcome, on: stage)
      resumesAt = outcome.request.resumesAt
    }
  }

  /// Returns what a request brought that rules compare.
  private func sent(
    _ outcome: Outcome,
    _ brought: Brought,
    by call: Int,
    isOfStart: Bool,
    _ seen: inout Seen,
    _ state: inout State
  ) -> Observation.Sent {
    let (values, host, resumesAt) = (brought.values, brought.host, brought.resumesAt)
    var sent = Observation.Sent()
    sent.content = values.content.map { seen.numbers.number(of: $0) }
    sent.credentials = values.credentials.map { seen.numbers.number(of: $0) }
    sent.apiKeys = values.apiKeys.map { seen.numbers.number(of: $0) }
    sent.key = values.key.map { seen.numbers.number(of: $0) }
    sent.marks = values.marks.map { state.numbers.number(of: $0, in: call, &seen.marks) }
    // A start asks several servers, and which of them comes first says nothing of a call.
    sent.isElsewhere = !isOfStart && seen.host.map { $0 != host } ?? false
    if seen.host == nil, !isOfStart { seen.host = host }
    sent.isSecure = outcome.isSecure
    sent.isConditional = outcome.request.isConditional
    sent.resumesAt = resumesAt
    sent.isResumedConditionally = resumesAt != nil && outcome.request.headers["If-Range"] != nil
    startRequests.note(outcome, isOfStart: isOfStart, in: &seen.start)
    if !isOfStart, let number = outcome.decision.faults.version,
      seen.versions.count < Self.versionsMax
    {
      var version = AnsweredVersion(number: number)
      (version.resumesAt, version.origin) = (resumesAt, outcome.request.url.origin)
      version.isOfFailedProbe = version.origin.map(seen.start.failedProbes.contains) ?? false
      seen.versions.append(version)
    }
    if seen.isSecure == true, !outcome.isSecure {
      let open = SentValues.openCookies(of: cassette)
      sent.credentials = SentValues(of: outcome, besidesCookies: open).credentials
        .map { seen.numbers.number(of: $0) }
    }
    if seen.isSecure == nil { seen.isSecure = outcome.isSecure }
    if outcome.request.url.query != nil {
      let recorded = state.recordedQueries ?? SentValues.queries(of: cassette)
      state.recordedQueries = recorded
      sent.takeParameters(of: outcome.request, recorded: recorded)
    }
    return sent
  }

  private func ended(_ outcome: Outcome, _ end: ExchangeEnd?) {
    let now = epoch.elapsed
    // What was planned is not what was done: the client may have had enough, or all that followed
    // the last event that it had seen.
    let isResumed = outcome.request.headers["Last-Event-ID"] != nil
    let wasNotCut = isResumed || end?.ending == .whole || end?.ending == .clientLeft
    let found = state.withLock { state -> Open? in
      let open = state.open.removeValue(forKey: outcome.id)
      if wasNotCut, let open { state.calls[open.call]?.cut = nil }
      // What follows a handshake is told behind its end.
      if let open, outcome.recording?.isConversation == true {
        state.conversing[outcome.id] = (open.call, open.place)
      }
      return open
    }
    guard let open = found else { return }
    let hasLeft =
      end.map { [ExchangeEnd.Ending.clientLeft, .stopped].contains($0.ending) } ?? false
    let bytesSent = hasLeft ? end?.bytes : nil
    var end = WorkerMessage.AttemptEnd(place: open.place, at: now)
    end.stages = Self.stages(of: open, over: outcome.linkStages, end: now)
    end.retryNotBefore = open.retryNotBefore
    (end.status, end.bytesSent) = (open.status, bytesSent)
    send(.attemptEnded(call: open.call, end))
  }

  private func conversed(_ outcome: Outcome, _ log: ConversationLog) {
    let attempt = state.withLock { state in
      log.ending == nil
        ? state.conversing[outcome.id] : state.conversing.removeValue(forKey: outcome.id)
    }
    guard let (call, place) = attempt else { return }
    send(.conversed(call: call, place: place, log.inWholeMicroseconds))
  }

  /// Returns the date in the `Retry-After` that is sent, as an offset. Of the two clocks the
  /// scenario's is read first, so that a machine which does something else in between makes the
  /// date no later.
  private func retryDate(of outcome: Outcome) -> Duration? {
    let faults = outcome.decision.faults
    let recorded = outcome.recording
    let mayAsk = faults.contains {
      switch $0 {
      case .status(_, retryAfter: nil), .cut, .delay, .connection: false
      default: true
      }
    }
    guard mayAsk || recorded?.response?.headers["Retry-After"] != nil,
      let date = AnswerSummary(faults, over: recorded, now: outcome.second).retryDate
    else { return nil }
    let now = epoch.elapsed
    let ahead = date.inMilliseconds - Date().timeIntervalSince1970 * 1000
    // A date in the past asks for no wait.
    return ahead > 0 ? (now + Duration(milliseconds: ahead)).inWholeMicroseconds : nil
  }

  /// Notes a request that is not on the cassette.
  private func miss(_ outcome: Outcome, _ mismatch: Mismatch, at now: Duration) {
    let asked = "\(outcome.request.method) \(outcome.request.url.withoutSecrets.path)"
    let nearest = mismatch.addedQueryWords.map { " with \($0)" }
    let other = mismatch.nearestWords
    let words = asked + (nearest ?? (other.isEmpty ? "" : ", \(other)"))
    state.withLock { state in
      if let open = state.open[outcome.id] {
        if open.isLedAstray || state.calls[open.call]?.notOnCassette != nil { return }
        state.calls[open.call]?.notOnCassette = words
      } else if outcome.decision.lane.call == nil {
        if state.strays.count == Self.straysMax { state.strays.removeFirst() }
        state.strays.append((now, words))
      }
    }
  }

  /// Adds what was seen to what the link made the attempt wait for in front of its answer.
  private static func stages(
    of open: Open,
    over link: ExchangeStages?,
    end: Duration
  ) -> ExchangeStages {
    var stages = open.stages
    if let link {
      func together(_ one: Duration?, _ other: Duration?) -> Duration? {
        guard let one else { return other }
        return one + (other ?? .zero)
      }
      stages.dns = together(link.dns, stages.dns)
      stages.connect = together(link.connect, stages.connect)
      stages.tls = together(link.tls, stages.tls)
      stages.upload = together(link.upload, stages.upload)
    }
    guard let first = open.firstByte else { return stages }
    if let requestEnd = open.requestEnd {
      stages.firstByte = max(.zero, first - requestEnd - (link?.beforeAnswer ?? .zero))
    }
    stages.body = end - first
    return stages
  }

  /// Returns what was seen of a call that began at `start` and is over, and forgets all of it but
  /// the number of its attempts.
  ///
  /// A call of which nothing came, while what is not on the cassette came by no call's address, is
  /// taken to have asked for that: its client has lost the call's part of the address.
  func take(_ call: Int, since start: Duration) -> Seen {
    state.withLock { state in
      if !state.awaited.isEmpty { state.awaited[call] = nil }
      state.bounds[call] = nil
      var seen = state.calls.removeValue(forKey: call) ?? Seen()
      state.taken[call, default: 0] += seen.count
      if seen.count == 0 { seen.notOnCassette = state.strays.first { $0.at >= start }?.words }
      return seen
    }
  }

  private func attempt(_ entry: Journal.Entry, at now: Duration) -> Observation.Attempt {
    let decision = entry.decision
    if entry.take == .connection {
      var attempt = Observation.Attempt(
        decision: AttemptDecision(decision),
        source: .played(.connection)
      )
      (attempt.start, attempt.end) = (now, now)
      attempt.error = AnswerSummary(connection: decision).symptom?.rawValue
      return attempt
    }
    var attempt = dealt(Dealt(take: entry.take, faults: decision.faults))
    attempt.decision = AttemptDecision(decision)
    attempt.start = now
    attempt.isRepeatable = entry.isRepeatable
    return attempt
  }

  private static func interaction(_ take: Journal.Take, _ cassette: Cassette) -> Interaction? {
    switch take {
    case .recording(let place), .withheld(let place):
      cassette.interactions.indices.contains(place) ? cassette.interactions[place] : nil
    case .computed, .forwarded, .unmatched, .connection: nil
    }
  }
}

extension Observation.Attempt {
  /// Creates an attempt without its decision, from the played response and its faults.
  init(
    _ take: Journal.Take,
    _ faults: [Fault],
    over interaction: Interaction?
  ) {
    self.init(decision: AttemptDecision(line: ""), source: .played(take))
    let answer = AnswerSummary(faults, over: interaction)
    status = answer.status
    bytes = answer.bytes
    error = answer.symptom?.rawValue
    retryAfter = answer.retryAfter
    isStaleOnArrival = interaction?.isStaleOnArrival(with: faults) ?? false
    if faults.isEmpty { cacheTerms = interaction?.cacheTerms }
  }
}

extension Journal.Take {
  /// The recording that it is of, also where a fault kept it from the client.
  fileprivate var dealt: Journal.Take {
    if case .withheld(let place) = self { .recording(place) } else { self }
  }
}

extension FaultDecision {
  /// Tells whether a connection shows a certificate that no client should take.
  fileprivate var showsBadCertificate: Bool {
    faults.contains {
      if case .connection(.tls(let fault)) = $0 { fault.isOfBadCertificate } else { false }
    }
  }
}

extension DispatchTime {
  /// The time since then, in whole microseconds.
  var elapsed: Duration {
    let now = DispatchTime.now().uptimeNanoseconds
    return .microseconds(Int64(now > uptimeNanoseconds ? (now - uptimeNanoseconds) / 1000 : 0))
  }
}

extension ConversationLog {
  /// The same without what a report does not keep of times.
  fileprivate var inWholeMicroseconds: ConversationLog {
    var log = self
    for place in log.messages.indices {
      log.messages[place].at = messages[place].at.inWholeMicroseconds
    }
    log.unansweredSince = unansweredSince?.inWholeMicroseconds
    log.silentSince = silentSince?.inWholeMicroseconds
    log.end = end?.inWholeMicroseconds
    return log
  }
}

extension Duration {
  /// Without what a report does not keep.
  var inWholeMicroseconds: Duration { .microseconds(wholeMicroseconds) }
}
