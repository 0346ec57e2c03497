internal import Dispatch
internal import Foundation
internal import Symptoms

extension Flight {
  /// Timers are looked at in steps of at most this long, so that none outlives its task by more.
  private static let step = Duration.seconds(30)

  /// Starts the timers once something is waited for; an answer that is there needs none.
  func watch() {
    guard !watches, timeouts.idle != nil || timeouts.resource != nil else { return }
    watches = true
    look()
  }

  private func look() {
    let silent = Duration.nanoseconds(
      Int64(DispatchTime.now().uptimeNanoseconds - lastActivity.uptimeNanoseconds)
    )
    let left = min(
      timeouts.idle.map { $0 - silent } ?? Self.step,
      timeouts.resource.map { $0 - now } ?? Self.step,
      Self.step
    )
    if left <= .zero { return land { $0.fail(Symptom.timedOut) } }
    after(left) { $0.look() }
  }
}
