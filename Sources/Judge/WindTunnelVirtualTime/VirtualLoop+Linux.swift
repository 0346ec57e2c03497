#if os(Linux)
  internal import Dispatch
  internal import CWindTunnelClock
  internal import Foundation
  internal import Synchronization
  @_spi(WindTunnel) internal import WindTunnelCore

  /// One thread on which everything of a run happens: what is ready has its turn, and when nothing
  /// is, the time moves to the next timer.
  ///
  /// What is not behind a lock belongs to whoever has the loop's identity: the loop's thread, or
  /// the main thread while the loop waits for it.
  final class VirtualLoop: @unchecked Sendable {
    /// The things that have their turn.
    enum Turn {
      /// A job of Swift's.
      case job(UnownedJob)
      /// Work that Dispatch was to do later, or on the main queue.
      case delayed(wt_delayed)
      /// The end of a sleep on a thread that does the loop's work.
      case wake(DispatchSemaphore)
    }

    /// A thing that another thread brings.
    private struct Arrival {
      var turn: Turn
      /// The nanoseconds after which it is due; `nil`: it is ready.
      var delay: Int64?
      /// The number of the work in which it was brought; 0: that of none that the loop handed out.
      var work: Int64
    }

    /// The things that other threads have to do with.
    private struct Inbox {
      var arrivals: [Arrival] = []
      /// The number of pieces of work that were handed to Dispatch, and are not done or asleep.
      var out = 0
      var lastWork: Int64 = 0
      /// The threads that do such work, by its number; what has not begun has none.
      var doers: [Int64: Int32] = [:]
      /// The loop's thread, and whether it waits for others.
      var loop: Int32 = 0
      var isListening = false
      var isOver = false
      var reason: NotVirtual.Reason?
      /// The one who waits for the end.
      var waiting: CheckedContinuation<Void, Never>?
      /// The one who hears of a crash.
      var hearsOfCrash: (@Sendable (Crash) -> Void)?
      var hasCrashed = false

      /// Tells whether the loop has to look into it before its next turn.
      var isOfInterest: Bool { out > 0 || !arrivals.isEmpty }
    }

    /// The machine's time after which nobody is waited for any more from whom nothing comes.
    private static let patience = Duration.seconds(10)
    /// The machine's time for which what is ready waits for what other threads bring before it is
    /// asked whether one of them waits for what is ready.
    private static let grace = Duration.milliseconds(20)
    /// The machine's time between two looks at what those threads do.
    private static let glance = Duration.milliseconds(10)
    /// The machine's time between two looks of such a thread at the loop's, in seconds.
    private static let loopGlance = 0.000_1
    /// The longest run in nanoseconds: a hundred years, with which no clock's sum goes over its
    /// bounds. What is due later never is.
    private static let longest: Int64 = 100 * 365 * 86_400 * 1_000_000_000

    private let inbox = NSCondition()
    private var box = Inbox() {
      didSet { hasNews.store(box.isOfInterest, ordering: .releasing) }
    }
    /// Tells what ``Inbox/isOfInterest`` does, without the lock: mostly nothing is, and every turn
    /// asks.
    private let hasNews = Atomic<Bool>(false)
    private var ready: ReadyQueue<Turn>
    private var timers = TimerHeap<Int64, Turn>()
    /// The time since the beginning in nanoseconds, which other threads read.
    private let time = Atomic<Int64>(0)
    /// The machine's time at the end of the run; 0 before.
    private let ended = Atomic<Int64>(0)
    /// The number of threads that sleep.
    private var sleepers = 0
    private var turns = InstantTurns()
    /// The tasks that no executor's preference tells from others'.
    private var ownTasks: Set<UInt64> = []
    private var hasBegun = false
    /// The number of the run's first task: numbers go up.
    private let firstTask = Atomic<UInt64>(.max)
    /// Runs a job as an executor has to; there is none any more when the loop has ended.
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

    /// The loop that a timekeeper names.
    static func at(_ keeper: UnsafeMutableRawPointer?) -> VirtualLoop {
      // Nobody calls without one: it stands in every timekeeper that was given to a thread.
      unsafeBitCast(keeper, to: VirtualLoop.self)
    }

    /// The loop whose time this thread has.
    static var current: VirtualLoop? { wt_clock_keeper().map(at) }

    private var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Tells whether this thread has the loop's identity.
    private var isHere: Bool { wt_clock_loop() == opaque }

    /// Tells whether this thread does work that the loop has handed out.
    private var isHelper: Bool { wt_clock_work() != 0 && wt_clock_keeper() == opaque }

    private var now: Int64 { time.load(ordering: .relaxed) }

    /// The time since the beginning; when the run is over it goes on as the machine's does.
    private var elapsed: Int64 {
      let end = ended.load(ordering: .acquiring)
      return end == 0 ? now : now + (wt_clock_real() - end)
    }

    // MARK: What comes

    /// Takes what is ready, now or after a time.
    ///
    /// - Returns: False where the run is over, and after a time also where this thread has another
    ///   time, or none of its own.
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
      box.arrivals.append(Arrival(turn: turn, delay: delay, work: work))
      inbox.broadcast()
      return true
    }

    /// Tells whether a job that goes to no executor in particular is the run's, and notes it.
    ///
    /// All that its threads start or wake is, except a task that is older than the run: a
    /// neighbour, or the one who waits for the run's end.
    func isOwn(_ job: UnownedJob) -> Bool {
      let task = Self.task(of: job)
      if isHere || isHelper {
        guard task == 0 || task >= firstTask.load(ordering: .relaxed) else { return false }
        inbox.withLock { _ = ownTasks.insert(task) }
        return true
      }
      return knows(job)
    }

    /// Tells whether a job is of a task that the run has seen before.
    func knows(_ job: UnownedJob) -> Bool {
      let task = Self.task(of: job)
      guard task != 0 else { return false }
      return inbox.withLock { ownTasks.contains(task) }
    }

    private static func task(of job: UnownedJob) -> UInt64 {
      wt_task_number(unsafeBitCast(job, to: UnsafeRawPointer.self))
    }

    // MARK: The loop

    /// Starts the loop on a thread that has nothing else to do.
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

    /// The one whose turn it is; waits for other threads where nothing is left; `nil` where the run
    /// is over.
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

    /// Returns what other threads have brought, in the order in which their work was handed out.
    /// While any of that is out the time stands still.
    private func arrivals() -> [Arrival] {
      guard hasNews.load(ordering: .acquiring) else { return [] }
      if isOut, !waits(for: Self.grace, until: { $0.out == 0 }), !isSettled() {
        end(.standstill(Self.patience))
      }
      inbox.lock()
      defer { inbox.unlock() }
      guard !box.arrivals.isEmpty else { return [] }
      let came = box.arrivals
      box.arrivals = []
      // Stable, so that what one piece of work has brought keeps its order.
      return came.enumerated()
        .sorted { ($0.element.work, $0.offset) < ($1.element.work, $1.offset) }
        .map(\.element)
    }

    /// Waits until all that is out is done, or can only wait itself: for what is ready, or for what
    /// another has brought. Work that a busy machine has not got round to is waited for, or the
    /// order would be the machine's.
    ///
    /// - Returns: False where nothing has come of it, and nothing else is left.
    private func isSettled() -> Bool {
      let isBusy = !ready.isEmpty
      let end = wt_clock_real() + Self.patience.inNanoseconds
      // At one look a thread may be between two steps.
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

    /// Waits for other threads, by the machine's time; tells whether what is waited for has come,
    /// or the end.
    private func waits(for time: Duration, until isThere: (Inbox) -> Bool) -> Bool {
      // Clocks and sleeps of Foundation's are used.
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

    /// Waits for so much of the machine's time; whatever comes meanwhile comes too late.
    func listen(for time: Duration) {
      guard isHere, waits(for: time, until: { !$0.arrivals.isEmpty || $0.out > 0 }), !isOver else {
        return
      }
      end(.cameBackLate)
    }

    /// Takes in what another thread has brought.
    private func welcome(_ arrival: Arrival) {
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
          // Its queue may be that of a thread that sleeps.
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

    // MARK: What a thread does that has this time

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
      box.arrivals.append(Arrival(turn: .wake(semaphore), delay: nanoseconds, work: work))
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

    /// Counts a piece of work that goes to a queue, and lasts as long as that is out.
    private func handOut() -> Int64 {
      inbox.lock()
      defer { inbox.unlock() }
      guard !box.isOver else { return 0 }
      box.out += 1
      box.lastWork += 1
      _ = Unmanaged.passRetained(self)
      return box.lastWork
    }

    /// Begins with work when the turn is over in which it was handed out: else what it brings would
    /// come in the midst of that turn or behind it, as the machine has it. A turn that itself waits
    /// for the work is not waited for.
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

    /// Has the main queue do something with this time, and waits for that.
    private func onMain(_ action: @escaping @Sendable () -> Void) {
      let done = DispatchSemaphore(value: 0)
      // While the main thread has it this thread has none: what it sends there would come back.
      wt_clock_keep(nil, false)
      DispatchQueue.main.async { [self] in
        wt_clock_keep(timekeeper, true)
        // Without the thread that it has the main queue would stand still for all that follows.
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

    /// Takes a crash from now on for the end of the thread that it is on; another thread is the
    /// loop then. No turn is another's because of it.
    func containCrashes(telling tell: @escaping @Sendable (Crash) -> Void) {
      CrashWatch.begin()
      timekeeper.pointee.containsCrashes = true
      inbox.withLock { box.hearsOfCrash = tell }
    }

    /// Goes on without the thread that has crashed.
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

    /// Tells whether the run is over: its time goes on as the machine's does.
    var isOver: Bool { ended.load(ordering: .acquiring) != 0 }

    /// The reason for which the run was not virtual, as far as one was seen.
    var reason: NotVirtual.Reason? { inbox.withLock { box.reason } }

    /// Comes back when the run is over.
    func untilOver() async {
      await withCheckedContinuation { continuation in
        inbox.lock()
        let isOver = box.isOver
        if !isOver { box.waiting = continuation }
        inbox.unlock()
        if isOver { continuation.resume() }
      }
    }

    /// Ends the run: what is left goes on by the machine's time.
    func end(_ reason: NotVirtual.Reason? = nil) {
      inbox.lock()
      guard !box.isOver else { return inbox.unlock() }
      (box.isOver, box.reason) = (true, reason)
      ended.store(wt_clock_real(), ordering: .releasing)
      let waiting = box.waiting.take()
      inbox.broadcast()
      inbox.unlock()
      // The loop ends when this turn is over, and for whatever is left of the turn the time goes
      // on.
      if isHere { wt_clock_keep(timekeeper, false) }
      waiting?.resume()
    }

    /// Has all that is left taken by the machine's time; after a crash nothing, as of a process
    /// that is no more.
    private func handOn() {
      inbox.lock()
      let came = box.arrivals
      box.arrivals = []
      // A run that was not virtual is waited for by whoever began it.
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

    /// Does something after a time of the machine's.
    static func later(_ nanoseconds: Int64, _ action: @escaping @Sendable () -> Void) {
      DispatchQueue.global().asyncAfter(
        deadline: .now() + .nanoseconds(Int(clamping: nanoseconds)),
        execute: action
      )
    }
  }
#endif
