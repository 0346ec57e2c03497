internal import Foundation
internal import WindTunnelSymptoms

extension Script {
  mutating func add(_ fault: Fault, to request: Request) {
    switch fault {
    case .delay(let spread): before.append(.wait(spread.least))
    case .status(let status, let retryAfter):
      var notice = Self.notice(status, "This \(status) was injected.\n")
      for value in retryAfter?.values(now: now) ?? [] {
        notice.head.headers.append("Retry-After", value)
      }
      replace(by: notice, request)
    case .answer(let substitute): replace(by: substitute.response(to: request), request)
    case .reset(let offset): cutOff(at: offset, .reset)
    case .close: cutOff(at: nil, .close)
    case .stall(let offset): cutOff(at: offset, .stall)
    case .truncate(let offset): cutOff(at: offset, .close)
    case .cut(let cut): halt(cut)
    case .connection(let fault):
      switch fault.symptom {
      case nil: before.append(.wait(fault.delay))
      case .timedOut?: cutOff(at: nil, .stall)
      case let symptom?: cutOff(at: nil, stage == .inProcess ? .fail(symptom) : .reset)
      }
    case .dribble(let bytes, let interval):
      if isLive { misfits.append("\(fault.json) was not done: \(Self.passes).") }
      dribble = (bytes, interval)
    case .idle(let end): idleEnd = end
    case .malformed(let malformation):
      attempt(fault) { script throws(Mutation.Misfit) in
        try script.malform(malformation)
      }
    case .alter(let alteration):
      attempt(fault) { script throws(Mutation.Misfit) in
        try script.alter(alteration, request)
      }
    case .mutate(let mutation):
      attempt(fault) { script throws(Mutation.Misfit) in
        try script.mutate(mutation, request)
      }
    }
  }

  /// Why a live answer cannot be changed.
  static let passes = "a live answer passes as it comes"

  private mutating func attempt(
    _ fault: Fault,
    _ body: (inout Script) throws(Mutation.Misfit) -> Void
  ) {
    do throws(Mutation.Misfit) {
      try body(&self)
    } catch {
      misfits.append("\(fault.json) was not done: \(error.reason).")
    }
  }

  private mutating func replace(by response: Response, _ request: Request) {
    answer(response, to: request)
    (isLive, obstacle, recordedCut, pieces) = (false, nil, nil, Pieces())
  }

  private mutating func mutate(_ mutation: Mutation, _ request: Request) throws(Mutation.Misfit) {
    if let obstacle { throw Mutation.Misfit(obstacle) }
    guard let head else { throw Mutation.Misfit("there is no answer") }
    let (old, wasContentless) = (body, isContentless)
    let announced = head.headers["Content-Length"].flatMap { Int($0) }
    let mutated = try mutation.applied(
      to: Response(status: head.status, headers: head.headers, body: Body(old)),
      hasContent: !wasContentless
    )
    answer(mutated, to: request)
    // A recording that was cut announces more than it has, and does so still, by what the body grew.
    if recordedCut?.offset != nil, !wasContentless, !isContentless, let announced, announced >= 0 {
      let rest = max(0, announced - old.count)
      self.head?.headers["Content-Length"] = String(body.count.adding(bytes: rest))
    }
    // A body that only ends earlier is still the origin's, piece by piece.
    if body != old.prefix(body.count) { pieces.join() }
    if recordedCut?.offset != nil { recordedCut?.offset = body.count }
  }

  private mutating func cutOff(at offset: Int?, _ ending: Delivery.Step) {
    isLive = false
    stops.append(Stop(offset.map { .body($0) } ?? .afterRequest, .end(ending)))
  }

  private mutating func halt(_ cut: Fault.Cut) {
    if case .stall(let length?) = cut.ending {
      if isLive { misfits.append("\(cut.json) was not done: \(Self.passes).") }
      return stops.append(Stop(cut.point, .wait(length)))
    }
    isLive = false
    let ending: Delivery.Step =
      switch cut.ending {
      case .reset: .reset
      case .close: .close
      // Who has no socket cannot tell one end from the other.
      case .halfClose: stage == .inProcess ? .close : .closeWrite
      case .stall: .stall
      }
    stops.append(Stop(cut.point, .end(ending)))
  }

  /// Puts the way up into a wait; the way down is the shaper's.
  mutating func travel(_ path: LinkPath, _ outcome: Outcome) {
    let travel = path.travel(
      requestBytes: outcome.requestBytes,
      isSecure: outcome.request.url.scheme == "https"
    )
    guard let travel else { return cutOff(at: nil, .stall) }
    before.insert(.wait(travel), at: 0)
  }
}
