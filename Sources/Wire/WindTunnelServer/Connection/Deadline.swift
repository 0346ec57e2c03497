/// The one thing a connection may be late with.
///
/// A timer is set once and looks again when it fires: most deadlines are met, and to move one costs
/// a comparison.
final class Deadline {
  enum Kind: Sendable, Hashable {
    /// Nothing is waited for.
    case none
    /// The next request's first byte.
    case idle
    /// The request's last byte.
    case request
  }

  var isOver: ((Kind) -> Void)?
  /// The times of the peer. A change counts from the next ``begin(_:on:)`` on.
  var limits: Limits { didSet { if limits != oldValue { kind = .none } } }
  private var kind = Kind.none
  private var moment = Moment(nanoseconds: .max)
  private var timer: Reactor.Timer?
  private var timerMoment = Moment(nanoseconds: .max)

  init(_ limits: Limits) { self.limits = limits }

  func begin(_ next: Kind, on reactor: Reactor) {
    // A request's time runs from its first byte, however steadily it drips.
    if next == .request, kind == .request { return }
    kind = next
    guard next != .none else {
      moment = Moment(nanoseconds: .max)
      return
    }
    let seconds = next == .idle ? limits.idleSeconds : limits.requestSeconds
    moment = reactor.now + Int64(nanosecondsOf: seconds)
    if timer == nil || timerMoment > moment { schedule(on: reactor) }
  }

  func end(on reactor: Reactor) {
    if let timer { reactor.cancel(timer) }
    timer = nil
    isOver = nil
  }

  private func schedule(on reactor: Reactor) {
    if let timer { reactor.cancel(timer) }
    timerMoment = moment
    timer = reactor.schedule(at: moment) { [weak self] reactor in
      guard let self else { return }
      timer = nil
      if kind == .none { return }
      if Moment.now() < moment { return schedule(on: reactor) }
      isOver?(kind)
    }
  }
}
