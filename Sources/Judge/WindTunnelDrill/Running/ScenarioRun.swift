internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// One client in one scenario: its calls, their processes, and the result of each call.
struct ScenarioRun {
  let job: WorkerJob
  let scenario: Scenario
  let workload: Workload
  let process: ChildProcess
  /// The time that a process gets in addition to its calls' patience, to start and for a busy
  /// machine.
  var grace = usualGrace
  /// Whether the long-running program has responded in any scenario. Only a program that never
  /// responded may be of another kind. Any other program has crashed.
  var hasAnswered = Locked(false)
  /// Receives each message before it is recorded.
  var receives: @Sendable (WorkerMessage) -> Void = { _ in }
  /// Receives each call that has ended.
  var ended: @Sendable (Observation) -> Void = { _ in }
  /// The facts that do not belong to any call.
  let traffic = Locked(ClientRun.Traffic())
  /// Whether a cancelled run returns the calls that had ended, rather than an error.
  var keepsPart = false
  /// Whether the run measures how long calls take. A crash or hang then ends the run.
  var isTrial = false
  let progress: @Sendable (Int) -> Void
  /// The virtual time of this scenario's processes so far, in nanoseconds.
  private let worldAge = Locked<UInt64>(0)
  var virtualTime: Duration { .nanoseconds(Int64(worldAge.withLock { $0 })) }

  static let usualGrace = ChildProcess.Patience(first: .seconds(60), later: .seconds(15))

  private var isStopped: Bool { keepsPart && Task.isCancelled }

  /// Runs all calls. A crash or a hang ends a process, but not the run.
  func run() async throws -> [Observation] {
    var left = job.calls
    var landed: [Observation] = []
    while !left.isEmpty, !isStopped {
      let log = try await run(left, load: job.load, landed: landed.count)
      if isStopped {
        landed += log.finished
        break
      }
      if log.finished.isEmpty, log.running.isEmpty { throw DrillError.harness(log.words) }
      landed += log.finished
      if isTrial { break }
      let fallen = try await fallen(log, landed: &landed)
      landed += fallen
      let done = Set(landed.map(\.call))
      left.removeAll { done.contains($0) }
      progress(landed.count)
    }
    return landed.sorted { $0.call < $1.call }
  }

  /// Returns the calls that were running when their process ended, each with its result.
  ///
  /// If there were several, one of them is responsible. Each is repeated by itself. It meets the
  /// same decisions, because its lane is its own.
  private func fallen(_ log: WorkerLog, landed: inout [Observation]) async throws -> [Observation] {
    let inAir = log.running
    if inAir.isEmpty {
      // The process crashed between two calls. The earlier call is responsible, not the next one.
      if log.ending == .crashed, let last = landed.indices.last { landed[last].ending = .crashed }
      return []
    }
    if inAir.count == 1 { return [observation(of: inAir[0], log)] }
    var again: [Observation] = []
    for number in inAir {
      let log = try await run(
        [number],
        load: .closedLoop(concurrency: 1),
        landed: landed.count + again.count
      )
      // The results of the other calls are unknown.
      if isStopped { return again + log.finished }
      again.append(log.finished.first ?? observation(of: number, log))
    }
    if !again.contains(where: { $0.ending == .crashed || $0.ending == .hung }) {
      // They crash only together. The last active call is the best guess, because the crash must be
      // reported.
      let last = inAir.firstIndex(of: log.lastActive) ?? 0
      again[last] = observation(of: inAir[last], log)
    }
    return again
  }

  private func observation(of number: Int, _ log: WorkerLog) -> Observation {
    let request = workload.request(of: number)
    let attempts = log.attempts(of: number)
    let stage = Stage(rawValue: job.stage) ?? .inProcess
    let last = log.lastOf(number)
    var observation = Observation(
      call: number,
      endpoint: workload.endpoint(of: number),
      isCritical: scenario.isCritical(request),
      ending: log.ending == .silenced ? .hung : .crashed,
      showed: false,
      latency: last?.lasted ?? .milliseconds(job.deadlineMilliseconds),
      attemptCount: Targets.seesAttempts(in: scenario, on: stage)
        ? attempts.count { !$0.isOfStart } : nil
    )
    observation.take(attempts)
    observation.start = last?.began
    let hang = log.hang(of: number)
    (observation.processorDelay, observation.sleepWithoutLimit) = (hang?.waited, hang?.asleep)
    observation.endAttempts(isFall: true)
    return observation
  }

  private func run(_ calls: [Int], load: Load, landed: Int) async throws -> WorkerLog {
    var job = job
    job.calls = calls
    job.load = load
    if process.isInWorld { job.worldAge = worldAge.withLock { $0 } }
    let log = Locked(WorkerLog())
    let patience =
      process.isInWorld
      ? ChildProcess.patienceWithWorld
      : ChildProcess.Patience(first: grace.first, later: job.patience + grace.later)
    let memory = process.isInWorld && scenario.hasUnboundedBodies ? WorldMemory() : nil
    defer { memory?.end() }
    let end: ChildProcess.Exit
    do {
      end = try await process.run(job, patience: patience) { message in
        memory?.take(message)
        receives(message)
        if case .ended(let call) = message, !call.ending.isFall {
          hasAnswered.withLock { $0 = true }
        }
        let (count, last) = log.withLock { log in (log.apply(message), log.finished.last) }
        guard let count else { return }
        if let last { ended(last) }
        progress(landed + count)
      }
    } catch is CancellationError where keepsPart {
      let log = log.withLock { $0 }
      traffic.withLock { $0.merge(log.traffic) }
      return log
    }
    if process.isInWorld { try note(end) }
    let age = process.isInWorld ? worldAge.withLock { $0 } : nil
    return try log.withLock { log in
      if let refusal = log.refusal { throw refusal }
      // A program that has responded before is of this kind, and has crashed.
      if let reason = log.unanswered, !hasAnswered.withLock({ $0 }) {
        throw DrillError.plan(reason)
      }
      let now = DispatchTime.now().uptimeNanoseconds
      let lasted = age ?? (now - min(now, job.epochNanoseconds))
      log.ends(end.ending, at: .nanoseconds(Int64(lasted)))
      traffic.withLock { $0.merge(log.traffic) }
      return log
    }
  }

  /// Adds the virtual time of a world. Throws if its time was not virtual from start to end.
  private func note(_ end: ChildProcess.Exit) throws(NotInVirtualTime) {
    guard let world = end.world else {
      let isSilent = end.ending == .silenced
      throw NotInVirtualTime(
        reason: isSilent ? "it reported nothing for minutes" : "its tracer was ended"
      )
    }
    if let reason = world.obstacle { throw NotInVirtualTime(reason: reason) }
    worldAge.withLock { $0 += UInt64(max(0, world.virtualNanoseconds)) }
  }
}

extension Observation.CallResult {
  /// Whether the call ended without a result of its own: by a crash or a hang.
  var isFall: Bool { self == .crashed || self == .hung }
}
