#if os(Linux)
  internal import CWindTunnelClock
  internal import Dispatch
  internal import Foundation
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
    }

    /// The things that other threads bring.
    private struct Inbox {
      var turns: [Turn] = []
      var isOver = false
      var reason: NotVirtual.Reason?
      /// The one who waits for the end.
      var waiting: CheckedContinuation<Void, Never>?
    }

    /// So many turns at one instant are a crowd's, or somebody waits in a loop.
    private static let turnsMax = 10_000
    /// A crowd's members have no more turns each at one instant.
    private static let turnsOfEachMax = 100
    /// The machine's time after which nobody is waited for any more from whom nothing comes.
    private static let patience = Duration.seconds(10)

    /// The longest run in nanoseconds: a hundred years, with which no clock's sum goes over its
    /// bounds. What is due later never is.
    private static let longest: Int64 = 100 * 365 * 86_400 * 1_000_000_000

    private let inbox = NSCondition()
    private var box = Inbox()
    private var ready: ReadyQueue<Turn>
    private var timers = TimerHeap<Turn>()
    /// The time since the beginning, in nanoseconds.
    private(set) var now: Int64 = 0
    private var turnsAtInstant = 0
    /// The tasks that had a turn at this instant: if one comes back from another thread, no time
    /// has gone on without it.
    private var tasksAtInstant: Set<UInt64> = []
    /// The tasks that no executor's preference tells from others'.
    private var ownTasks: Set<UInt64> = []
    private var hasBegun = false
    /// The number of the run's first task: numbers go up.
    private var firstTask: UInt64 = .max
    /// Runs a job as an executor has to; there is none any more when the loop has ended.
    private var run: (@Sendable (UnownedJob) -> Void)?
    private let timekeeper = UnsafeMutablePointer<wt_timekeeper>.allocate(capacity: 1)

    init(
      _ order: TurnOrder,
      seed: UInt64?,
      startingAt wall: Duration?
    ) {
      ready = ReadyQueue(order)
      timekeeper.initialize(to: wt_timekeeper())
      wt_clock_start(timekeeper)
      if let seed { (timekeeper.pointee.isSeeded, timekeeper.pointee.seed) = (true, seed) }
      if let wall { timekeeper.pointee.wall = wall.inNanoseconds }
      timekeeper.pointee.keeper = Unmanaged.passUnretained(self).toOpaque()
      timekeeper.pointee.elapsed = { VirtualLoop.at($0).now }
      timekeeper.pointee.pass = { VirtualLoop.at($0).pass($1) }
      timekeeper.pointee.delay = { VirtualLoop.at($0).delay($1) }
      timekeeper.pointee.tell = { VirtualLoop.at($0).tell($1) }
    }

    deinit { timekeeper.deallocate() }

    private static func at(_ keeper: UnsafeMutableRawPointer?) -> VirtualLoop {
      // Nobody calls without one: it stands in every timekeeper that was given to a thread.
      unsafeBitCast(keeper, to: VirtualLoop.self)
    }

    /// The loop whose identity this thread has.
    static var here: VirtualLoop? { wt_clock_keeper().map(at) }

    /// Tells whether this thread has the loop's identity.
    var isHere: Bool { wt_clock_keeper() == Unmanaged.passUnretained(self).toOpaque() }

    // MARK: What comes

    /// Takes what is ready.
    ///
    /// - Returns: False where the run is over.
    func take(_ turn: Turn) -> Bool {
      if isHere {
        ready.append(turn)
        return true
      }
      inbox.lock()
      defer { inbox.unlock() }
      guard !box.isOver else { return false }
      box.turns.append(turn)
      inbox.signal()
      return true
    }

    /// Takes what is ready after a time.
    ///
    /// - Returns: False where this thread has another time, or none of its own.
    func take(_ turn: Turn, after nanoseconds: Int64) -> Bool {
      guard isHere else { return false }
      let isNever = nanoseconds > Self.longest - now
      timers.add(turn, due: isNever ? .max : now + max(0, nanoseconds))
      return true
    }

    /// Tells whether a job that goes to no executor in particular is the run's, and notes it.
    ///
    /// All that this thread starts or wakes is, except a task that is older than the run: a
    /// neighbour, or the one who waits for the run's end.
    func isOwn(_ job: UnownedJob) -> Bool {
      let task = Self.task(of: job)
      if isHere {
        guard task == 0 || task >= firstTask else { return false }
        inbox.lock()
        ownTasks.insert(task)
        inbox.unlock()
        return true
      }
      guard task != 0 else { return false }
      inbox.lock()
      defer { inbox.unlock() }
      return ownTasks.contains(task)
    }

    private static func task(of job: UnownedJob) -> UInt64 {
      wt_task_number(unsafeBitCast(job, to: UnsafeRawPointer.self))
    }

    // MARK: The loop

    /// Starts the loop on a thread of its own.
    func start(running run: @escaping @Sendable (UnownedJob) -> Void) {
      self.run = run
      Thread { [self] in loop() }.start()
    }

    private func loop() {
      wt_clock_keep(timekeeper)
      while let turn = next() { have(turn) }
      wt_clock_keep(nil)
      handOn()
      run = nil
    }

    /// The one whose turn it is; waits for other threads where nothing is left; `nil` where the run
    /// is over.
    private func next() -> Turn? {
      while true {
        if isOver { return nil }
        if let turn = ready.popFirst() {
          turnsAtInstant += 1
          if turnsAtInstant > Self.turnsMax,
            turnsAtInstant > Self.turnsOfEachMax * tasksAtInstant.count
          {
            end(.busyWait)
          }
          return turn
        }
        inbox.lock()
        let came = box.turns
        box.turns = []
        inbox.unlock()
        if !came.isEmpty {
          for turn in came { welcome(turn) }
          continue
        }
        if let due = timers.next, due < .max {
          move(to: max(now, due))
          while timers.next.map({ $0 <= now }) == true, let timer = timers.popFirst() {
            ready.append(timer.element)
          }
          continue
        }
        wait()
      }
    }

    /// Waits for other threads, by the machine's time.
    private func wait() {
      wt_clock_keep(nil)
      let end = Date(timeIntervalSinceNow: Self.patience.inMilliseconds / 1000)
      inbox.lock()
      var isLate = false
      while box.turns.isEmpty, !box.isOver, !isLate { isLate = !inbox.wait(until: end) }
      isLate = isLate && box.turns.isEmpty && !box.isOver
      inbox.unlock()
      wt_clock_keep(timekeeper)
      if isLate { self.end(.standstill(Self.patience)) }
    }

    /// Waits for so much of the machine's time; whatever comes meanwhile comes too late.
    func listen(for time: Duration) {
      wt_clock_keep(nil)
      let end = Date(timeIntervalSinceNow: time.inMilliseconds / 1000)
      inbox.lock()
      while box.turns.isEmpty, inbox.wait(until: end) {}
      let isLate = !box.turns.isEmpty
      inbox.unlock()
      wt_clock_keep(timekeeper)
      if isLate { self.end(.cameBackLate) }
    }

    /// Takes in what another thread has brought.
    private func welcome(_ turn: Turn) {
      if case .job(let job) = turn {
        let task = Self.task(of: job)
        if !hasBegun { firstTask = task }
        if hasBegun, !tasksAtInstant.contains(task) { end(.cameBackLate) }
      }
      hasBegun = true
      ready.append(turn)
    }

    private func have(_ turn: Turn) {
      switch turn {
      case .job(let job):
        tasksAtInstant.insert(Self.task(of: job))
        run?(job)
      case .delayed(let work):
        if wt_clock_is_main(work) { onMain { work.work(work.context) } } else { wt_clock_do(work) }
      }
    }

    private func move(to moment: Int64) {
      guard moment > now else { return }
      now = moment
      turnsAtInstant = 0
      tasksAtInstant.removeAll(keepingCapacity: true)
    }

    // MARK: What a thread does that has this time

    private func pass(_ nanoseconds: Int64) {
      move(to: now + min(nanoseconds, Self.longest - now))
    }

    private func delay(_ work: wt_delayed) -> Bool {
      work.delay > 0 ? take(.delayed(work), after: work.delay) : take(.delayed(work))
    }

    private func tell(_ event: Int32) {
      end(event == Int32(WT_CLOCK_BUSY.rawValue) ? .busyWait : .dispatchTimer)
    }

    /// Has the main queue do something with this time, and waits for that.
    private func onMain(_ action: @escaping @Sendable () -> Void) {
      let done = DispatchSemaphore(value: 0)
      // While the main thread has it this thread has none: what it sends there would come back.
      wt_clock_keep(nil)
      DispatchQueue.main.async { [self] in
        wt_clock_keep(timekeeper)
        action()
        wt_clock_keep(nil)
        done.signal()
      }
      done.wait()
      if !isOver { wt_clock_keep(timekeeper) }
    }

    // MARK: The end

    private var isOver: Bool {
      inbox.lock()
      defer { inbox.unlock() }
      return box.isOver
    }

    /// The reason for which the run was not virtual, as far as one was seen.
    var reason: NotVirtual.Reason? {
      inbox.lock()
      defer { inbox.unlock() }
      return box.reason
    }

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
      let waiting = box.waiting
      box.waiting = nil
      inbox.signal()
      inbox.unlock()
      // The loop ends when this turn is over, and whatever is left of the turn has the machine's
      // time.
      if isHere { wt_clock_keep(nil) }
      waiting?.resume()
    }

    /// Has all that is left taken by the machine's time.
    private func handOn() {
      inbox.lock()
      let came = box.turns
      box.turns = []
      inbox.unlock()
      for turn in came { handOn(turn, after: 0) }
      while let turn = ready.popFirst() { handOn(turn, after: 0) }
      while let timer = timers.popFirst() { handOn(timer.element, after: timer.due - now) }
    }

    private func handOn(_ turn: Turn, after nanoseconds: Int64) {
      switch turn {
      case .job(let job):
        if let run { Self.later(nanoseconds) { run(job) } }
      case .delayed(let work): Self.later(nanoseconds) { wt_clock_do(work) }
      }
    }

    /// Does something after a time of the machine's.
    static func later(
      _ nanoseconds: Int64,
      _ action: @escaping @Sendable () -> Void
    ) {
      DispatchQueue.global().asyncAfter(
        deadline: .now() + .nanoseconds(Int(clamping: nanoseconds)),
        execute: action
      )
    }
  }
#endif
