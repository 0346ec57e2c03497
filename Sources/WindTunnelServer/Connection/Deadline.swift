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
  private let limits: Limits
  private var kind = Kind.none
  private var moment = Moment(nanoseconds: .max)
  private var timer: Reactor.Timer?
  private var timerMoment = Moment(nanoseconds: .max)

  init(_ limits: Limits) { self.limits = limits }

  func begin(_ next: Kind, on reactor: Reactor) {
    // A request's time runs from its first byte, however steadily it drips.
    if next == .request, kind == .request { return }
    kind = next
    let seconds: Double
    switch next {
    case .none:
      moment = Moment(nanoseconds: .max)
      return
    case .idle: seconds = limits.idleSeconds
    case .request: seconds = limits.requestSeconds
    }
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
