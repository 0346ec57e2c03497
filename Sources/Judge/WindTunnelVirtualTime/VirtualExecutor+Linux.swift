#if os(Linux)
  // Only this file uses the experimental interfaces of Swift's concurrency. Known for Swift 6.3:
  // `SchedulingExecutor` receives each sleep with an executor preference, and
  // `swift_task_enqueueGlobal_hook` receives the jobs without one.
  @_spi(ExperimentalScheduling) internal import _Concurrency
  internal import CWindTunnelClock
  internal import Synchronization
  @_spi(WindTunnel) internal import WindTunnelCore

  /// The executor of a run. Its jobs run on the loop, and sleeps are the loop's timers.
  final class VirtualExecutor: TaskExecutor, SchedulingExecutor {
    let loop: VirtualLoop

    init(_ loop: VirtualLoop) { self.loop = loop }

    /// Whether this thread is in a run.
    static var isHere: Bool { VirtualLoop.current?.isOver == false }

    /// The reason why virtual time is not supported, or `nil` if it is.
    static var hindrance: String? {
      if hooks == nil { return "this Swift runtime has no hook for jobs." }
      guard wt_clock_has_dispatch() else {
        return "this program links Dispatch, whose timers use the machine's time."
      }
      return nil
    }

    /// Starts the loop on its thread.
    func start() {
      Self.runs.withLock { $0.append(loop) }
      Self.count.add(1, ordering: .sequentiallyConsistent)
      loop.start { [self] job in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Ends the run, and removes it from the runs of the process.
    func end() {
      loop.end()
      let isFirst = Self.runs.withLock { runs in
        defer { runs.removeAll { $0 === loop } }
        return runs.contains { $0 === loop }
      }
      if isFirst { Self.count.subtract(1, ordering: .sequentiallyConsistent) }
    }

    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), after: nil) }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob,
      after delay: C.Duration,
      tolerance: C.Duration?,
      clock: C
    ) {
      let length = delay as? Swift.Duration
      if length == nil { loop.end(.foreignClock) }
      enqueue(UnownedJob(job), after: length ?? .zero)
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob,
      at instant: C.Instant,
      tolerance: C.Duration?,
      clock: C
    ) {
      enqueue(job, after: clock.now.duration(to: instant), tolerance: tolerance, clock: clock)
    }

    private func enqueue(_ job: UnownedJob, after delay: Swift.Duration?) {
      // At most about a hundred years.
      let nanoseconds = delay.map { Swift.min($0, .seconds(3_200_000_000)).inNanoseconds }
      guard !loop.take(.job(job), after: nanoseconds) else { return }
      // A thread outside of the run sleeps by the machine's time.
      if nanoseconds != nil { loop.end(.cameBackLate) }
      VirtualLoop.later(nanoseconds ?? 0) { [self] in
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }

    // MARK: Jobs without a preference

    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// The runs of this process.
    private static let runs = Locked<[VirtualLoop]>([])
    /// The number of runs. It is read for every job in the process.
    private static let count = Atomic(0)

    /// Sets the hooks, once per process. Jobs that belong to no run are passed on as before.
    private static let hooks: Void? = {
      guard let global = wt_global_hook() else { return nil }
      let hook: Hook = { job, original in
        if VirtualExecutor.take(job) { return }
        // A job of other code is passed on, and does not count as work of the run.
        let role = wt_clock_leave()
        original(job)
        wt_clock_return(role)
      }
      UnsafeMutableRawPointer(global).storeBytes(of: hook, as: Hook.self)
      return ()
    }()

    private static func take(_ job: UnownedJob) -> Bool {
      guard count.load(ordering: .sequentiallyConsistent) > 0, let loop = owner(of: job) else {
        return false
      }
      return loop.take(.job(job))
    }

    /// Returns the run of a job: that of the current thread, or the run that knows its task. `nil`
    /// if the job belongs to no run.
    private static func owner(of job: UnownedJob) -> VirtualLoop? {
      guard let here = VirtualLoop.current else {
        return runs.withLock { $0.first { $0.knows(job) } }
      }
      if here.knows(job) { return here }
      // A job that another run waits for counts as late there, and does not get this run's time.
      if count.load(ordering: .relaxed) > 1 {
        let other = runs.withLock { $0.first { $0 !== here && $0.knows(job) } }
        if let other { return other }
      }
      return here.isOwn(job) ? here : nil
    }
  }
#endif
