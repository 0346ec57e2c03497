internal import Dispatch
internal import WindTunnel

/// What one process of a subject told.
struct FlightLog: Sendable {
  /// What calls met that have not ended.
  private(set) var attempts: [Int: [Observation.Attempt]] = [:]
  /// The calls that ended.
  private(set) var landed: [Observation] = []
  /// Where each of them stands there.
  private var places: [Int: Int] = [:]
  /// The calls that began and did not end, in order.
  private(set) var inAir: [Int] = []
  /// When those began, as this process heard of it.
  private var began: [Int: DispatchTime] = [:]
  /// The call that was told of last, while it was in the air.
  private(set) var lastHeard = -1
  /// Why the process could not do what it was told.
  private(set) var refusal: String?
  /// How it ended.
  private(set) var ending = ChildProcess.Ending.orderly
  private var end: DispatchTime?

  /// The process is seen to have ended.
  mutating func ends(_ ending: ChildProcess.Ending) { (self.ending, end) = (ending, .now()) }

  /// When a call that its process died in began, and how long after that the process ended.
  func lastOf(_ call: Int) -> (began: DispatchTime, lasted: Duration)? {
    guard let begun = began[call], let end else { return nil }
    let lasted = end.uptimeNanoseconds - min(begun.uptimeNanoseconds, end.uptimeNanoseconds)
    return (begun, .microseconds(Int64(lasted / 1000)))
  }

  /// Takes a telegram; the number of ended calls if it is about an end.
  mutating func take(_ telegram: WorkerMessage) -> Int? {
    switch telegram {
    case .began(let call):
      inAir.append(call)
      began[call] = .now()
      lastHeard = call
    case .attempt(let call, let attempt):
      // One that was given up may still try.
      guard inAir.contains(call) else {
        if let landing = places[call] { landed[landing].comes(attempt) }
        return nil
      }
      attempts[call, default: []].append(attempt)
      lastHeard = call
    case .attemptEnded(let call, let end):
      // A client may have its answer before the server has told of it.
      if let landing = places[call] {
        landed[landing].attempts.take(end)
      } else {
        attempts[call]?.take(end)
      }
    case .refused(let reason): refusal = reason
    // Its process is watched by whoever has started it.
    case .program: break
    case .ended(var observation):
      observation.attempts = attempts.removeValue(forKey: observation.call) ?? []
      observation.countAfterCancel()
      began[observation.call] = nil
      inAir.removeAll { $0 == observation.call }
      places[observation.call] = landed.count
      landed.append(observation)
      return landed.count
    }
    return nil
  }

  /// Why a process that made no call ended, in words.
  var words: String {
    switch ending {
    case .orderly: "the subject's process ended without having made a call"
    case .crashed: "the subject's process crashed before its first call"
    case .silenced: "the subject's process did not make its first call in time"
    }
  }
}

extension Observation {
  /// What reaches the server so soon after a call was given up had been on its way.
  private static let onItsWay = Duration.milliseconds(100)

  /// Counts what a client that did not return at once went on to send.
  fileprivate mutating func countAfterCancel() {
    guard let cancellation, let after = cancellation.attemptsAfter,
      let start = intendedStart ?? start
    else { return }
    let moment = start + cancellation.after + Self.onItsWay
    // A first attempt that late was held up by the machine; any other is one that was made after all.
    let late = attempts.dropFirst().count { attempt in
      attempt.isRequest && attempt.start.map { $0 > moment } == true
    }
    self.cancellation?.attemptsAfter = after + late
  }

  /// An attempt comes after its caller has given the call up. One that the client says it had sent by
  /// then was on its way; any other it should not have made.
  fileprivate mutating func comes(_ attempt: Attempt) {
    guard attempt.isRequest, let after = cancellation?.attemptsAfter else { return }
    if let sent = clientAttempts, let count = attemptCount, count < sent {
      attemptCount = count + 1
      attempts.append(attempt)
    } else {
      cancellation?.attemptsAfter = after + 1
    }
  }
}

extension [Observation.Attempt] {
  fileprivate mutating func take(_ end: WorkerMessage.AttemptEnd) {
    // One that came after its call had been given up is not here.
    guard indices.contains(end.place) else { return }
    self[end.place].end = end.at
    self[end.place].stages = end.stages
    self[end.place].retryNotBefore = end.retryNotBefore
  }
}
