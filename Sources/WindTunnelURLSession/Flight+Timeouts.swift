internal import Dispatch
internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension Flight {
  /// Since the task began.
  var now: Duration {
    .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds))
  }

  /// Timers are looked at in steps of at most this long, so that none outlives its task by more.
  private static let step = Duration.seconds(30)

  /// Starts the timers once something is waited for; an answer that is there needs none.
  func watch() {
    guard !watches else { return }
    watches = true
    look()
  }

  /// Since something came for the last time; less than nothing where that was after the moment.
  private func silence(at moment: DispatchTime) -> Duration {
    .nanoseconds(Int64(moment.uptimeNanoseconds) - Int64(lastActivity.uptimeNanoseconds))
  }

  private func look() {
    let moment = DispatchTime.now()
    let silent = silence(at: moment)
    let left = min(
      timeouts.idle.map { $0 - silent } ?? Self.step,
      timeouts.resource.map { $0 - now } ?? Self.step,
      Self.step
    )
    if left <= .zero { return runOut() }
    // A live origin may take its time; what is played has an end, whatever the client waits for.
    let untilCeiling = forwarding == nil ? seat.silenceMax - silent : Self.step
    if untilCeiling <= .zero {
      // What was due by now, and what a machine was too busy to bring, is no silence.
      advance(.tick)
      guard silence(at: moment) < seat.silenceMax else {
        return land { $0.fail(Self.silence(seat.silenceMax)) }
      }
      return after(.zero) { $0.look() }
    }
    after(min(left, untilCeiling)) { $0.look() }
  }

  /// The client waits no longer. An origin that kept it waiting is recorded as one: what it had said by
  /// then, and that the time was up.
  private func runOut() {
    guard let forwarding else { return land { $0.fail(Symptom.timedOut) } }
    forwarding.giveUp(Symptom.timedOut.urlError(for: request.url, as: seat.errors))
  }

  private static func silence(_ length: Duration) -> HarnessError {
    HarnessError(
      """
      Nothing came for \(length), which is as long as the harness waits, and this task would wait \
      longer. Give the request a timeout, or the configuration a longer silenceMax.
      """
    )
  }
}
