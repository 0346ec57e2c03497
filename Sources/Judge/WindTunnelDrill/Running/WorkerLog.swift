/// The calls of one client process, collected from the messages that it sends.
struct WorkerLog: Sendable {
  /// A call that began and has not ended.
  private struct Open: Sendable {
    /// The time at which the call began.
    var began: Duration
    var attempts: [Observation.Attempt] = []
    /// The state of its program if it hangs.
    var hang: ProgramHang?
  }

  private var open: [Int: Open] = [:]
  /// The calls that ended.
  private(set) var finished: [Observation] = []
  /// The facts that do not belong to any call.
  private(set) var traffic = ClientRun.Traffic()
  /// The index of each finished call, by its number.
  private var places: [Int: Int] = [:]
  /// The indices of the attempts of an app's start in each ended call, if it has any.
  private var startPlaces: [Int: [Int]] = [:]
  /// The calls that began and did not end, in order.
  private(set) var running: [Int] = []
  /// The call of the last message about a running call.
  private(set) var lastActive = -1
  /// The reason why the process could not run its job.
  private(set) var refusal: DrillError?
  /// The message about a program that ended without a response.
  private(set) var unanswered: String?
  /// The way in which the process ended.
  private(set) var ending = ChildProcess.ExitKind.orderly
  private var end: Duration?

  /// Records that the process has ended.
  mutating func ends(_ ending: ChildProcess.ExitKind, at moment: Duration) {
    (self.ending, end) = (ending, moment)
  }

  /// Returns the attempts of a call that began and has not ended.
  func attempts(of call: Int) -> [Observation.Attempt] { open[call]?.attempts ?? [] }

  /// Returns the state of a call's program if it hangs, otherwise `nil`.
  func hang(of call: Int) -> ProgramHang? { open[call]?.hang }

  /// Returns the beginning of a call during which its process ended, and the time from there to
  /// that end.
  func lastOf(_ call: Int) -> (began: Duration, lasted: Duration)? {
    guard let begun = open[call]?.began, let end else { return nil }
    return (begun, max(.zero, end - begun).inWholeMicroseconds)
  }

  /// Removes and returns the calls that ended, ordered by number. Later messages about them are
  /// ignored.
  mutating func takeFinished() -> [Observation] {
    var calls: [Observation] = []
    swap(&calls, &finished)
    (places, startPlaces) = ([:], [:])
    calls.sort { $0.call < $1.call }
    return calls
  }

  /// Handles a message.
  ///
  /// - Returns: The number of ended calls if the message is about an end, else `nil`.
  mutating func apply(_ message: WorkerMessage) -> Int? {
    switch message {
    case .began(let call, let moment):
      running.append(call)
      open[call] = Open(began: moment)
      lastActive = call
    case .attempt(let call, let attempt):
      // A cancelled call may still make attempts.
      guard let index = open.index(forKey: call) else {
        if let place = places[call] {
          note(lateRequest: attempt, of: finished[place])
          finished[place].comes(attempt)
        }
        return nil
      }
      open.values[index].attempts.append(attempt)
      lastActive = call
    case .undone(let call, let place, let faults, let isWhole):
      change(place, of: call) { attempt in
        attempt.unappliedFaults += faults
        if isWhole { attempt.error = nil }
      }
    case .hung(let call, let hang): open[call]?.hang = hang
    case .sent(let call, let place, let sent):
      // An attempt that arrives after its call is not among the attempts.
      if let index = open.index(forKey: call), open.values[index].attempts.indices.contains(place) {
        open.values[index].attempts[place].sent = sent
      }
    case .attemptEnded(let call, let end):
      // A client may have its response before the server has reported the end.
      change(end.place, of: call) { $0.apply(end) }
      if let index = places[call] { finished[index].endAttempts() }
    case .conversed(let call, let place, let log):
      change(place, of: call) { $0.conversation = log }
    case .connections(let seen): traffic.connections.append(seen)
    case .refused(let reason): refusal = .harness(reason)
    case .unfit(let reason): refusal = .plan(reason)
    case .unanswered(let reason): unanswered = reason
    // The process that started it watches this program.
    case .program: break
    case .ended(var observation):
      let attempts = open.removeValue(forKey: observation.call)?.attempts ?? []
      observation.take(attempts)
      if !observation.startAttempts.isEmpty {
        startPlaces[observation.call] = attempts.indices.filter { attempts[$0].isOfStart }
      }
      observation.countAfterCancel()
      observation.endAttempts()
      running.removeAll { $0 == observation.call }
      places[observation.call] = finished.count
      finished.append(observation)
      return finished.count
    }
    return nil
  }

