internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// One thread that waits for many connections.
///
/// This is its handle, for every other thread.
///
/// Nothing may block on the loop's thread. Whoever holds the handle stops the loop; forgetting it
/// does the same.
package final class EventLoop: Sendable {
  /// The loop has stopped; nothing runs on it any more.
  package struct Stopped: Error { package init() {} }

  private let mailbox: Mailbox

  /// A main thread's on every system: Darwin gives other threads 512 KiB, and bodies are parsed
  /// here that lie as deep as the limit of nesting lets them.
  private static let stackBytes = 8 << 20

  /// Starts the loop's thread under a name; throws if there is no queue of events to wait at.
  package init(name: String = "WindTunnel") throws(SocketError) {
    BrokenPipes.ignore()
    let selector = try Selector()
    let mailbox = Mailbox(selector.waker)
    self.mailbox = mailbox
    let thread = Thread {
      Selector.prepareThread()
      let reactor = Reactor(selector)
      while true {
        let areLast = mailbox.run(on: reactor)
        reactor.flush()
        // Nobody wakes a loop whose mailbox is shut: after the last jobs it must not wait.
        if areLast { break }
        reactor.turn()
      }
      // The mailbox is shut by now: nobody wakes a descriptor that is closed.
      reactor.end()
      mailbox.finishStopping()
    }
    thread.name = name
    thread.stackSize = Self.stackBytes
    thread.start()
  }

  deinit { mailbox.shut() }

  /// Runs a job on the loop's thread, in the order of the calls.
  ///
  /// False if the loop has stopped and the job will never run.
  @discardableResult
  package func execute(_ job: @escaping @Sendable (Reactor) -> Void) -> Bool { mailbox.post(job) }

  /// Runs a job on the loop's thread and waits for what it returns.
  package func run<Result: Sendable>(
    _ job: @escaping @Sendable (Reactor) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      let isPosted = execute { reactor in
        continuation.resume(with: Swift.Result { try job(reactor) })
      }
      if !isPosted { continuation.resume(throwing: Stopped()) }
    }
  }

  /// Ends the loop and waits until every descriptor of it is closed.
  ///
  /// Never call it on the loop.
  package func stop() async {
    await withCheckedContinuation { continuation in mailbox.shut { continuation.resume() } }
  }
}

/// The jobs that other threads have for the loop.
private final class Mailbox: Sendable {
  typealias Job = @Sendable (Reactor) -> Void

  private struct State {
    var jobs: [Job] = []
    var isShut = false
    var isStopped = false
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Locked(State())
  private let waker: Selector.Waker

  init(_ waker: Selector.Waker) { self.waker = waker }

  func post(_ job: @escaping Job) -> Bool {
    state.withLock { state in
      if state.isShut { return false }
      state.jobs.append(job)
      // Within the lock, and only before the first: whoever takes the jobs is awake for all.
      if state.jobs.count == 1 { waker.wake() }
      return true
    }
  }

  func shut(_ whenStopped: (@Sendable () -> Void)? = nil) {
    let isStopped = state.withLock { state in
      if !state.isShut {
        state.isShut = true
        waker.wake()
      }
      if !state.isStopped, let whenStopped { state.waiting.append(whenStopped) }
      return state.isStopped
    }
    if isStopped { whenStopped?() }
  }

  /// Runs the jobs since the last time, and answers whether none will follow.
  ///
  /// They are let go before the loop waits: what one holds may be what keeps the loop.
  func run(on reactor: Reactor) -> Bool {
    let (jobs, areLast) = collect()
    for job in jobs { job(reactor) }
    return areLast
  }

  private func collect() -> (jobs: [Job], areLast: Bool) {
    state.withLock { state in
      defer { state.jobs = [] }
      return (state.jobs, state.isShut)
    }
  }

  func finishStopping() {
    let waiting = state.withLock { state in
      state.isStopped = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for resume in waiting { resume() }
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 33)
