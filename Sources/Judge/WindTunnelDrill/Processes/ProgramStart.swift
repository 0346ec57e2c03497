internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The start of a call's program: from the time when it is due to its first sign at the server.
///
/// The system must create a process and load its code before there is a client. On a busy machine
/// this takes seconds, which are not the client's.
final class ProgramStart: Sendable {
  fileprivate struct State {
    var due: DispatchTime?
    var seen: DispatchTime?
    var there: DispatchTime?
    var waiting: [@Sendable () -> Void] = []
    var ends: (@Sendable () -> Void)?
  }

  fileprivate let state = Locked(State())

  /// The time at which the program was due, or `nil` if no program is started for the call.
  var due: DispatchTime? { state.withLock { $0.due } }

  /// The time of the first sign of the program at the server.
  var seen: DispatchTime? { state.withLock { $0.seen } }

  /// The time at which another call showed that the program was running, if one program serves
  /// several calls. Time that this call waits afterwards is not part of the program's start.
  var there: DispatchTime? { state.withLock { $0.there } }

  /// Records that the program is due. Only the first call counts.
  func isDue() { state.withLock { $0.due = $0.due ?? .now() } }

  /// Records that another call shows that the program is running. Only the first call counts.
  func isThere(since moment: DispatchTime) { state.withLock { $0.there = $0.there ?? moment } }

  /// Records a sign of the program at a time. Only the first sign counts.
  func isSeen(at moment: DispatchTime) {
    let waiting: [@Sendable () -> Void] = state.withLock { state in
      guard state.seen == nil else { return [] }
      state.seen = moment
      return exchange(&state.waiting, with: [])
    }
    for action in waiting { action() }
  }

  /// Runs an action as soon as the server has a sign of the program.
  func whenSeen(_ action: @escaping @Sendable () -> Void) {
    let isSeen = state.withLock { state in
      if state.seen == nil { state.waiting.append(action) }
      return state.seen != nil
    }
    if isSeen { action() }
  }

  /// Sets the action that ends the call after too many attempts.
  func whenEndless(_ end: @escaping @Sendable () -> Void) { state.withLock { $0.ends = end } }

  /// Ends the call after too many attempts.
  func isEndless() {
    state.withLock { exchange(&$0.ends, with: nil) }?()
  }

  /// The additional patience with a program that has shown no sign: its code may still be loading.
  static let loadingMax = Duration.seconds(5)

  /// Returns the time at which the patience with a call ends. The patience begins when the call was
  /// requested and its program has shown a sign. Without a sign, the program gets additional time
  /// to load.
  static func end(of patience: Duration, asked: DispatchTime, seen: DispatchTime?) -> DispatchTime {
    seen.map { max($0, asked) + patience } ?? asked + patience + loadingMax
  }

  /// Returns the time until the next check, given the remaining patience. A program can show its
  /// first sign at any time, so until then checks are at most a second apart.
  static func nextLook(within left: Duration, isSeen: Bool) -> Duration {
    isSeen ? left : min(left, .seconds(1))
  }
}

extension DispatchTime {
  static func + (time: DispatchTime, length: Duration) -> DispatchTime {
    time + DispatchTimeInterval.nanoseconds(Int(length.inNanoseconds))
  }

  static func - (later: DispatchTime, earlier: DispatchTime) -> Duration {
    .nanoseconds(Int64(bitPattern: later.uptimeNanoseconds &- earlier.uptimeNanoseconds))
  }
}

/// A limit on programs that start at once. With more of them, each start takes longer, and on a
/// busy machine no program makes its first request in time.
final class StartingPlaces: Sendable {
  /// The limit of this process: two for each processor.
  static let shared = StartingPlaces(2 * ProcessInfo.processInfo.activeProcessorCount)

  private struct State {
    var free: Int
    /// The waiting tasks, the oldest first. Each receives whether it has got a place.
    var waiting: [(number: UUID, continuation: CheckedContinuation<Bool, Never>)] = []

    /// Removes a task from the queue.
    mutating func leave(_ number: UUID) -> CheckedContinuation<Bool, Never>? {
      waiting.firstIndex { $0.number == number }.map { waiting.remove(at: $0).continuation }
    }
  }

  private let state: Locked<State>

  /// The number of free places.
  var free: Int { state.withLock { $0.free } }

  /// Creates a limit with a number of places.
  init(_ count: Int) { state = Locked(State(free: count)) }

  /// Waits for a place. A cancelled task stops waiting and gets none.
  ///
  /// - Returns: A function that releases the place. Only its first call counts.
  func place() async -> @Sendable () -> Void {
    let number = UUID()
    let hasPlace = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasPlace: Bool? = state.withLock { state in
          // Checked under the lock: a task that is cancelled later finds itself in the queue.
          if Task.isCancelled { return false }
          guard state.free > 0 else {
            state.waiting.append((number, continuation))
            return nil
          }
          state.free -= 1
          return true
        }
        if let hasPlace { continuation.resume(returning: hasPlace) }
      }
    } onCancel: {
      state.withLock { $0.leave(number) }?.resume(returning: false)
    }
    guard hasPlace else { return {} }
    let isGivenBack = Locked(false)
    return { [self] in
      if !isGivenBack.withLock({ exchange(&$0, with: true) }) { giveBack() }
    }
  }

  private func giveBack() {
    let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
