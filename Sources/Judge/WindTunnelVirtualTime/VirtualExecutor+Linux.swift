#if os(Linux)
  // The experimental interfaces of Swift's concurrency stand in this file alone. Known for Swift
  // 6.3: `SchedulingExecutor` is asked for each sleep below a preference, and
  // `swift_task_enqueueGlobal_hook` sees the jobs that have none.
  @_spi(ExperimentalScheduling) internal import _Concurrency
  internal import CWindTunnelClock
  internal import Synchronization
  @_spi(WindTunnel) internal import WindTunnelCore

  /// The executor of a run: what is enqueued has its turn on the loop, and sleeps are its timers.
  final class VirtualExecutor: TaskExecutor, SchedulingExecutor {
    let loop: VirtualLoop

    init(_ loop: VirtualLoop) { self.loop = loop }

    /// Tells whether this thread is in a run.
    static var isHere: Bool { VirtualLoop.current?.isOver == false }

    /// The reason for which there can be none; `nil` where there can.
    static var hindrance: String? {
      if hooks == nil { return "this Swift runtime has no hook for jobs." }
      guard wt_clock_has_dispatch() else {
        return "this program has Dispatch linked into it, whose timers go by the machine's time."
      }
      return nil
    }

    /// Starts the loop on its thread.
    func start() {
      Self.runs.withLock { $0.append(loop) }
      Self.count.add(1, ordering: .sequentiallyConsistent)
      loop.start { [self] job in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Ends the run, of which the process has forgotten then.
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
      let nanoseconds = delay?.clampedNanoseconds
      guard !loop.take(.job(job), after: nanoseconds) else { return }
      // A thread of its own sleeps by the machine's time.
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
    /// Their number: jobs of all the process are asked for it.
    private static let count = Atomic(0)

    /// Sets the hooks, once for all: jobs that are no run's go where they would have gone.
    private static let hooks: Void? = {
      guard let global = wt_global_hook() else { return nil }
      let hook: Hook = { job, original in
        if VirtualExecutor.take(job) { return }
        // A neighbour's goes where it would have gone, and is no work of the run's.
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

    /// The run that a job is of: that of the thread from which it comes, or the one that knows its
    /// task.
    private static func owner(of job: UnownedJob) -> VirtualLoop? {
      guard let here = VirtualLoop.current else {
        return runs.withLock { $0.first { $0.knows(job) } }
      }
      if here.knows(job) { return here }
      // What another run waits for comes back late there, and has not this one's time.
      if count.load(ordering: .relaxed) > 1 {
        let other = runs.withLock { $0.first { $0 !== here && $0.knows(job) } }
        if let other { return other }
      }
      return here.isOwn(job) ? here : nil
    }
  }

  extension Swift.Duration {
    /// The nanoseconds; of more than a hundred years as many as fit.
    fileprivate var clampedNanoseconds: Int64 {
      components.seconds > 3_200_000_000 ? .max : inNanoseconds
    }
  }
#endif
