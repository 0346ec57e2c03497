internal import Foundation
internal import Symptoms

extension Delivery {
  /// Lowers what was decided for a request to steps.
  ///
  /// A forwarded request is lowered to its waits and a live body: its head is the origin's.
  public init(_ outcome: Outcome, on stage: Stage) {
    var script = Script(outcome, on: stage)
    for fault in outcome.decision.faults { script.add(fault, on: stage) }
    if let path = outcome.path { script.travel(path, outcome.request) }
    self = script.delivery
  }

  /// Lowers what was decided for a connection to steps; nothing where it simply goes on.
  public init(_ decision: Decision, on stage: Stage) {
    let first = decision.faults.lazy.compactMap { fault -> ConnectionFault? in
      guard case .connection(let fault) = fault else { return nil }
      return fault
    }.first
    switch (first, stage) {
    case (nil, _): self = .nothing
    case (let fault?, .inProcess): self.init([.fail(fault.symptom)], afterwards: .close)
    case (.tls(let fault), .onTheWire): self = Self.handshake(fault)
    // Nobody listens in these, so no connection is there to be carried; a listener that is asked
    // all the same comes nearest by a reset.
    case (.offline, .onTheWire), (.refused, .onTheWire), (.hostNotFound, .onTheWire):
      self.init([.reset], afterwards: .reset)
    }
  }

  private static func handshake(_ fault: TLSFault) -> Delivery {
    switch fault {
    case .plaintext:
      Delivery(
        [
          .await(.clientHello),
          .bytes(.data(Data("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8))), .close,
        ],
        afterwards: .close
      )
    case .closeAfterClientHello: Delivery([.await(.clientHello), .close], afterwards: .close)
    // Certificates need a TLS library; a stage without one refuses these before it starts.
    case .handshakeFailure, .untrusted, .expired, .notYetValid, .unknownRoot:
      // RFC 8446 §5.1, §6: alert(21), legacy version, two bytes, fatal(2), handshake_failure(40).
      Delivery(
        [.await(.clientHello), .bytes(.data(Data([21, 3, 3, 0, 2, 2, 40]))), .close],
        afterwards: .close
      )
    }
  }
}

/// An answer and where it breaks off, before it is written down as steps.
private struct Script {
  private var before: [Delivery.Step] = []
  private var head: ResponseHead?
  private var body = Data()
  private var isLive = false
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
        cut = Cut(offset: body.count, ending: Self.ending(failure.symptom))
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
    if Response.hasNoContent(method: request.method, status: response.status) {
      body = Data()
      return
    }
    body = response.body.data
    // What is played is whole, so a length that was written must be the body's.
    if response.headers["Content-Length"] != nil {
      head?.headers["Content-Length"] = String(body.count)
    }
  }

  private static func notice(_ status: Int, _ text: String) -> Response {
    Response(
      status: status,
      headers: [
        "Content-Type": "text/plain; charset=utf-8", "Content-Length": String(text.utf8.count),
      ],
      body: Body(text)
    )
  }

  /// How a connection ends so that a client sees a symptom in the middle of a body.
  private static func ending(_ symptom: Symptom) -> Delivery.Step {
    switch symptom {
    case .connectionLost: .reset
    case .timedOut: .stall
    default: .close
    }
  }

  private mutating func fail(_ symptom: Symptom, on stage: Stage) {
    switch (stage, symptom) {
    case (.inProcess, _): cut = Cut(offset: nil, ending: .fail(symptom))
    case (.onTheWire, .connectionLost), (.onTheWire, .timedOut), (.onTheWire, .emptyAnswer):
      cut = Cut(offset: nil, ending: Self.ending(symptom))
    case (.onTheWire, _):
      let text = "The recorded failure \(symptom.rawValue) happens before there is a request; "
      head = nil
      let notice = Self.notice(502, text + "a server cannot replay it on a connection it has.\n")
      (head, body) = (notice.head, notice.body.data)
    }
  }

  mutating func add(_ fault: Fault, on stage: Stage) {
    switch fault {
    case .delay(let spread): before.append(.wait(spread.least))
    case .status(let status, let retryAfter):
      var notice = Self.notice(status, "This \(status) was injected.\n")
      if let retryAfter {
        notice.head.headers.append("Retry-After", String(retryAfter.components.seconds))
      }
      (head, body, isLive) = (notice.head, notice.body.data, false)
      cut = nil
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
    let bounded = offset.map { min($0, body.count) }
    if let cut, (cut.offset ?? -1) <= (bounded ?? -1) { return }
    cut = Cut(offset: bounded, ending: ending)
  }

  /// Puts the way up and what loss costs into waits; the way down is the shaper's.
  mutating func travel(_ path: Outcome.Path, _ request: Request) {
    let link = path.link
    let requestBytes = 200 + request.body.data.count
    // One round trip for the connection, and one more for TLS 1.3 (RFC 8446 §2).
    let handshake = link.roundTrip * (request.url.scheme == "https" ? 2 : 1)
    var up = Shaper(link.up)
    var travel = handshake + up.send(requestBytes, at: .zero)
    if link.up.lossProbability > 0 || link.down.lossProbability > 0 {
      let loss = LossTimeline(
        roundTrip: link.roundTrip,
        requestBytes: requestBytes,
        responseBytes: 300 + body.count,
        up: { path.up.unit($0) < link.up.lossProbability },
        down: { path.down.unit($0) < link.down.lossProbability }
      )
      travel += loss.request + loss.firstByte
      pauses = loss.pauses
    }
    before.insert(.wait(travel), at: 0)
  }

  var delivery: Delivery {
    var steps: [Delivery.Step] = [.await(.requestEnd)] + before.filter { $0 != .wait(.zero) }
    if isLive { return Delivery(steps + [.bytes(.live), .finish]) }
    if let cut, cut.offset == nil {
      return Delivery(steps + [cut.ending], afterwards: Self.afterwards(cut.ending))
    }
    guard var head else { return Delivery(steps + [.close], afterwards: .close) }
    if cut != nil, head.headers["Content-Length"] == nil, !body.isEmpty {
      // Without an announced length an early end would be a good one.
      head.headers.remove("Transfer-Encoding")
      head.headers["Content-Length"] = String(body.count)
    }
    steps.append(.head(head))
    let sent = cut?.offset.map { body.prefix($0) } ?? body
    var start = 0
    for pause in pauses where pause.offset < sent.count && pause.offset > start {
      steps.append(.bytes(.data(sent[sent.startIndex + start..<sent.startIndex + pause.offset])))
      steps.append(.wait(pause.length))
      start = pause.offset
    }
    if start < sent.count { steps.append(.bytes(.data(sent.dropFirst(start)))) }
    guard let cut else { return Delivery(steps + [.finish]) }
    return Delivery(steps + [cut.ending], afterwards: Self.afterwards(cut.ending))
  }

  private static func afterwards(_ ending: Delivery.Step) -> Delivery.Afterwards {
    ending == .reset ? .reset : .close
  }
}
