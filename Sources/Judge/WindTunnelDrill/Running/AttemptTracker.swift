internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// Converts the events of a deck to attempts. Sends each attempt twice: before it can have any
/// effect, and again when it has ended.
final class AttemptTracker: Sendable {
  private struct State: Sendable {
    var calls: [Int: CallFacts] = [:]
    /// The number of attempts of each call that has ended. Later requests of its client continue
    /// this count. Otherwise they would be reported as the call's first attempt again.
    var taken: [Int: Int] = [:]
    /// The open attempts, by the number of the decision.
    var open: [Int: OpenAttempt] = [:]
    /// The conversations that have not ended, by the number of the decision.
    var conversing: [Int: (call: Int, place: Int)] = [:]
    /// The times, by call, of DNS queries and their responses that no attempt has used yet.
    var lookingUp: [Int: (asked: Duration, answered: Duration)] = [:]
    /// The times, by call, at which connections with a delay began to open.
    var connecting: [Int: Duration] = [:]
    /// The calls whose last connection had an invalid certificate.
    var underBadCertificate: Set<Int> = []
    /// The functions, by call, that receive the first sign of its client.
    var awaited: [Int: @Sendable (Duration) -> Void] = [:]
    /// The maximum number of attempts of a call, and the action at the next attempt.
    var bounds: [Int: (attempts: Int, end: @Sendable () -> Void)] = [:]
    /// The last requests that are not on the cassette and that did not use the address of a call,
    /// the oldest first.
    var strays: [(at: Duration, words: String)] = []
    /// The values by which requests of several calls are compared.
    var shared: SharedValues

    /// Returns the call that a decision was made for, and the number of the attempt in it.
    func attempt(of id: Int) -> (call: Int, place: Int)? {
      open[id].map { ($0.call, $0.end.place) } ?? conversing[id]
    }

    /// Counts an attempt.
    ///
    /// - Returns: The number of the attempt in its call, and whether an earlier response was
    ///   deliberately altered.
    mutating func count(
      of call: Int,
      isMutated: Bool,
      isServed: Bool
    ) -> (place: Int, isLedAstray: Bool) {
      guard let index = calls.index(forKey: call) else {
        let count = taken[call, default: 0]
        taken[call] = count + 1
        return (count, false)
      }
      let (place, isLedAstray) = (calls.values[index].count, calls.values[index].hasMutation)
      calls.values[index].count += 1
      if isMutated { calls.values[index].hasMutation = true }
      if isServed { calls.values[index].isServed = true }
      return (place, isLedAstray)
    }

    /// Records an attempt, and returns whether it belongs to an app's start.
    mutating func isOfStart(
      _ key: String?,
      of call: Int,
      answered status: Int?,
      by requests: StartRequests
    ) -> Bool {
      var late = StartRequests.Facts()
      guard let index = calls.index(forKey: call) else {
        return requests.take(key, of: call, answered: status, &late)
      }
      return requests.take(key, of: call, answered: status, &calls.values[index].start)
    }

    /// Records a sign of a call's client. If it is the first, returns a function that notifies the
    /// waiting observer.
    mutating func noteSign(of call: Int, at moment: Duration) -> (@Sendable () -> Void)? {
      if let index = calls.index(forKey: call) {
        if calls.values[index].firstSign == nil { calls.values[index].firstSign = moment }
      } else if taken[call] == nil {
        calls[call] = CallFacts(firstSign: moment)
      }
      guard !awaited.isEmpty, let tell = awaited.removeValue(forKey: call) else { return nil }
      return { tell(moment) }
    }

    /// Records whether a call's connection has an invalid certificate.
    mutating func note(isBadCertificate: Bool, of call: Int) {
      if isBadCertificate {
        underBadCertificate.insert(call)
      } else if !underBadCertificate.isEmpty {
        underBadCertificate.remove(call)
      }
    }
  }

  /// The maximum number of stray requests that are kept. It is enough to find a request that
  /// arrived during a call.
  private static let straysMax = 256

  /// The indices of the interactions that are event streams.
  private let streams: Set<Int>
  /// The rule that recognises the requests of an app's start. They are not attempts of their call.
  private let startRequests: StartRequests
  private let stage: Stage
  private let epoch: DispatchTime
  private let send: @Sendable (WorkerMessage) -> Void
  private let state: Locked<State>
  private let recordings = Locked(KnownRecordings())
  private let dealt: DealtAttempts

