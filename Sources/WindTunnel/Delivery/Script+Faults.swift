internal import Foundation

extension Script {
  mutating func add(_ fault: Fault, to request: Request) {
    switch fault {
    case .delay(let spread): before.append(.wait(spread.least))
    case .status(let status, let retryAfter):
      var notice = Self.notice(status, "This \(status) was injected.\n")
      if let retryAfter {
        notice.head.headers.append("Retry-After", String(retryAfter.wholeSeconds))
      }
      answer(notice, to: request)
      (isLive, obstacle, recordedCut, pieces) = (false, nil, nil, Pieces())
    case .reset(let offset): cutOff(at: offset, .reset)
    case .close: cutOff(at: nil, .close)
    case .stall(let offset): cutOff(at: offset, .stall)
    case .truncate(let offset): cutOff(at: offset, .close)
    case .connection(let fault):
      cutOff(at: nil, stage == .inProcess ? .fail(fault.symptom) : .reset)
    case .mutate(let mutation):
      do throws(Mutation.Misfit) {
        try mutate(mutation, request)
      } catch {
        misfits.append("\(mutation.json) was not done: \(error.reason).")
      }
    }
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

  /// The first cut on the way is the one that happens.
  private mutating func cutOff(at offset: Int?, _ ending: Delivery.Step) {
    isLive = false
    if let cut, (cut.offset ?? -1) <= (offset ?? -1) { return }
    cut = Cut(offset: offset, ending: ending)
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
