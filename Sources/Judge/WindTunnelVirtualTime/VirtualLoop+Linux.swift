#if os(Linux)
  internal import Dispatch
  internal import CWindTunnelClock
  internal import Foundation
  internal import Synchronization
  @_spi(WindTunnel) internal import WindTunnelCore

  /// The single thread of a run. It runs everything that is ready, and if nothing is, it advances
  /// the time to the next timer.
  ///
  /// State without a lock belongs to the thread with the loop's identity. This is the loop's
  /// thread, or the main thread while the loop waits for it.
  final class VirtualLoop: @unchecked Sendable {
    /// The items that the loop processes.
    enum Turn {
      /// A job of Swift's concurrency.
      case job(UnownedJob)
      /// Delayed Dispatch work, or work for the main queue.
      case delayed(wt_delayed)
      /// The end of a sleep on a thread that does the loop's work.
      case wake(DispatchSemaphore)
    }

    /// An item that another thread delivers.
    private struct SubmittedWork {
      var turn: Turn
      /// The nanoseconds after which the item is due. `nil` means that it is ready.
      var delay: Int64?
      /// The number of the work that delivered it, or 0 if the loop had not handed out that work.
      var work: Int64
    }

    /// The state that other threads share.
    private struct Inbox {
      var arrivals: [SubmittedWork] = []
      /// The number of work items on dispatch queues that are neither finished nor asleep.
      var out = 0
      var lastWork: Int64 = 0
      /// The threads that do such work, by its number. Work that has not begun has no thread.
      var doers: [Int64: Int32] = [:]
      /// The number of the loop's thread, and below whether it waits for others.
      var loop: Int32 = 0
      var isListening = false
      var isOver = false
      var reason: NotVirtual.Reason?
      /// The continuation that waits for the end.
      var waiting: CheckedContinuation<Void, Never>?
      /// The function that receives a crash.
      var hearsOfCrash: (@Sendable (Crash) -> Void)?
      var hasCrashed = false

      /// Whether the loop must read the inbox before its next turn.
      var isOfInterest: Bool { out > 0 || !arrivals.isEmpty }
    }

    /// The real time after which the loop no longer waits for threads that deliver nothing.
    private static let patience = Duration.seconds(10)
    /// The real time for which ready items wait for other threads. After that, the loop checks
    /// whether one of these threads itself waits for a ready item.
    private static let grace = Duration.milliseconds(20)
    /// The real time between two checks of these threads.
    private static let glance = Duration.milliseconds(10)
    /// The real time between two checks of the loop's thread by such a thread, in seconds.
    private static let loopGlance = 0.000_1
    /// The maximum duration of a run in nanoseconds: a hundred years, so that no sum of times
    /// overflows. Later timers never fire.
    private static let longest: Int64 = 100 * 365 * 86_400 * 1_000_000_000

    private let inbox = NSCondition()
    private var box = Inbox() {
      didSet { hasNews.store(box.isOfInterest, ordering: .releasing) }
    }
    /// A copy of ``Inbox/isOfInterest`` that is read without the lock. It is usually `false`, and
    /// every turn reads it.
    private let hasNews = Atomic<Bool>(false)
    private var ready: ReadyQueue<Turn>
    private var timers = TimerHeap<Int64, Turn>()
    /// The virtual time since the beginning in nanoseconds, which other threads read.
    private let time = Atomic<Int64>(0)
    /// The real time at the end of the run; 0 before it.
    private let ended = Atomic<Int64>(0)
    /// The number of threads that sleep.
    private var sleepers = 0
    private var turns = InstantTurns()
    /// The tasks of the run that have no executor preference to identify them.
    private var ownTasks: Set<UInt64> = []
    private var hasBegun = false
    /// The number of the run's first task. Numbers increase.
    private let firstTask = Atomic<UInt64>(.max)
    /// Runs a job on the executor; `nil` after the loop has ended.
    private var run: (@Sendable (UnownedJob) -> Void)?
    private let timekeeper = UnsafeMutablePointer<wt_timekeeper>.allocate(capacity: 1)

    init(_ order: TurnOrder, seed: UInt64?, startingAt wall: Duration?) {
      ready = ReadyQueue(order)
      timekeeper.initialize(to: wt_timekeeper())
      wt_clock_start(timekeeper)
      if let seed { (timekeeper.pointee.isSeeded, timekeeper.pointee.seed) = (true, seed) }
      if let wall { timekeeper.pointee.wall = wall.inNanoseconds }
      timekeeper.pointee.keeper = Unmanaged.passUnretained(self).toOpaque()
      timekeeper.pointee.elapsed = { VirtualLoop.at($0).elapsed }
      timekeeper.pointee.pass = { VirtualLoop.at($0).pass($1) }
      timekeeper.pointee.delay = { VirtualLoop.at($0).delay($1) }
      timekeeper.pointee.handOut = { VirtualLoop.at($0).handOut() }
      timekeeper.pointee.begin = { VirtualLoop.at($0).begin($1, on: $2) }
      timekeeper.pointee.handIn = { VirtualLoop.at($0).handIn($1) }
      timekeeper.pointee.tell = { VirtualLoop.at($0).tell($1) }
    }

    deinit { timekeeper.deallocate() }

    /// Returns the loop of a timekeeper.
    static func at(_ keeper: UnsafeMutableRawPointer?) -> VirtualLoop {
      // There is always a loop, because every timekeeper of a thread contains one.
      unsafeBitCast(keeper, to: VirtualLoop.self)
    }

    /// The loop whose time this thread uses.
    static var current: VirtualLoop? { wt_clock_keeper().map(at) }

    private var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Whether this thread has the loop's identity.
    private var isHere: Bool { wt_clock_loop() == opaque }

    /// Whether this thread does work that the loop has handed out.
    private var isHelper: Bool { wt_clock_work() != 0 && wt_clock_keeper() == opaque }

    private var now: Int64 { time.load(ordering: .relaxed) }

    /// The time since the beginning. After the end of the run, it follows real time.
    private var elapsed: Int64 {
      let end = ended.load(ordering: .acquiring)
      return end == 0 ? now : now + (wt_clock_real() - end)
    }

    // MARK: Input

    /// Adds an item that is ready, now or after a delay.
    ///
    /// - Returns: `false` if the run is over. With a delay, also `false` if this thread does not
    ///   use the loop's time.
    func take(_ turn: Turn, after delay: Int64? = nil) -> Bool {
      guard isHere else { return (delay == nil || isHelper) && bring(turn, after: delay) }
      add(turn, after: delay)
      return true
    }

    private func add(_ turn: Turn, after delay: Int64?) {
      guard let delay else { return ready.append(turn) }
      let isNever = delay > Self.longest - now
      timers.add(turn, due: isNever ? .max : now + max(0, delay))
    }

    private func bring(_ turn: Turn, after delay: Int64?) -> Bool {
      let work = isHelper ? wt_clock_work() : 0
      inbox.lock()
      defer { inbox.unlock() }
      guard !box.isOver else { return false }
      box.arrivals.append(SubmittedWork(turn: turn, delay: delay, work: work))
      inbox.broadcast()
      return true
    }

    /// Returns whether a job without an executor belongs to the run, and records its task.
    ///
    /// Every job that the run's threads start or wake belongs to it, except jobs of tasks that are
    /// older than the run. Such a task belongs to other code, or waits for the run's end.
    func isOwn(_ job: UnownedJob) -> Bool {
      let task = Self.task(of: job)
      if isHere || isHelper {
        guard task == 0 || task >= firstTask.load(ordering: .relaxed) else { return false }
        inbox.withLock { _ = ownTasks.insert(task) }
        return true
      }
      return knows(job)
    }

    /// Returns whether a job belongs to a known task of the run.
    func knows(_ job: UnownedJob) -> Bool {
      let task = Self.task(of: job)
      guard task != 0 else { return false }
      return inbox.withLock { ownTasks.contains(task) }
    }

    private static func task(of job: UnownedJob) -> UInt64 {
      wt_task_number(unsafeBitCast(job, to: UnsafeRawPointer.self))
    }

    // MARK: The loop

    /// Starts the loop on a thread that does nothing else.
    func start(running run: @escaping @Sendable (UnownedJob) -> Void) {
      self.run = run
      LoopThread.run { [self] in loop() }
    }

    private func loop() {
      inbox.withLock { box.loop = wt_clock_thread() }
      wt_clock_keep(timekeeper, true)
      while let turn = next() { have(turn) }
      wt_clock_keep(nil, false)
      handOn()
      run = nil
    }

    /// Returns the next item. Waits for other threads if none is ready; `nil` if the run is over.
    private func next() -> Turn? {
      while !isOver {
        let came = arrivals()
        for arrival in came { welcome(arrival) }
        if let turn = ready.popFirst() {
          turns.add()
          if turns.isBusyWait { end(.busyWait) }
          return turn
        }
        guard came.isEmpty, !isOver else { continue }
        if let due = timers.next, due < .max {
          move(to: max(now, due))
          while timers.next.map({ $0 <= now }) == true, let timer = timers.popFirst() {
            ready.append(timer.element)
          }
        } else if !waits(for: Self.patience, until: { !$0.arrivals.isEmpty }) {
          end(.standstill(Self.patience))
        }
      }
      return nil
    }

    /// Returns the items from other threads, in the order of their work items. The time does not
    /// advance while any of that work is unfinished.
    private func arrivals() -> [SubmittedWork] {
      guard hasNews.load(ordering: .acquiring) else { return [] }
      if isOut, !waits(for: Self.grace, until: { $0.out == 0 }), !isSettled() {
        end(.standstill(Self.patience))
      }
      inbox.lock()
      defer { inbox.unlock() }
      guard !box.arrivals.isEmpty else { return [] }
      let came = exchange(&box.arrivals, with: [])
      // Stable, so that the items of one work item keep their order.
      return came.enumerated()
        .sorted { ($0.element.work, $0.offset) < ($1.element.work, $1.offset) }
        .map(\.element)
    }

    /// Waits until all work on dispatch queues is finished, or only waits for a ready item or for
    /// an item of another thread. Work that has not begun on a busy machine is waited for.
    /// Otherwise, the order would depend on the machine.
    ///
    /// - Returns: `false` if the work is not finished and no other item is left.
    private func isSettled() -> Bool {
      let isBusy = !ready.isEmpty
      let end = wt_clock_real() + Self.patience.inNanoseconds
      // A single check may find a thread between two steps.
      var looksAsleep = 0
      while true {
        let (hasNext, doers) = inbox.withLock {
          (isBusy || !box.arrivals.isEmpty, Array(box.doers.values))
        }
        let sleeps = doers.isEmpty ? wt_clock_sleeps(0) : doers.allSatisfy { wt_clock_sleeps($0) }
        looksAsleep = hasNext && sleeps ? looksAsleep + 1 : 0
        if looksAsleep == 2 { return true }
        if wt_clock_real() > end { return hasNext }
        if waits(for: Self.glance, until: { $0.out == 0 }) { return true }
      }
    }

    private var isOut: Bool { inbox.withLock { box.out > 0 } }

    /// Waits for other threads in real time. Returns whether the condition is met, or the run is
    /// over.
    private func waits(for time: Duration, until isThere: (Inbox) -> Bool) -> Bool {
      // Foundation's clocks and sleeps are used here.
      wt_clock_keep(nil, false)
      defer { if !isOver { wt_clock_keep(timekeeper, true) } }
      let end = Date(timeIntervalSinceNow: time.inMilliseconds / 1000)
      inbox.lock()
      box.isListening = true
      inbox.broadcast()
      defer {
        box.isListening = false
        inbox.unlock()
      }
      while !box.isOver, !isThere(box) {
        guard inbox.wait(until: end) else { return box.isOver || isThere(box) }
      }
      return true
    }

    /// Waits for a real time. An item that arrives during it is too late.
    func listen(for time: Duration) {
      guard isHere, waits(for: time, until: { !$0.arrivals.isEmpty || $0.out > 0 }), !isOver else {
        return
      }
      end(.cameBackLate)
    }

    /// Handles an item from another thread.
    private func welcome(_ arrival: SubmittedWork) {
      if arrival.work == 0, case .job(let job) = arrival.turn {
        let task = Self.task(of: job)
        if !hasBegun { firstTask.store(task, ordering: .relaxed) }
        if hasBegun, !turns.has(task) { end(.cameBackLate) }
        hasBegun = true
      }
      if case .wake = arrival.turn { sleepers += 1 }
      add(arrival.turn, after: arrival.delay)
    }

    private func have(_ turn: Turn) {
      switch turn {
      case .job(let job):
        turns.note(Self.task(of: job))
        run?(job)
      case .delayed(let work):
        if wt_clock_is_main(work) {
          onMain { work.work(work.context) }
        } else if sleepers > 0, !wt_clock_is_of_runtime(work) {
          // The work's queue may be that of a sleeping thread.
          wt_clock_hand_out(timekeeper, work)
        } else {
          wt_clock_do(work)
        }
      case .wake(let semaphore):
        sleepers -= 1
        inbox.withLock { box.out += 1 }
        semaphore.signal()
      }
    }

    private func move(to moment: Int64) {
      guard moment > now else { return }
      time.store(moment, ordering: .relaxed)
      turns.clear()
    }

    // MARK: Threads with this time

    private func pass(_ nanoseconds: Int64) -> Bool {
      guard ended.load(ordering: .acquiring) == 0 else { return false }
      if isHere {
        move(to: now + min(nanoseconds, Self.longest - now))
        return true
      }
      let semaphore = DispatchSemaphore(value: 0)
      inbox.lock()
      guard !box.isOver else {
        inbox.unlock()
        return false
      }
      let work = wt_clock_work()
      box.arrivals.append(SubmittedWork(turn: .wake(semaphore), delay: nanoseconds, work: work))
      box.out -= 1
      let thread = box.doers.removeValue(forKey: work)
      inbox.broadcast()
      inbox.unlock()
      semaphore.wait()
      inbox.withLock { box.doers[work] = thread }
      return true
    }

    private func delay(_ work: wt_delayed) -> Bool {
      take(.delayed(work), after: work.delay > 0 ? work.delay : nil)
    }

    /// Registers a work item handed to a dispatch queue, and returns its number.
    private func handOut() -> Int64 {
      inbox.lock()
      defer { inbox.unlock() }
      guard !box.isOver else { return 0 }
      box.out += 1
      box.lastWork += 1
      _ = Unmanaged.passRetained(self)
      return box.lastWork
    }

    /// Begins a work item after the end of the turn that dispatched it. Otherwise, it would depend
    /// on the machine whether its items arrive during that turn or after it. If the turn itself
    /// waits for the work, the work begins at once.
    private func begin(_ work: Int64, on thread: Int32) {
      var looksAsleep = 0
      inbox.lock()
      while !box.isListening, !box.isOver, looksAsleep < 2 {
        _ = inbox.wait(until: Date(timeIntervalSinceNow: Self.loopGlance))
        looksAsleep = wt_clock_sleeps(box.loop) ? looksAsleep + 1 : 0
      }
      box.doers[work] = thread
      inbox.unlock()
    }

    private func handIn(_ work: Int64) {
      inbox.lock()
      box.out -= 1
      box.doers[work] = nil
      inbox.broadcast()
      inbox.unlock()
      Unmanaged.passUnretained(self).release()
    }

    private func tell(_ event: Int32) {
      switch event {
      case Int32(WT_CLOCK_BUSY.rawValue): end(.busyWait)
      case Int32(WT_CLOCK_BLOCKED.rawValue): end(.blockingWait)
      default: end(.dispatchTimer)
      }
    }

    /// Runs an action on the main queue with this time, and waits for its end.
    private func onMain(_ action: @escaping @Sendable () -> Void) {
      let done = DispatchSemaphore(value: 0)
      // While the main thread uses the time, this thread must not. Otherwise, items that it sends
      // to the main queue would return here.
      wt_clock_keep(nil, false)
      DispatchQueue.main.async { [self] in
        wt_clock_keep(timekeeper, true)
        // Without its thread, the main queue would no longer run anything.
        let contains = timekeeper.pointee.containsCrashes
        timekeeper.pointee.containsCrashes = false
        action()
        timekeeper.pointee.containsCrashes = contains
        wt_clock_keep(nil, false)
        done.signal()
      }
      done.wait()
      if !isOver { wt_clock_keep(timekeeper, true) }
    }

    // MARK: Crashes

    /// Contains crashes from now on: a crash ends only its thread, and another thread continues the
    /// loop. The order of the turns does not change.
    func containCrashes(telling tell: @escaping @Sendable (Crash) -> Void) {
      CrashWatch.begin()
      timekeeper.pointee.containsCrashes = true
      inbox.withLock { box.hearsOfCrash = tell }
    }

    /// Continues without the thread that has crashed.
    func goOn(after crash: wt_clock_crash) {
      let tell = inbox.withLock {
        box.hasCrashed = true
        return box.hearsOfCrash
      }
      tell?(Crash(signal: crash.signal))
      guard crash.isLoop else { return handIn(crash.work) }
      LoopThread.run { [self] in
        wt_clock_keep(timekeeper, true)
        loop()
      }
    }

    // MARK: The end

    /// Whether the run is over. Its time then follows real time.
    var isOver: Bool { ended.load(ordering: .acquiring) != 0 }

    /// The reason why the run was not virtual, or `nil` if none was detected.
    var reason: NotVirtual.Reason? { inbox.withLock { box.reason } }

    /// Returns when the run is over.
    func untilOver() async {
      await withCheckedContinuation { continuation in
        inbox.lock()
        let isOver = box.isOver
        if !isOver { box.waiting = continuation }
        inbox.unlock()
        if isOver { continuation.resume() }
      }
    }

    /// Ends the run. Remaining work continues in real time.
    func end(_ reason: NotVirtual.Reason? = nil) {
      inbox.lock()
      guard !box.isOver else { return inbox.unlock() }
      (box.isOver, box.reason) = (true, reason)
      ended.store(wt_clock_real(), ordering: .releasing)
      let waiting = box.waiting.take()
      inbox.broadcast()
      inbox.unlock()
      // The loop ends after this turn. For the rest of the turn, the time follows real time.
      if isHere { wt_clock_keep(timekeeper, false) }
      waiting?.resume()
    }

    /// Passes all remaining items on to be run in real time. After a crash they are dropped, as for
    /// an ended process.
    private func handOn() {
      inbox.lock()
      let came = exchange(&box.arrivals, with: [])
      // The caller still waits for the work of a run that was not virtual.
      let isDead = box.hasCrashed && box.reason == nil
      inbox.unlock()
      guard !isDead else { return }
      for arrival in came { handOn(arrival.turn, after: arrival.delay ?? 0) }
      while let turn = ready.popFirst() { handOn(turn, after: 0) }
      while let timer = timers.popFirst() { handOn(timer.element, after: timer.due - now) }
    }

    private func handOn(_ turn: Turn, after nanoseconds: Int64) {
      switch turn {
      case .job(let job):
        if let run { Self.later(nanoseconds) { run(job) } }
      case .delayed(let work): Self.later(nanoseconds) { wt_clock_do(work) }
      case .wake(let semaphore): Self.later(nanoseconds) { semaphore.signal() }
      }
    }

    /// Runs an action after a real time.
    static func later(_ nanoseconds: Int64, _ action: @escaping @Sendable () -> Void) {
      DispatchQueue.global().asyncAfter(
        deadline: .now() + .nanoseconds(Int(clamping: nanoseconds)),
        execute: action
      )
    }
  }
#endif
