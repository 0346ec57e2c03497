internal import Dispatch
@_spi(WindTunnel) internal import WindTunnelCore

/// A clock for code that takes one, which moves when nothing is left to do at its present instant.
///
/// It asks nothing of the compiler, the runtime or the system: it is an executor of tasks as well,
/// and so knows when none of them is ready any more. See ``VirtualTime/run(on:in:patience:_:)``.
///
/// A client that starts tasks of its own hands the clock to them, too:
/// `Task(executorPreference: clock) { … }`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class VirtualClock: Clock, TaskExecutor {
  /// A moment of a clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public let elapsed: Duration

    /// Makes the moment so long after the clock was made.
    public init(elapsed: Duration) { self.elapsed = elapsed }

    /// Returns the moment that is so much later.
    public func advanced(by duration: Duration) -> Self { Self(elapsed: elapsed + duration) }

    /// Returns the time from this moment to another.
    public func duration(to other: Self) -> Duration { other.elapsed - elapsed }

    /// Tells whether a moment is before another.
    public static func < (left: Self, right: Self) -> Bool { left.elapsed < right.elapsed }
  }

  typealias Sleeper = CheckedContinuation<Void, any Error>

  /// The work of one run, and those who have to do with its end.
  private struct Run {
    var patience: Duration
    /// True when the work has returned.
    var isDone = false
    var reason: NotVirtual.Reason?
    /// The machine's time when the reason was seen.
    var failed: ContinuousClock.Instant?
    var cancel: (@Sendable () -> Void)?
    /// Whoever began and waits for the end; `nil`: nothing has had a turn.
    var waiter: CheckedContinuation<NotVirtual.Reason?, Never>?

    /// Tells whether the clock moves.
    var isVirtual: Bool { !isDone && reason == nil }
  }

  /// The next thing that has to be done where the jobs have their turns.
  private enum Step {
    case job(UnownedJob)
    case wake([Sleeper])
    case fail(NotVirtual.Reason)
    /// Nothing is left that could happen; the number is that of the turns so far.
    case stand(Duration, turns: Int)
    case giveUp(CheckedContinuation<NotVirtual.Reason?, Never>?, NotVirtual.Reason)
    case rest
  }

  private struct State: Sendable {
    private var time = Duration.zero
    private(set) var run: Run?
    /// The reason for which work was given up that did not end when it was cancelled.
    private(set) var givenUp: NotVirtual.Reason?
    private var ready = ReadyQueue<UnownedJob>(.arrival)
    private var sleepers: [Int: Sleeper] = [:]
    /// The sleepers by their numbers; those that were woken are among them until they are due.
    private var due = TimerHeap<Duration, Int>()
    private var lastSleeper = 0
    private var turns = InstantTurns()
    private var turnsInAll = 0
    /// The number of times that this turn has read the clock.
    private var reads = 0
    /// True while jobs have their turns, or will have them at once.
    private var isAwake = false
    /// True while somebody looks after a time of the machine's whether the run still stands.
    private var isWatched = false
    /// True where that one has seen that it does.
    private var hasStood = false

    /// The time since the clock was made. It goes on by the machine's where the run has failed, so
    /// that whoever waits for a moment in a loop comes to an end.
    var elapsed: Duration {
      guard let failed = run?.failed else { return time }
      return time + (ContinuousClock.now - failed)
    }

    // MARK: What comes

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

    /// Takes a job.
    ///
    /// - Returns: The reason for which the run is none any more, and true where nobody has the jobs
    ///   take their turns.
    mutating func take(_ job: UnownedJob, isHere: Bool) -> (NotVirtual.Reason?, wakes: Bool) {
      // Work that was given up has no more turns: it may be a loop without an end.
      guard givenUp == nil else { return (nil, false) }
      ready.append(job)
      let isLate =
        !isHere && run?.isVirtual == true && run?.waiter != nil && !turns.has(Self.task(of: job))
      return (isLate ? .wentOutside : nil, wake())
    }

    /// Tells whether nobody has the jobs take their turns, and notes that somebody will.
    mutating func wake() -> Bool {
      defer { isAwake = true }
      return !isAwake
    }

    mutating func newSleeper() -> Int {
      lastSleeper += 1
      return lastSleeper
    }

    /// Lets a sleeper lie down.
    ///
    /// - Returns: The error for one that may not.
    mutating func sleep(_ number: Int, until moment: Duration, _ sleeper: Sleeper) -> (any Error)? {
      // Whoever cancels after this look finds the sleeper.
      if Task.isCancelled { return CancellationError() }
      guard let run, !run.isDone else { return NotVirtual(.noRun) }
      if let reason = run.reason { return NotVirtual(reason) }
      sleepers[number] = sleeper
      due.add(number, due: max(moment, time))
      return nil
    }

    mutating func takeSleeper(_ number: Int) -> Sleeper? { sleepers.removeValue(forKey: number) }

    /// Takes all that sleep, in the order in which they lay down.
    mutating func takeSleepers() -> [Sleeper] {
      defer { (sleepers, due) = ([:], TimerHeap()) }
      return sleepers.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Counts a look at the clock; true where it is one of a loop's.
    mutating func read() -> Bool {
      guard run?.isVirtual == true else { return false }
      reads += 1
      return reads > VirtualClock.readsMax
    }

    // MARK: What follows

    /// Decides what happens next.
    mutating func step() -> Step {
      if let run, run.waiter == nil { return rest() }
      if let run, !run.isDone, turns.isBusyWait {
        // When the run has failed as many turns once more.
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

    /// Notes that nobody has the jobs take their turns after this.
    private mutating func rest(_ step: Step = .rest) -> Step {
      isAwake = false
      return step
    }

    /// Looks whether the run has stood since a number of turns.
    ///
    /// - Returns: True where that has to be followed up.
    mutating func look(since turns: Int) -> Bool {
      isWatched = false
      hasStood = !isAwake && turnsInAll == turns
      return wake()
    }

    /// Moves the time to the next sleepers.
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

    /// Notes why the run is none.
    ///
    /// - Returns: The cancellation of the work; `nil` where the run is over.
    mutating func fail(_ reason: NotVirtual.Reason) -> (@Sendable () -> Void)? {
      guard run?.isVirtual == true else { return nil }
      run?.reason = reason
      run?.failed = .now
      // Where there is none yet it is called as soon as there is.
      return run?.cancel ?? { @Sendable in }
    }

    /// Lets whoever began wait for the end, and the first turn be had: not before, so that the work
    /// can be cancelled from then on.
    ///
    /// - Returns: True where nobody has the jobs take their turns, and the cancellation, where
    ///   there is a reason for it by now.
    mutating func wait(
      _ waiter: CheckedContinuation<NotVirtual.Reason?, Never>,
      _ cancel: @escaping @Sendable () -> Void
    ) -> (wakes: Bool, cancel: (@Sendable () -> Void)?) {
      run?.waiter = waiter
      run?.cancel = cancel
      return (wake(), run?.reason == nil ? nil : cancel)
    }

    /// Notes that the work has returned.
    mutating func done() -> CheckedContinuation<NotVirtual.Reason?, Never>? {
      guard givenUp == nil else { return nil }
      run?.isDone = true
      return run?.waiter
    }

    /// Ends the run for whoever began it.
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

    /// The identity of a job's task, as long as that lives: where one is made in the place of
    /// another within an instant, both are of that instant.
    private static func task(of job: UnownedJob) -> UInt64 {
      UInt64(UInt(bitPattern: unsafeBitCast(job, to: UnsafeRawPointer.self)))
    }
  }

  /// A turn that reads the clock so often waits in a loop.
  private static let readsMax = 100_000
  /// The turns after which the queue gets its thread back: what Objective-C releases is freed then.
  private static let turnsInARow = 1_000
  private static let here = DispatchSpecificKey<ObjectIdentifier>()

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "windtunnel.virtual-clock")

  /// Makes a clock, which stands at zero until something runs on it.
  public init() { queue.setSpecific(key: Self.here, value: ObjectIdentifier(self)) }

  /// The clock's present moment.
  public var now: Instant {
    let isHere = isHere
    let (elapsed, isLoop) = state.withLock { ($0.elapsed, isHere && $0.read()) }
    if isLoop { fail(.busyWait) }
    return Instant(elapsed: elapsed)
  }

  /// The least step of the clock: it wakes at the very instant.
  public var minimumResolution: Duration { Duration(secondsComponent: 0, attosecondsComponent: 1) }

  /// Waits until a moment; of those who wait for the same one, whoever came first is woken first.
  ///
  /// - Parameters:
  ///   - deadline: The moment.
  ///   - tolerance: A length that is not used, since it is woken at the very instant.
  /// - Throws: `CancellationError`, and ``NotVirtual`` where the clock is not moved for this task.
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

  /// Takes a job of a task that runs on this clock.
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
      // At no later instant than its last turn.
      defer { self.end() }
      return try await work()
    }
    // The work is no child, so that it can be given up where no cancellation ends it.
    let reason = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let (wakes, cancel) = state.withLock { $0.wait(waiter) { task.cancel() } }
        cancel?()
        if wakes { queue.async { self.haveTurns() } }
      }
    } onCancel: {
      task.cancel()
    }
    // Whoever cancels wakes sleepers from another thread.
    try Task.checkCancellation()
    // What it has returned says nothing then.
    if let reason { throw NotVirtual(reason) }
    return try await task.value
  }

  private var isHere: Bool { DispatchQueue.getSpecific(key: Self.here) == ObjectIdentifier(self) }

  // MARK: The turns

  private func haveTurns() {
    for _ in 0..<Self.turnsInARow {
      guard let job = next() else { return }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
    queue.async { self.haveTurns() }
  }

  /// Returns the next job, when all that is to be done before it is; `nil` where nothing is ready.
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

  /// Ends the run: the work is cancelled, and nobody sleeps any more.
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