  /// Changes an attempt of a call, which may have ended.
  private mutating func change(
    _ place: Int,
    of call: Int,
    _ change: (inout Observation.Attempt) -> Void
  ) {
    // An attempt that arrived after its call was cancelled is not in the list.
    if let index = open.index(forKey: call) {
      guard open.values[index].attempts.indices.contains(place) else { return }
      change(&open.values[index].attempts[place])
    } else if let index = places[call] {
      finished[index].changeAttempt(at: place, whereOfStart: startPlaces[call] ?? [], change)
    }
  }

  /// The maximum number of late requests that are kept. It is enough to show a client's behaviour.
  private static let lateMax = 10_000

  /// Records a request of a call that has ended. Requests of a cancelled call are counted with that
  /// call instead.
  private mutating func note(lateRequest attempt: Observation.Attempt, of call: Observation) {
    guard attempt.isRequest, !attempt.isOfStart, call.cancellation == nil,
      let start = attempt.start, traffic.lateRequests.count < Self.lateMax
    else { return }
    traffic.lateRequests.append(start)
  }

  /// The end of a process that made no call, as text.
  var words: String {
    switch ending {
    case .orderly: "the client's process ended before its first call"
    case .crashed: "the client's process crashed before its first call"
    case .silenced: "the client's process did not make its first call in time"
    }
  }
}

extension Observation {
  /// The time after a cancellation during which arriving requests count as sent before it.
  private static let onItsWay = Duration.milliseconds(250)

  /// Returns whether an attempt began so late after the cancellation that it was sent after it.
  private func beganAfterCancel(_ attempt: Attempt) -> Bool {
    guard let cancellation = self.cancellation, let start = intendedStart ?? start,
      let began = attempt.start
    else {
      return false
    }
    return attempt.isRequest && began > start + cancellation.after + Self.onItsWay
  }

  /// Counts the attempts after the cancellation of a call whose client did not return at once.
  fileprivate mutating func countAfterCancel() {
    guard let after = self.cancellation?.attemptsAfter else { return }
    // The first attempt can be late because of the machine. Any later attempt was made after the
    // cancellation.
    let late = attempts.dropFirst().count { beganAfterCancel($0) }
    self.cancellation?.attemptsAfter = after + late
  }

  /// Adds an attempt that arrives after the cancellation of its call. The first attempt, and
  /// attempts that the client reports as sent by then, were sent before it. The client should not
  /// have made any other attempt.
  fileprivate mutating func comes(_ attempt: Attempt) {
    guard attempt.isRequest, !attempt.isOfStart, let after = self.cancellation?.attemptsAfter else {
      return
    }
    let isClaimed = (clientAttempts ?? 0) > (attemptCount ?? .max)
    if isClaimed || attempts.isEmpty || !beganAfterCancel(attempt) {
      attemptCount = attemptCount.map { $0 + 1 }
      attempts.append(attempt)
    } else {
      self.cancellation?.attemptsAfter = after + 1
    }
  }

  /// Sets the end of attempts that were open at the end of the call.
  ///
  /// - Parameter isFall: Whether the client's process ended with the call, and each connection with
  ///   it. If so, attempts without an observed end are included.
  mutating func endAttempts(isFall: Bool = false) {
    guard let end else { return }
    func isOpen(_ attempt: Attempt) -> Bool {
      // The times of a conversation count from the end of its handshake.
      attempt.status != 101 && attempt.end.map { $0 > end } ?? isFall
    }
    // Most calls have no such attempt, and changing their attempts would copy them.
    guard attempts.contains(where: isOpen) || startAttempts.contains(where: isOpen) else { return }
    let isLeft = ending != .succeeded || wasGivenUp
    changeAllAttempts { attempt in
      guard isOpen(attempt) else { return }
      let late = attempt.end.map { $0 - end } ?? .zero
      attempt.stages.body = attempt.stages.body.map { max(.zero, $0 - late) }
      attempt.end = max(end, attempt.start ?? end)
      if isLeft { attempt.isOpenAtEnd = true }
    }
  }
}

extension Observation.Attempt {
  fileprivate mutating func apply(_ ending: WorkerMessage.AttemptEnd) {
    end = ending.at
    stages = ending.stages
    retryNotBefore = ending.retryNotBefore
    if let status = ending.status { self.status = status }
    if let sent = ending.bytesSent { bytesSent = sent }
  }
}
