internal import Foundation
internal import Symptoms

/// An answer and where it breaks off, before it is written down as steps.
struct Script {
  private var before: [Delivery.Step] = []
  private var head: ResponseHead?
  private var body = Data()
  /// Whether the head ends the message whatever it announces (RFC 9112 §6.3, rule 1).
  private var isContentless = false
  private var isLive = false
  /// Where the recorded answer broke off; another answer in its place does not.
  private var recordedCut: Cut?
  /// Where a fault breaks the answer off, whichever it is.
  private var cut: Cut?
  private var pauses: [LossTimeline.Pause] = []

  private struct Cut {
    /// Bytes of the body in front of it; `nil`: no head either.
    var offset: Int?
    var ending: Delivery.Step
  }

  init(_ outcome: Outcome, on stage: Stage) {
    switch outcome.source {
    case .recording(let interaction, _):
      switch interaction.answer {
      case .response(let response): answer(response, to: outcome.request)
      case .cut(let response, let failure):
        answer(response, to: outcome.request)
        head = response.head
        recordedCut = Cut(offset: body.count, ending: Self.ending(failure.symptom, on: stage))
      case .failure(let failure): fail(failure.symptom, on: stage)
      }
    case .computed(let response): answer(response, to: outcome.request)
    case .forward: isLive = true
    case .unmatched(let mismatch):
      answer(Self.notice(501, "\(mismatch)\n"), to: outcome.request)
    }
  }

  private mutating func answer(_ response: Response, to request: Request) {
    head = response.head
    isContentless = Response.hasNoContent(method: request.method, status: response.status)
    if isContentless {
      body = Data()
      return
    }
    body = response.body.data
    // What is played is whole, so a length that was written must be the body's.
    let written = response.headers.values("Content-Length")
    if !written.isEmpty, written != [String(body.count)] {
      head?.headers["Content-Length"] = String(body.count)
    }
  }

  private static func notice(_ status: Int, _ text: String) -> Response {
    // RFC 9110 §8.6: no length where there can be no content.
    if Response.hasNoContent(method: "GET", status: status) { return Response(status: status) }
    return Response(
      status: status,
      headers: [
        "Content-Type": "text/plain; charset=utf-8", "Content-Length": String(text.utf8.count),
      ],
      body: Body(text)
    )
  }

  /// How a connection ends so that a client sees a symptom.
  private static func ending(_ symptom: Symptom, on stage: Stage) -> Delivery.Step {
    switch (stage, symptom) {
    case (.inProcess, _): .fail(symptom)
    case (.onTheWire, .connectionLost): .reset
    case (.onTheWire, .timedOut): .stall
    case (.onTheWire, _): .close
    }
  }

  private mutating func fail(_ symptom: Symptom, on stage: Stage) {
    switch (stage, symptom) {
    case (.inProcess, _), (.onTheWire, .connectionLost), (.onTheWire, .timedOut),
      (.onTheWire, .emptyAnswer):
      recordedCut = Cut(offset: nil, ending: Self.ending(symptom, on: stage))
    case (.onTheWire, _):
      let text = "The recorded failure \(symptom.rawValue) happens before there is a request; "
      let notice = Self.notice(502, text + "a server cannot replay it on a connection it has.\n")
      (head, body) = (notice.head, notice.body.data)
    }
  }

  mutating func add(_ fault: Fault, to request: Request, on stage: Stage) {
    switch fault {
    case .delay(let spread): before.append(.wait(spread.least))
    case .status(let status, let retryAfter):
      var notice = Self.notice(status, "This \(status) was injected.\n")
      if let retryAfter {
        notice.head.headers.append("Retry-After", String(retryAfter.wholeSeconds))
      }
      answer(notice, to: request)
      (isLive, recordedCut) = (false, nil)
    case .reset(let offset): cutOff(at: offset, .reset)
    case .close: cutOff(at: nil, .close)
    case .stall(let offset): cutOff(at: offset, .stall)
    case .truncate(let offset): cutOff(at: offset, .close)
    case .connection(let fault):
      cutOff(at: nil, stage == .inProcess ? .fail(fault.symptom) : .reset)
    }
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
    let requestBytes = Self.requestHeadBytes + request.body.count
    // One round trip for the connection, and one more for TLS 1.3 (RFC 8446 §2).
    let handshake = link.roundTrip * (request.url.scheme == "https" ? 2 : 1)
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
    pauses = costs.pauses.map { pause in
      LossTimeline.Pause(
        offset: max(0, pause.offset - Self.responseHeadBytes),
        length: pause.length
      )
    }
  }

  var delivery: Delivery {
    var steps: [Delivery.Step] = [.await(.requestEnd)] + before.filter { $0 != .wait(.zero) }
    if isLive { return Delivery(steps + [.bytes(.live), .finish]) }
    let cut = firstCut
    guard let head = announcing(cut), cut.map({ $0.offset != nil }) ?? true else {
      let ending = cut?.ending ?? .close
      return Delivery(steps + [ending], afterwards: Self.afterwards(ending))
    }
    steps.append(.head(head))
    let sent = cut?.offset.map { body.prefix($0) } ?? body
    var start = 0
    for pause in pauses where pause.offset < sent.count {
      if pause.offset > start {
        steps.append(.bytes(.data(sent[sent.startIndex + start..<sent.startIndex + pause.offset])))
        start = pause.offset
      }
      steps.append(.wait(pause.length))
    }
    if start < sent.count { steps.append(.bytes(.data(sent.dropFirst(start)))) }
    guard let cut else { return Delivery(steps + [.finish]) }
    return Delivery(steps + [cut.ending], afterwards: Self.afterwards(cut.ending))
  }

  private var firstCut: Cut? {
    guard let recordedCut, let cut else { return cut ?? recordedCut }
    return (recordedCut.offset ?? -1) <= (cut.offset ?? -1) ? recordedCut : cut
  }

  /// The head, which announces more than is sent before a cut: an end where no more was announced
  /// would be a good one.
  private func announcing(_ cut: Cut?) -> ResponseHead? {
    guard var head, let offset = cut?.offset, !isContentless else { return head }
    let announced = head.headers["Content-Length"].flatMap { Int($0) }
    let least = max(body.count, min(offset, body.count) + 1)
    if let announced, announced >= least { return head }
    head.headers.remove("Transfer-Encoding")
    head.headers["Content-Length"] = String(least)
    return head
  }

  private static func afterwards(_ ending: Delivery.Step) -> Delivery.Afterwards {
    ending == .reset ? .reset : .close
  }
}
