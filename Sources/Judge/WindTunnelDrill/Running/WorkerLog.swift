/// The calls of one subject's process: a fold over the messages that it sends.
struct WorkerLog: Sendable {
  /// A call that began and has not ended.
  private struct Open: Sendable {
    /// The moment at which it began.
    var began: Duration
    var attempts: [Observation.Attempt] = []
    /// The state of its program if it hangs.
    var hang: ProgramHang?
  }

  private var open: [Int: Open] = [:]
  /// The calls that ended.
  private(set) var finished: [Observation] = []
  /// The facts that belong to none of the calls.
  private(set) var traffic = ClientRun.Traffic()
  /// The place of each of them there, by its number.
  private var places: [Int: Int] = [:]
  /// The places of the attempts of an app's start among those of each ended call that has any.
  private var startPlaces: [Int: [Int]] = [:]
  /// The calls that began and did not end, in order.
  private(set) var running: [Int] = []
  /// The call that a message was about last, while it was running.
  private(set) var lastActive = -1
  /// The reason for which the process could not do what it was told.
  private(set) var refusal: DrillError?
  /// The words of a program that ended without an answer.
  private(set) var unanswered: String?
  /// The end of the process.
  private(set) var ending = ChildProcess.Ending.orderly
  private var end: Duration?

  /// Takes note that the process has ended.
  mutating func ends(_ ending: ChildProcess.Ending, at moment: Duration) {
    (self.ending, end) = (ending, moment)
  }

  /// Returns the attempts of a call that began and has not ended.
  func attempts(of call: Int) -> [Observation.Attempt] { open[call]?.attempts ?? [] }

  /// Returns the state of a call's program if it hangs, otherwise `nil`.
  func hang(of call: Int) -> ProgramHang? { open[call]?.hang }

  /// Returns when a call that its process died in began, and how long after that the process ended.
  func lastOf(_ call: Int) -> (began: Duration, lasted: Duration)? {
    guard let begun = open[call]?.began, let end else { return nil }
    return (begun, max(.zero, end - begun).inWholeMicroseconds)
  }

  /// Takes out the calls that ended, by their numbers. What comes of them later is not noted.
  mutating func takeFinished() -> [Observation] {
    var calls: [Observation] = []
    swap(&calls, &finished)
    (places, startPlaces) = ([:], [:])
    calls.sort { $0.call < $1.call }
    return calls
  }

  /// Takes a message.
  ///
  /// - Returns: The number of ended calls, where it is about an end.
  mutating func apply(_ message: WorkerMessage) -> Int? {
    switch message {
    case .began(let call, let moment):
      running.append(call)
      open[call] = Open(began: moment)
      lastActive = call
    case .attempt(let call, let attempt):
      // One that was given up may still try.
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
        attempt.undone += faults
        if isWhole { attempt.error = nil }
      }
    case .hung(let call, let hang): open[call]?.hang = hang
    case .sent(let call, let place, let sent):
      // One that comes after its call is not among the attempts.
      if let index = open.index(forKey: call), open.values[index].attempts.indices.contains(place) {
        open.values[index].attempts[place].sent = sent
      }
    case .attemptEnded(let call, let end):
      // A client may have its answer before the server has told of it.
      change(end.place, of: call) { $0.apply(end) }
      if let index = places[call] { finished[index].endAttempts() }
    case .conversed(let call, let place, let log):
      change(place, of: call) { $0.conversation = log }
    case .connections(let seen): traffic.connections.append(seen)
    case .refused(let reason): refusal = .harness(reason)
    case .unfit(let reason): refusal = .plan(reason)
    case .unanswered(let reason): unanswered = reason
    // Its process is watched by whoever has started it.
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

  /// Changes an attempt of a call that has begun, whether that has ended or not.
  private mutating func change(
    _ place: Int,
    of call: Int,
    _ change: (inout Observation.Attempt) -> Void
  ) {
    // One that came after its call had been given up is not here.
    if let index = open.index(forKey: call) {
      guard open.values[index].attempts.indices.contains(place) else { return }
      change(&open.values[index].attempts[place])
    } else if let index = places[call] {
      finished[index].changeAttempt(at: place, whereOfStart: startPlaces[call] ?? [], change)
    }
  }

  /// The greatest number of late requests that are kept, which is enough to show what a client
  /// does.
  private static let lateMax = 10_000

  /// Notes a request of a call that has ended; those of one that was given up are counted with it.
  private mutating func note(lateRequest attempt: Observation.Attempt, of call: Observation) {
    guard attempt.isRequest, !attempt.isOfStart, call.cancellation == nil,
      let start = attempt.start, traffic.lateRequests.count < Self.lateMax
    else { return }
    traffic.lateRequests.append(start)
  }

  /// The end of a process that made no call, in words.
  var words: String {
    switch ending {
    case .orderly: "the subject's process ended without having made a call"
    case .crashed: "the subject's process crashed before its first call"
    case .silenced: "the subject's process did not make its first call in time"
    }
  }
}

extension Observation {
  /// The time after a call was given up within which what reaches the server had been on its way.
  private static let onItsWay = Duration.milliseconds(250)

  /// Tells whether an attempt began so long after the call was given up that it was not on its way.
  private func beganAfterCancel(_ attempt: Attempt) -> Bool {
    guard let cancellation = self.cancellation, let start = intendedStart ?? start,
      let began = attempt.start
    else {
      return false
    }
    return attempt.isRequest && began > start + cancellation.after + Self.onItsWay
  }

  /// Counts what a client that did not return at once went on to send.
  fileprivate mutating func countAfterCancel() {
    guard let after = self.cancellation?.attemptsAfter else { return }
    // A first attempt that late was held up by the machine; any other is one that was made after
    // all.
    let late = attempts.dropFirst().count { beganAfterCancel($0) }
    self.cancellation?.attemptsAfter = after + late
  }

  /// An attempt comes after its caller has given the call up. One that the client says it had sent
  /// by then was on its way, as is the first; any other it should not have made.
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
}

extension Observation {
  /// Ends the attempts with the call that were open when it ended.
  ///
  /// - Parameter isFall: Whether the client's process ended with the call, and each connection
  ///   with it: then also the attempts whose end was not seen.
  mutating func endAttempts(isFall: Bool = false) {
    guard let end else { return }
    func isOpen(_ attempt: Attempt) -> Bool {
      // The times of a conversation count from the end of its handshake.
      attempt.status != 101 && attempt.end.map { $0 > end } ?? isFall
    }
    // Most calls have none, and to change their attempts would copy them.
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