  init(
    _ cassette: Cassette,
    streams: Set<Int> = [],
    starts startRequests: StartRequests = .none,
    on stage: Stage,
    epoch: DispatchTime,
    _ send: @escaping @Sendable (WorkerMessage) -> Void
  ) {
    (self.streams, self.startRequests, self.stage) = (streams, startRequests, stage)
    (self.epoch, self.send, dealt) = (epoch, send, DealtAttempts(of: cassette))
    state = Locked(State(shared: SharedValues(of: cassette)))
  }

  /// Handles an event of the deck.
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
          faults.map(Observation.Attempt.UnappliedFault.init),
          isWhole: AnswerSummary.isWhole(outcome)
        )
      )
    case .requestEnd(let outcome, let handshake, let upload):
      requestEnded(outcome, handshake, upload)
    case .firstByte(let outcome):
      let now = epoch.elapsed
      state.withLock { state in
        guard let open = state.open.index(forKey: outcome.id) else { return }
        // An earlier part of the response, such as an interim response, was the first byte.
        if state.open.values[open].firstByte == nil { state.open.values[open].firstByte = now }
      }
    case .ended(let outcome, let end): ended(outcome, end)
    case .conversed(let outcome, let log): conversed(outcome, log)
    case .left, .passed, .said, .notAsked, .strayed, .tunnelEnded: break
    }
  }

  private func decided(_ entry: Journal.Record) {
    guard let call = entry.decision.lane.call else { return }
    let now = epoch.elapsed
    // Lost attempts to connect were made before this moment.
    let lost = entry.decision.faults.reduce(Duration.zero) { sum, fault in
      if case .connection(let fault) = fault { sum + fault.delay } else { sum }
    }
    let sign = max(.zero, now - lost)
    // A connection that succeeds is not an attempt; its request will be one.
    if entry.take == .connection, !entry.decision.failsConnection {
      let isBad = entry.decision.showsBadCertificate
      // In process, the connection opens now. On the wire, it is already open.
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
    var attempt = dealt.attempt(entry, at: now)
    let status = attempt.status
    let tell = state.withLock { state -> (@Sendable () -> Void)? in
      let tell = state.noteSign(of: call, at: sign)
      if isConnection { state.note(isBadCertificate: isBad, of: call) }
      let isOfStart = state.isOfStart(key, of: call, answered: status, by: startRequests)
      attempt.isOfStart = isOfStart
      let (place, isLedAstray) = state.count(
        of: call,
        isMutated: misleads && !isOfStart,
        isServed: !isConnection && !entry.decision.faults.contains(where: \.replacesOrCuts)
      )
      let begun = state.connecting.isEmpty ? nil : state.connecting.removeValue(forKey: call)
      let lookUp = state.lookingUp.isEmpty ? nil : state.lookingUp.removeValue(forKey: call)
      guard !isConnection else { return tell }
      var end = WorkerMessage.AttemptEnd(place: place, at: now)
      end.stages.dns = lookUp.map { $0.answered - $0.asked }
      if let begun { end.stages.connect = now - begun }
      state.open[entry.id] = OpenAttempt(
        call: call,
        isOfStart: isOfStart,
        isLedAstray: isLedAstray,
        end: end
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

  /// Records whether a response is a stream of events that is cut, or that ends with an error
  /// event.
  private func note(_ attempt: Observation.Attempt, _ entry: Journal.Record, of call: Int) {
    var (cut, hasError) = (CutStream?.none, false)
    // Even if a fault withheld the recording from the client.
    if let place = entry.take.interaction.map({ $0 - 1 }), streams.contains(place) {
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

  /// Records a DNS query of a call and the delay until its response. Queries for IPv4 and IPv6
  /// addresses are sent at once.
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

  /// Calls a function once, with the time of the first sign of a call's client.
  func tellFirstSign(of call: Int, _ tell: @escaping @Sendable (Duration) -> Void) {
    state.withLock { $0.awaited[call] = tell }
  }

  /// Sets the maximum number of attempts of a call, and the action at the next attempt.
  func tell(of call: Int, after attempts: Int, _ end: @escaping @Sendable () -> Void) {
    state.withLock { $0.bounds[call] = (attempts, end) }
  }

  private func requestEnded(_ outcome: Outcome, _ handshake: Duration?, _ upload: Duration?) {
    let now = epoch.elapsed
    // If all recordings of a request were played, the cassette ends there intentionally.
    if case .unmatched(let mismatch) = outcome.source, mismatch.played == 0 {
      miss(outcome, mismatch, at: now)
    }
    let date = retryDate(of: outcome)
    let asksForPart = outcome.request.headers["Range"] != nil
    let status = asksForPart ? AnswerSummary.status(of: outcome) : nil
    let request = SentRequest(outcome, recordings.withLock { $0.values(of: outcome) }, on: stage)
    let told = state.withLock { state -> WorkerMessage? in
      guard let place = state.open.index(forKey: outcome.id) else { return nil }
      state.open.values[place].requestEnd = now
      state.open.values[place].end.retryNotBefore = date
      state.open.values[place].end.status = status
      state.open.values[place].end.stages.tls = handshake?.inWholeMicroseconds
      state.open.values[place].end.stages.upload = upload?.inWholeMicroseconds
      let (call, attempt) = (state.open.values[place].call, state.open.values[place].end.place)
      // No rule compares requests after the end of their call, and its numbers no longer exist.
      guard let index = state.calls.index(forKey: call) else { return nil }
      // The value is swapped out of the dictionary, so that it is not copied.
      var facts = CallFacts()
      swap(&facts, &state.calls.values[index])
      defer { swap(&facts, &state.calls.values[index]) }
      let isOfStart = state.open.values[place].isOfStart
      let sent = facts.note(request, of: call, isOfStart: isOfStart, startRequests, &state.shared)
      return sent == Observation.Sent() ? nil : .sent(call: call, place: attempt, sent)
    }
    if let told { send(told) }
  }

  private func ended(_ outcome: Outcome, _ end: ExchangeEnd?) {
    let now = epoch.elapsed
    // The plan of a cut does not show that the cut happened. The client may have closed the
    // connection earlier, or may have received all events after the last one that it had seen.
    let isResumed = outcome.request.headers["Last-Event-ID"] != nil
    let wasNotCut = isResumed || end?.ending == .whole || end?.ending == .clientLeft
    let found = state.withLock { state -> OpenAttempt? in
      let open = state.open.removeValue(forKey: outcome.id)
      if wasNotCut, let open { state.calls[open.call]?.cut = nil }
      // The events after a handshake are reported after its end.
      if let open, outcome.recording?.isConversation == true {
        state.conversing[outcome.id] = (open.call, open.end.place)
      }
      return open
    }
    guard let open = found else { return }
    let hasLeft =
      end.map { [ExchangeEnd.Reason.clientLeft, .stopped].contains($0.ending) } ?? false
    var ending = open.end
    ending.at = now
    ending.stages = open.stages(over: outcome.linkStages, until: now)
    ending.bytesSent = hasLeft ? end?.bytes : nil
    send(.attemptEnded(call: open.call, ending))
  }

  private func conversed(_ outcome: Outcome, _ log: ConversationLog) {
    let attempt = state.withLock { state in
      log.ending == nil
        ? state.conversing[outcome.id] : state.conversing.removeValue(forKey: outcome.id)
    }
    guard let (call, place) = attempt else { return }
    send(.conversed(call: call, place: place, log.inWholeMicroseconds))
  }

  /// Returns the date in the `Retry-After` that is sent, as an offset. The scenario's clock is read
  /// before the other clock, so that a pause of the machine between them does not move the date
  /// later.
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
    // A date in the past requires no wait.
    return ahead > 0 ? (now + Duration(milliseconds: ahead)).inWholeMicroseconds : nil
  }

  /// Records a request that is not on the cassette.
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

  /// Returns the facts of a call that began at `start` and has ended, and deletes them. Only the
  /// number of its attempts is kept.
  ///
  /// If a call had no attempts, a stray request since `start` is taken as its request. The client
  /// has then lost the call's part of the address.
  func take(_ call: Int, since start: Duration) -> CallFacts {
    state.withLock { state in
      if !state.awaited.isEmpty { state.awaited[call] = nil }
      state.bounds[call] = nil
      var seen = state.calls.removeValue(forKey: call) ?? CallFacts()
      state.taken[call, default: 0] += seen.count
      if seen.count == 0 { seen.notOnCassette = state.strays.first { $0.at >= start }?.words }
      return seen
    }
  }
}

extension FaultDecision {
  /// Whether a connection has a certificate that no client should accept.
  fileprivate var showsBadCertificate: Bool {
    faults.contains {
      if case .connection(.tls(let fault)) = $0 { fault.isOfBadCertificate } else { false }
    }
  }
}
