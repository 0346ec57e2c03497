internal import Foundation
internal import WindTunnelSymptoms

/// An answer and where it breaks off, before it is written down as steps.
struct Script {
  let stage: Stage
  var before: [Delivery.Step] = []
  var head: ResponseHead?
  var body = Data()
  var pieces = Pieces()
  /// Whether the head ends the message whatever it announces (RFC 9112 §6.3, rule 1).
  private(set) var isContentless = false
  var isLive = false
  /// Why there is nothing that a mutation could change.
  var obstacle: String?
  /// Which mutations the answer gave no room for, and why.
  var misfits: [String] = []
  /// Where the recorded answer broke off; another answer in its place does not.
  var recordedCut: Cut?
  /// Where faults halt the answer, in their order.
  var stops: [Stop] = []
  /// What is wrong with the answer's form.
  var malformation: Malformation?
  /// How the body comes drop by drop.
  var dribble: (bytes: Int, interval: Duration)?
  /// How many interim answers come first.
  var interimResponses = 0
  /// What becomes of the connection after a whole answer.
  var idleEnd: IdleEnd?
  /// The time since 1970 when it was decided, where the caller told it.
  let now: Duration?

  struct Cut {
    /// Bytes of the body in front of it; `nil`: no head either.
    var offset: Int?
    var ending: Delivery.Step
    /// Whether what came then was no HTTP.
    var isMalformed = false
  }

  init(_ outcome: Outcome, on stage: Stage) {
    self.stage = stage
    now = outcome.second
    switch outcome.source {
    case .recording(let interaction, _): play(interaction, outcome)
    case .computed(let response): answer(response, to: outcome.request)
    case .forward:
      isLive = true
      obstacle = Self.passes
    case .unmatched(let mismatch):
      answer(Self.notice(501, "\(mismatch)\n"), to: outcome.request)
      obstacle = "no recording answers"
    }
  }

  private mutating func play(_ interaction: Interaction, _ outcome: Outcome) {
    let (timing, pace) = (interaction.timing, outcome.pace)
    switch interaction.answer {
    case .response(let response) where stage == .onTheWire && response.status == 101:
      refuse("The recorded 101 hands the connection over to another protocol")
    case .response(let response):
      // An answer to a range, 206 or not, is the answer to that range.
      let isPart = interaction.request.headers["Range"] != nil
      answer(isPart ? response : response.part(for: outcome.request), to: outcome.request)
      pieces = timing.map { Pieces($0, pace) } ?? pieces
    case .cut(let response, let failure):
      answer(response, to: outcome.request)
      pieces = timing.map { Pieces($0, pace) } ?? pieces
      head = response.head
      recordedCut = Cut(
        offset: body.count,
        ending: ending(failure.symptom),
        isMalformed: failure.symptom == .malformedResponse
      )
    case .failure(let failure):
      fail(failure.symptom)
      pieces = timing.map { Pieces(failure: $0, pace) } ?? pieces
      obstacle = "the recording is of a failure"
    }
  }

  mutating func answer(_ response: Response, to request: Request) {
    head = response.head
    isContentless = Response.hasNoContent(method: request.method, status: response.status)
    if isContentless {
      body = Data()
      return
    }
    body = response.body.data
    // What is played is whole, so a length that was written must be the body's.
    let length = String(body.count)
    let written = response.headers.count { $0.isNamed("Content-Length") }
    if written > 1 || written == 1 && response.headers["Content-Length"] != length {
      head?.headers["Content-Length"] = length
    }
  }

  static func notice(_ status: Int, _ text: String) -> Response {
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

  /// The answer, where all of it is sent at once and nothing is done to it; `nil` where it takes steps.
  var whole: (head: ResponseHead, body: Data)? {
    guard let head, recordedCut == nil, !isLive, stops.isEmpty, before.isEmpty, malformation == nil,
      interimResponses == 0, dribble == nil, idleEnd == nil, pieces.isOne
    else { return nil }
    return (head, body)
  }

  var delivery: Delivery {
    var settled = self
    let form = settled.settle()
    var steps: [Delivery.Step] = []
    steps.reserveCapacity(before.count + 6)
    steps.append(.await(.requestEnd))
    steps += before
    if isLive {
      let steps = Self.withoutIdleWaits(steps) + [.bytes(.live), .finish]
      return Delivery(steps, afterwards: afterwards(.finish))
    }
    let ending: Delivery.Step
    switch form {
    case .good: ending = settled.write(to: &steps)
    case .raw(let message): ending = settled.write(message, to: &steps)
    }
    return Delivery(Self.withoutIdleWaits(steps), afterwards: afterwards(ending))
  }

  /// Writes an answer in good form, whole or to where it breaks off, and answers how it ends.
  private func write(to steps: inout [Delivery.Step]) -> Delivery.Step {
    let (cut, isRecorded) = firstCut
    let hasStart = cut?.offset != nil || isRecorded
    steps += pauses(before: cut, at: nil)
    if hasStart, pieces.firstWait > .zero { steps.append(.wait(pieces.firstWait)) }
    if let head = announcing(cut), cut == nil || cut?.offset != nil {
      if stage == .onTheWire, interimResponses > 0 {
        let interim = Delivery.Step.head(ResponseHead(status: 103))
        steps += Array(repeating: interim, count: interimResponses)
      }
      steps.append(.head(head))
      let sent = cut?.offset.map { self.body.prefix($0) } ?? body
      steps += pieces.steps(sent)
      if isRecorded, pieces.lastWait > .zero { steps.append(.wait(pieces.lastWait)) }
      steps += pauses(before: cut, at: sent.count)
    }
    if isRecorded, let cut, cut.isMalformed, cut.offset == nil, stage == .onTheWire {
      steps.append(.bytes(.data(Data(WireMessage.garbage))))
    }
    let ending = cut?.ending ?? (head == nil ? .close : .finish)
    steps.append(ending)
    return ending
  }

  private static func withoutIdleWaits(_ steps: [Delivery.Step]) -> [Delivery.Step] {
    if steps.contains(where: isIdle) { steps.filter { !isIdle($0) } } else { steps }
  }

  private static func isIdle(_ step: Delivery.Step) -> Bool {
    if case .wait(.zero) = step { true } else { false }
  }

  /// The head, which announces more than is sent before a cut: an end where no more was announced
  /// would be a good one.
  private func announcing(_ cut: Cut?) -> ResponseHead? {
    guard var head, !isContentless else { return head }
    let isOpen = head.headers["Content-Length"] == nil
    guard let offset = cut?.offset else {
      // On the tape of a client that hides the framing a stream does not say that it was one.
      if stage == .onTheWire, pieces.isStream, isOpen, head.headers["Transfer-Encoding"] == nil {
        head.headers.append("Transfer-Encoding", "chunked")
      }
      return head
    }
    let announced = head.headers["Content-Length"].flatMap { Int($0) }
    let least = max(body.count, min(offset, body.count) + 1)
    if let announced, announced >= least { return head }
    head.headers.remove("Transfer-Encoding")
    head.headers["Content-Length"] = String(least)
    return head
  }

  private func afterwards(_ ending: Delivery.Step) -> Delivery.Afterwards {
    switch ending {
    case .finish: idleEnd.map { .idle($0) } ?? .keep
    case .reset: .reset
    default: .close
    }
  }
}
