internal import Foundation
internal import Symptoms

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
      switch fault.symptom {
      case nil: before.append(.wait(fault.delay))
      case .timedOut?: cutOff(at: nil, .stall)
      case let symptom?: cutOff(at: nil, stage == .inProcess ? .fail(symptom) : .reset)
      }
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

  /// About what the request line and fields, and a response's head, take.
  private static let (requestHeadBytes, responseHeadBytes) = (200, 300)

  /// Puts the way up and what windows and loss cost into waits; the way down is the shaper's.
  mutating func travel(_ path: Outcome.Path, _ request: Request) {
    let link = path.link
    if max(link.up.lossProbability, link.down.lossProbability) >= 1 {
      cutOff(at: nil, .stall)
    }
    let requestBytes = Self.requestHeadBytes + (path.contentBytes ?? request.body.count)
    // One round trip for the connection, and one more for TLS 1.3 (RFC 8446 §2).
    let handshake =
      link.roundTrip * (path.handshakes ?? (request.url.scheme == "https" ? 2 : 1))
    var up = Shaper(link.up)
    let travel = handshake + up.send(requestBytes, at: .zero)
    let costs = LossTimeline(
      roundTrip: link.roundTrip,
      requestBytes: requestBytes,
      responseBytes: Self.responseHeadBytes + body.count,
      up: { path.up.unit($0) < link.up.lossProbability },
      down: { path.down.unit($0) < link.down.lossProbability }
    )
    before.insert(.wait(travel + costs.request + costs.firstByte), at: 0)
    pieces.add(
      costs.pauses.map { pause in
        LossTimeline.Pause(
          offset: max(0, pause.offset - Self.responseHeadBytes),
          length: pause.length
        )
      }
    )
  }
}
