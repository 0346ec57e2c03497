internal import Dispatch
internal import Foundation
internal import WindTunnel

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// Ends a process that tells nothing for too long, and one that nobody waits for any more.
final class ChildWatch: @unchecked Sendable {
  private struct State {
    var last = DispatchTime.now()
    var isStarted = false
    var hasTold = false
    var isSilenced = false
    var isCancelled = false
    var isOver = false
  }

  // `Process` is not Sendable; what is used of it here may be used on any thread.
  private let process: SpawnedProcess
  private let patience: ChildProcess.Patience
  private let state = Locked(State())

  init(_ process: SpawnedProcess, _ patience: ChildProcess.Patience) {
    self.process = process
    self.patience = patience
  }

  /// The process runs from now on.
  func start() {
    let isCancelled = state.withLock { state in
      (state.last, state.isStarted) = (.now(), true)
      return state.isCancelled
    }
    if isCancelled { kill() } else { look() }
  }

  /// It told something.
  func heard() { state.withLock { ($0.last, $0.hasTold) = (.now(), true) } }

  /// Nobody wants to know any more.
  func cancel() {
    let isStarted = state.withLock { state in
      state.isCancelled = true
      return state.isStarted
    }
    if isStarted { kill() }
  }

  private func look() {
    let left: Duration? = state.withLock { state in
      if state.isOver || state.isCancelled { return nil }
      let quiet = DispatchTime.now().uptimeNanoseconds - state.last.uptimeNanoseconds
      let left = (state.hasTold ? patience.later : patience.first) - .nanoseconds(Int64(quiet))
      if left <= .zero { state.isSilenced = true }
      return left
    }
    guard let left else { return }
    if left <= .zero { return kill() }
    // Once it has told something it has less time than it had for that.
    let next = min(left, patience.later)
    let deadline = DispatchTime.now() + .nanoseconds(Int(next.inNanoseconds))
    DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in self?.look() }
  }

  /// How long a process that is asked to end may take to end its own.
  private static let leave = Duration.seconds(2)

  private func kill() {
    // One that has ended may have been waited for, and its number be somebody else's.
    guard process.isRunning else { return }
    // It has programs to end, which are in groups of their own.
    _ = Self.send(process.processIdentifier, SIGTERM)
    let deadline = DispatchTime.now() + .nanoseconds(Int(Self.leave.inNanoseconds))
    DispatchQueue.global().asyncAfter(deadline: deadline) { [process] in
      guard process.isRunning else { return }
      _ = Self.send(process.processIdentifier, SIGKILL)
    }
  }

  private static func send(_ process: pid_t, _ signal: Int32) -> Int32 {
    #if canImport(Darwin)
      Darwin.kill(process, signal)
    #elseif canImport(Glibc)
      Glibc.kill(process, signal)
    #elseif canImport(Musl)
      Musl.kill(process, signal)
    #endif
  }

  /// How the process ended, once it has.
  func ending() -> ChildProcess.Ending {
    let isSilenced = state.withLock { state in
      state.isOver = true
      return state.isSilenced
    }
    if isSilenced { return .silenced }
    let isOrderly = process.terminationReason == .exit && process.terminationStatus == 0
    return isOrderly ? .orderly : .crashed
  }
}
