/// The current timeout of a connection.
///
/// A timer is set once, and compares the times when it fires. Most deadlines are met, so that
/// moving one costs only a comparison.
final class Deadline {
  enum Kind: Sendable, Hashable {
    /// Nothing is expected from the client.
    case none
    /// The next request's first byte.
    case idle
    /// The request's last byte.
    case request
  }

  var isOver: ((Kind) -> Void)?
  /// The timeouts of the peer. A change applies from the next call of ``begin(_:on:)``.
  var limits: Limits { didSet { if limits != oldValue { kind = .none } } }
  private var kind = Kind.none
  private var moment = Moment(nanoseconds: .max)
  private var timer: Reactor.Timer?
  private var timerMoment = Moment(nanoseconds: .max)

  init(_ limits: Limits) { self.limits = limits }

  /// Sets the kind of deadline.
  ///
  /// - Parameters:
  ///   - next: The event that is waited for.
  ///   - start: The moment from which the time counts; `nil`: now.
  ///   - reactor: The loop.
  func begin(_ next: Kind, since start: Moment? = nil, on reactor: Reactor) {
    // The time of a request begins with its first byte and is not extended by later bytes.
    if next == .request, kind == .request, start == nil { return }
    kind = next
    guard next != .none else {
      moment = Moment(nanoseconds: .max)
      return
    }
    let seconds = next == .idle ? limits.idleSeconds : limits.requestSeconds
    moment = (start ?? reactor.now) + Int64(nanosecondsOf: seconds)
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
