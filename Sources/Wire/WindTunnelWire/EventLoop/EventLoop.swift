internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// One thread that serves many connections.
///
/// This type is its handle for all other threads. Jobs on the loop's thread must not block. The
/// owner of the handle stops the loop; releasing the handle also stops it.
package final class EventLoop: Sendable {
  /// The error of a stopped loop, on which no jobs run.
  package struct Stopped: Error { package init() {} }

  private let mailbox: Mailbox

  /// The stack size, the same as a main thread's on every system. Darwin gives other threads 512
  /// KiB, but bodies with the maximum nesting are parsed here.
  private static let stackBytes = 8 << 20

  /// Starts the loop's thread with a name; throws if the system cannot create an event queue.
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
        // A loop with a closed mailbox is not woken, so it must not wait after the last jobs.
        if areLast { break }
        reactor.turn()
      }
      // The mailbox is closed, so a closed descriptor is not woken.
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
  /// Returns `false` if the loop has stopped and the job will never run.
  @discardableResult
  package func execute(_ job: @escaping @Sendable (Reactor) -> Void) -> Bool { mailbox.post(job) }

  /// Runs a job on the loop's thread and returns its result.
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

  /// Stops the loop and waits until all its descriptors are closed.
  ///
  /// It must not be called on the loop.
  package func stop() async {
    await withCheckedContinuation { continuation in mailbox.shut { continuation.resume() } }
  }
}

/// The jobs from other threads for the loop.
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
      // Within the lock, and only for the first job: the loop is then awake for all.
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

  /// Runs the jobs since the last call, and returns whether none will follow.
  ///
  /// The jobs are released before the loop waits, because a job may hold the loop's owner.
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
