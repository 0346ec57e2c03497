internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The start of a call's program: from when it is due to the first that the server sees of it.
///
/// A process has to be made, and its code to be loaded, before there is a client; on a machine that
/// has much to do that takes seconds, which are not the client's.
final class ProgramStart: Sendable {
  fileprivate struct State {
    var due: DispatchTime?
    var seen: DispatchTime?
    var there: DispatchTime?
    var waiting: [@Sendable () -> Void] = []
    var ends: (@Sendable () -> Void)?
  }

  fileprivate let state = Locked(State())

  /// The time at which it was due; `nil` where no program is started for the call.
  var due: DispatchTime? { state.withLock { $0.due } }

  /// The time at which the server first saw something of it.
  var seen: DispatchTime? { state.withLock { $0.seen } }

  /// The time at which another call showed that the program was there, where it is started for
  /// several: what this one waits for it from then on is no part of its start.
  var there: DispatchTime? { state.withLock { $0.there } }

  /// Notes that it is due; only the first time counts.
  func isDue() { state.withLock { $0.due = $0.due ?? .now() } }

  /// Notes that another call shows that the program is there; only the first time counts.
  func isThere(since moment: DispatchTime) { state.withLock { $0.there = $0.there ?? moment } }

  /// Notes a sign of it that came at a time; only the first counts.
  func isSeen(at moment: DispatchTime) {
    let waiting: [@Sendable () -> Void] = state.withLock { state in
      guard state.seen == nil else { return [] }
      state.seen = moment
      return exchange(&state.waiting, with: [])
    }
    for action in waiting { action() }
  }

  /// Does something as soon as it is seen.
  func whenSeen(_ action: @escaping @Sendable () -> Void) {
    let isSeen = state.withLock { state in
      if state.seen == nil { state.waiting.append(action) }
      return state.seen != nil
    }
    if isSeen { action() }
  }
}

extension ProgramStart {
  /// Sets the action that ends the call after too many attempts.
  func whenEndless(_ end: @escaping @Sendable () -> Void) { state.withLock { $0.ends = end } }

  /// Ends the call after too many attempts.
  func isEndless() {
    state.withLock { exchange(&$0.ends, with: nil) }?()
  }

  /// A program has that much more than its patience where nothing has been seen of it: it may not
  /// have begun.
  static let loadingMax = Duration.seconds(5)

  /// Returns the time at which patience with a call ends. It begins when the call is asked for and
  /// its program has been seen; as long as that has not, there is some time for it to load.
  static func end(of patience: Duration, asked: DispatchTime, seen: DispatchTime?) -> DispatchTime {
    seen.map { max($0, asked) + patience } ?? asked + patience + loadingMax
  }

  /// Returns the time after which somebody looks again who has so much left: a program may be seen
  /// at any time.
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

/// The places for programs that start: with more at once each would take longer, and on a busy
/// machine none would come to its first request in time.
final class StartingPlaces: Sendable {
  /// The places of this process: two for each processor.
  static let shared = StartingPlaces(2 * ProcessInfo.processInfo.activeProcessorCount)

  private struct State {
    var free: Int
    /// Those who wait for one, the oldest first; they are told whether they have got it.
    var waiting: [(number: UUID, continuation: CheckedContinuation<Bool, Never>)] = []

    /// Takes somebody who waits no longer out of the line.
    mutating func leave(_ number: UUID) -> CheckedContinuation<Bool, Never>? {
      guard let place = waiting.firstIndex(where: { $0.number == number }) else { return nil }
      return waiting.remove(at: place).continuation
    }
  }

  private let state: Locked<State>

  /// The number of places that nobody has.
  var free: Int { state.withLock { $0.free } }

  /// Makes so many places.
  init(_ count: Int) { state = Locked(State(free: count)) }

  /// Waits for a place. Whoever is cancelled gets none and waits no longer.
  ///
  /// - Returns: What gives it back; only the first time counts.
  func place() async -> @Sendable () -> Void {
    let number = UUID()
    let hasPlace = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasPlace: Bool? = state.withLock { state in
          // Asked under the lock, under which whoever is cancelled later finds itself in the line.
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
