internal import Dispatch
@_spi(WindTunnel) internal import WindTunnelCore

/// A clock for code that accepts one. It advances when no work is left at its current instant.
///
/// It needs no support of the compiler, the runtime or the system. It is also a task executor, and
/// therefore knows when no task is ready. See ``VirtualTime/run(on:in:patience:_:)``.
///
/// A client that starts its own tasks must pass the clock to them as well:
/// `Task(executorPreference: clock) { … }`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class VirtualClock: Clock, TaskExecutor {
  /// An instant of a virtual clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was created.
    public let elapsed: Duration

    /// Creates the instant at a time after the clock was created.
    public init(elapsed: Duration) { self.elapsed = elapsed }

    /// Returns the instant that is later by a duration.
    public func advanced(by duration: Duration) -> Self { Self(elapsed: elapsed + duration) }

    /// Returns the time from this instant to another.
    public func duration(to other: Self) -> Duration { other.elapsed - elapsed }

    /// Returns whether an instant is before another.
    public static func < (left: Self, right: Self) -> Bool { left.elapsed < right.elapsed }
  }

  typealias Sleeper = CheckedContinuation<Void, any Error>

  /// The state of one run.
  private struct Run {
    var patience: Duration
    /// Whether the work has returned.
    var isDone = false
    var reason: NotVirtual.Reason?
    /// The real time at which the reason was detected.
    var failed: ContinuousClock.Instant?
    var cancel: (@Sendable () -> Void)?
    /// The continuation of the caller that waits for the end. `nil` means that no job has run yet.
    var waiter: CheckedContinuation<NotVirtual.Reason?, Never>?

    /// Whether the clock advances.
    var isVirtual: Bool { !isDone && reason == nil }
  }

  /// The next action on the queue that runs the jobs.
  private enum Step {
    case job(UnownedJob)
    case wake([Sleeper])
    case fail(NotVirtual.Reason)
    /// No work is left. The number is that of the turns so far.
    case stand(Duration, turns: Int)
    case giveUp(CheckedContinuation<NotVirtual.Reason?, Never>?, NotVirtual.Reason)
    case rest
  }

  private struct State: Sendable {
    private var time = Duration.zero
    private(set) var run: Run?
    /// The reason why work was abandoned, because it did not end when it was cancelled.
    private(set) var givenUp: NotVirtual.Reason?
    private var ready = ReadyQueue<UnownedJob>(.arrival)
    private var sleepers: [Int: Sleeper] = [:]
    /// The sleepers by their numbers. A sleeper that was woken stays here until it is due.
    private var due = TimerHeap<Duration, Int>()
    private var lastSleeper = 0
    private var turns = InstantTurns()
    private var turnsInAll = 0
    /// The number of times that the current turn has read the clock.
    private var reads = 0
    /// Whether jobs run now, or will run next.
    private var isAwake = false
    /// Whether a check is scheduled, after some real time, whether the run still has no work.
    private var isWatched = false
    /// Whether that check found that the run still has no work.
    private var hasStood = false

    /// The time since the clock was created. After a failure of the run it follows real time, so
    /// that code that waits for an instant in a loop ends.
    var elapsed: Duration {
      guard let failed = run?.failed else { return time }
      return time + (ContinuousClock.now - failed)
    }

    // MARK: Input

    mutating func begin(_ order: TurnOrder, patience: Duration) -> NotVirtual.Reason? {
      guard givenUp == nil else { return givenUp }
      guard run == nil else { return .nested }
      run = Run(patience: patience)
      var queue = ReadyQueue<UnownedJob>(order)
      while let left = ready.popFirst() { queue.append(left) }
      ready = queue
      turns.clear()
      return nil
    }

    /// Adds a job.
    ///
    /// - Returns: The reason why the run is no longer virtual, and whether the caller must start
    ///   running the jobs.
    mutating func take(_ job: UnownedJob, isHere: Bool) -> (NotVirtual.Reason?, wakes: Bool) {
      // Abandoned work gets no more turns, because it may be an infinite loop.
      guard givenUp == nil else { return (nil, false) }
      ready.append(job)
      let isLate =
        !isHere && run?.isVirtual == true && run?.waiter != nil && !turns.has(Self.task(of: job))
      return (isLate ? .wentOutside : nil, wake())
    }

    /// Marks the jobs as running, and returns whether the caller must start running them.
    mutating func wake() -> Bool {
      !exchange(&isAwake, with: true)
    }

    mutating func newSleeper() -> Int {
      lastSleeper += 1
      return lastSleeper
    }

    /// Adds a sleeper.
    ///
    /// - Returns: The error if the task may not sleep.
    mutating func sleep(_ number: Int, until moment: Duration, _ sleeper: Sleeper) -> (any Error)? {
      // A cancellation after this check finds the sleeper.
      if Task.isCancelled { return CancellationError() }
      guard let run, !run.isDone else { return NotVirtual(.noRun) }
      if let reason = run.reason { return NotVirtual(reason) }
      sleepers[number] = sleeper
      due.add(number, due: max(moment, time))
      return nil
    }

    mutating func takeSleeper(_ number: Int) -> Sleeper? { sleepers.removeValue(forKey: number) }

    /// Removes and returns all sleepers, in the order in which they were added.
    mutating func takeSleepers() -> [Sleeper] {
      defer { (sleepers, due) = ([:], TimerHeap()) }
      return sleepers.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Counts a read of the clock, and returns whether the number shows that the turn is a loop.
    mutating func read() -> Bool {
      guard run?.isVirtual == true else { return false }
      reads += 1
      return reads > VirtualClock.readsMax
    }

    // MARK: Steps

    /// Returns the next step.
    mutating func step() -> Step {
      if let run, run.waiter == nil { return rest() }
      if let run, !run.isDone, turns.isBusyWait {
        // After a failure, the run gets the same number of turns again to end.
        turns.clear()
        return run.reason == nil ? .fail(.busyWait) : giveUp()
      }
      if let job = ready.popFirst() {
        reads = 0
        turns.add()
        turns.note(Self.task(of: job))
        turnsInAll += 1
        return .job(job)
      }
      if run?.isVirtual == true, let woken = move() { return .wake(woken) }
      guard let run, !run.isDone else { return rest() }
      if run.patience <= .zero || hasStood {
        hasStood = false
        return run.reason == nil ? .fail(.standstill(run.patience)) : giveUp()
      }
      if isWatched { return rest() }
      isWatched = true
      return rest(.stand(run.patience, turns: turnsInAll))
    }

    /// Records that no jobs run after this step.
    private mutating func rest(_ step: Step = .rest) -> Step {
      isAwake = false
      return step
    }

    /// Checks whether there were no turns since a number of turns.
    ///
    /// - Returns: Whether the caller must start running the jobs.
    mutating func look(since turns: Int) -> Bool {
      isWatched = false
      hasStood = !isAwake && turnsInAll == turns
      return wake()
    }

    /// Advances the time to the next sleepers.
    private mutating func move() -> [Sleeper]? {
      var woken: [Sleeper] = []
      while let moment = due.next, woken.isEmpty || moment <= time {
        guard let (_, number) = due.popFirst(), let sleeper = takeSleeper(number) else { continue }
        if moment > time {
          time = moment
          turns.clear()
        }
        woken.append(sleeper)
      }
      return woken.isEmpty ? nil : woken
    }

    // MARK: The end

    /// Records the reason why the run is not virtual.
    ///
    /// - Returns: The function that cancels the work; `nil` if the run has ended.
    mutating func fail(_ reason: NotVirtual.Reason) -> (@Sendable () -> Void)? {
      guard run?.isVirtual == true else { return nil }
      run?.reason = reason
      run?.failed = .now
      // Without a function yet, the cancellation happens as soon as there is one.
      return run?.cancel ?? { @Sendable in }
    }

    /// Sets the caller that waits for the end, and allows the first turn. Turns do not begin
    /// earlier, so that the work can always be cancelled.
    ///
    /// - Returns: Whether the caller must start running the jobs, and the cancellation if it is
    ///   due.
    mutating func wait(
      _ waiter: CheckedContinuation<NotVirtual.Reason?, Never>,
      _ cancel: @escaping @Sendable () -> Void
    ) -> (wakes: Bool, cancel: (@Sendable () -> Void)?) {
      run?.waiter = waiter
      run?.cancel = cancel
      return (wake(), run?.reason == nil ? nil : cancel)
    }

    /// Records that the work has returned.
    mutating func done() -> CheckedContinuation<NotVirtual.Reason?, Never>? {
      guard givenUp == nil else { return nil }
      run?.isDone = true
      return run?.waiter
    }

    /// Ends the run for its caller.
    mutating func close() {
      time = elapsed
      run = nil
    }

    private mutating func giveUp() -> Step {
      let reason = run?.reason ?? .standstill(.zero)
      givenUp = reason
      while ready.popFirst() != nil {}
      return rest(.giveUp(run?.waiter, reason))
    }

    /// Returns the identity of a job's task, valid while the task exists. If a task is created in
    /// place of another one within an instant, both belong to that instant.
    private static func task(of job: UnownedJob) -> UInt64 {
      UInt64(UInt(bitPattern: unsafeBitCast(job, to: UnsafeRawPointer.self)))
    }
  }

  /// The number of clock reads in one turn that counts as waiting in a loop.
  private static let readsMax = 100_000
  /// The turns after which the queue releases its thread, so that autoreleased objects are freed.
  private static let turnsInARow = 1_000
  private static let here = DispatchSpecificKey<ObjectIdentifier>()

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "windtunnel.virtual-clock")

  /// Creates a clock. It stays at zero until a run on it begins.
  public init() { queue.setSpecific(key: Self.here, value: ObjectIdentifier(self)) }

  /// The current instant of the clock.
  public var now: Instant {
    let isHere = isHere
    let (elapsed, isLoop) = state.withLock { ($0.elapsed, isHere && $0.read()) }
    if isLoop { fail(.busyWait) }
    return Instant(elapsed: elapsed)
  }

  /// The smallest step of the clock. Sleepers wake at exactly their instant.
  public var minimumResolution: Duration { Duration(secondsComponent: 0, attosecondsComponent: 1) }

  /// Waits until an instant. Tasks with the same instant are woken in the order of their waits.
  ///
  /// - Parameters:
  ///   - deadline: The instant.
  ///   - tolerance: Ignored, because the task is woken at exactly the instant.
  /// - Throws: `CancellationError`, or ``NotVirtual`` if the clock does not advance for this task.
  @concurrent public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let isOurs = withUnsafeCurrentTask { $0?.unownedTaskExecutor == asUnownedTaskExecutor() }
    guard isOurs else {
      guard state.withLock({ $0.run?.isDone == false }) else { throw NotVirtual(.noRun) }
      fail(.foreignTask)
      throw NotVirtual(.foreignTask)
    }
    let number = state.withLock { $0.newSleeper() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { sleeper in
        let error = state.withLock { $0.sleep(number, until: deadline.elapsed, sleeper) }
        if let error { sleeper.resume(throwing: error) }
      }
    } onCancel: {
      state.withLock { $0.takeSleeper(number) }?.resume(throwing: CancellationError())
    }
  }

  /// Adds a job of a task that runs on this clock.
  public func enqueue(_ job: consuming ExecutorJob) {
    let (job, isHere) = (UnownedJob(job), isHere)
    let (reason, wakes) = state.withLock { $0.take(job, isHere: isHere) }
    if let reason { fail(reason) }
    if wakes { queue.async { self.haveTurns() } }
  }

  /// Runs work on this clock.
  func run<Value: Sendable>(
    in order: TurnOrder,
    patience: Duration,
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    if let reason = state.withLock({ $0.begin(order, patience: patience) }) {
      throw NotVirtual(reason)
    }
    defer { state.withLock { $0.close() } }
    let task = Task(executorPreference: self) {
      // No later than at the instant of its last turn.
      defer { self.end() }
      return try await work()
    }
    // The work is not a child task, so that it can be abandoned if a cancellation does not end it.
    let reason = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let (wakes, cancel) = state.withLock { $0.wait(waiter) { task.cancel() } }
        cancel?()
        if wakes { queue.async { self.haveTurns() } }
      }
    } onCancel: {
      task.cancel()
    }
    // A cancellation wakes sleepers from another thread.
    try Task.checkCancellation()
    // The result of the work is then invalid.
    if let reason { throw NotVirtual(reason) }
    return try await task.value
  }

  private var isHere: Bool { DispatchQueue.getSpecific(key: Self.here) == ObjectIdentifier(self) }

  // MARK: Turns

  private func haveTurns() {
    for _ in 0..<Self.turnsInARow {
      guard let job = next() else { return }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
    queue.async { self.haveTurns() }
  }

  /// Returns the next job, after all steps that precede it; `nil` if no job is ready.
  private func next() -> UnownedJob? {
    while true {
      switch state.withLock({ $0.step() }) {
      case .job(let job): return job
      case .wake(let sleepers): for sleeper in sleepers { sleeper.resume() }
      case .fail(let reason): fail(reason)
      case .stand(let patience, let turns):
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: patience.inNanoseconds))) {
          if self.state.withLock({ $0.look(since: turns) }) { self.haveTurns() }
        }
        return nil
      case .giveUp(let waiter, let reason):
        waiter?.resume(returning: reason)
        return nil
      case .rest: return nil
      }
    }
  }

  // MARK: The end

  /// Ends the run with a failure: the work is cancelled, and all sleepers are woken.
  private func fail(_ reason: NotVirtual.Reason) {
    guard let cancel = state.withLock({ $0.fail(reason) }) else { return }
    cancel()
    for sleeper in state.withLock({ $0.takeSleepers() }) {
      sleeper.resume(throwing: NotVirtual(reason))
    }
  }

  private func end() {
    let (waiter, left, reason) = state.withLock { ($0.done(), $0.takeSleepers(), $0.run?.reason) }
    for sleeper in left { sleeper.resume(throwing: NotVirtual(.noRun)) }
    waiter?.resume(returning: reason)
  }
}
