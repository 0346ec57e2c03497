internal import Foundation
internal import WindTunnelSymptoms

/// The steps of a response, complete or up to its cut.
struct ResponseSteps {
  private var response: ScriptedResponse
  private(set) var steps: [Delivery.Step]
  /// The last step, which ends the response.
  private(set) var ending = Delivery.Step.finish

  /// Creates the steps of a response after other steps.
  init(_ response: ScriptedResponse, behind steps: [Delivery.Step]) {
    (self.response, self.steps) = (response, steps)
    if let message = settle() { write(message) } else { write() }
  }

  /// Decides the form of the response; returns its bytes if only raw bytes have that form.
  ///
  /// If the stage cannot send raw bytes, the client's error for them replaces them.
  private mutating func settle() -> WireMessage? {
    // A recorded failure happens before any byte.
    if let cut = response.recordedCut, cut.offset == nil { response.stops.removeUnplain() }
    let count = response.body.count
    if let (bytes, interval) = response.dribble {
      response.pieces.dribble(bytes, every: interval, of: count)
    }
    guard
      response.malformation != nil || response.breaksOffMalformed || !response.stops.arePlain
    else {
      settlePauses()
      return nil
    }
    if response.head == nil { response.stand(.stopgap) }
    let message = response.message()
    guard response.stage == .inProcess, response.malformation != .chunkedTrailers,
      !response.stops.endInHeaders(of: message, ofBody: response.body.count)
    else { return message }
    response.stops.makePlain(in: message, ofBody: response.body.count)
    if let malformation = response.malformation { response.seem(malformation) }
    settlePauses()
    return nil
  }

  /// Adds the waits within the body to its parts.
  private mutating func settlePauses() {
    let pauses = response.stops.waits(before: firstCut.0).compactMap { wait in
      wait.offset.map { Pieces.Break(offset: $0, wait: wait.length) }
    }
    if !pauses.isEmpty { response.pieces.add(pauses) }
  }

  /// The first cut in the response, which ends it, and whether the cut was recorded.
  private var firstCut: (ScriptedResponse.Cut?, isRecorded: Bool) {
    let cut = response.stops.end.map { ScriptedResponse.Cut(offset: $0.offset, ending: $0.ending) }
    guard let recorded = response.recordedCut, let cut else {
      return (cut ?? response.recordedCut, cut == nil)
    }
    let isRecorded = (recorded.offset ?? -1) <= (cut.offset ?? -1)
    return (isRecorded ? recorded : cut, isRecorded)
  }

  /// The interim responses before the response.
  private var interims: [ResponseHead] {
    guard response.stage == .onTheWire else { return [] }
    let added = Array(repeating: ResponseHead(status: 103), count: response.interimResponses)
    return (response.head?.informational ?? []) + added
  }

  private mutating func end(_ step: Delivery.Step) {
    steps.append(step)
    ending = step
  }

  /// Writes a well-formed response.
  private mutating func write() {
    let (pieces, (cut, isRecorded)) = (response.pieces, firstCut)
    let hasStart = cut?.offset != nil || isRecorded
    let waits = response.stops.waits(before: cut)
    steps += waits.filter { $0.offset == nil }.map { .wait($0.length) }
    if hasStart, pieces.firstWait > .zero { steps.append(.wait(pieces.firstWait)) }
    if let head = announcing(cut), cut == nil || cut?.offset != nil {
      steps += interims.map { .head($0) }
      steps.append(.head(head))
      let sent = cut?.offset.map { response.body.prefix($0) } ?? response.body
      steps += pieces.steps(sent)
      if cut == nil, let count = response.endlessBytes {
        steps += Self.filler(count - sent.count)
      }
      if isRecorded, pieces.lastWait > .zero { steps.append(.wait(pieces.lastWait)) }
      steps += waits.filter { ($0.offset ?? -1) >= sent.count }.map { .wait($0.length) }
    }
    if isRecorded, let cut, cut.isMalformed, cut.offset == nil, response.stage == .onTheWire {
      steps.append(.bytes(.data(Data(WireMessage.garbage))))
    }
    end(cut?.ending ?? goodEnding)
  }

  /// The end of a response without a cut.
  private var goodEnding: Delivery.Step {
    if response.endlessBytes != nil {
      return response.stage == .inProcess ? .fail(.truncated) : .close
    }
    return response.head == nil ? .close : .finish
  }

  /// Returns white space of a number of bytes, in steps that share the bytes of one part.
  private static func filler(_ count: Int) -> [Delivery.Step] {
    guard count > 0 else { return [] }
    let piece = Data(repeating: UInt8(ascii: " "), count: min(count, ResponseEdit.pieceBytes))
    let (whole, rest) = count.quotientAndRemainder(dividingBy: piece.count)
    let steps = Array(repeating: Delivery.Step.bytes(.data(piece)), count: whole)
    return rest > 0 ? steps + [.bytes(.data(piece.prefix(rest)))] : steps
  }

  /// Returns the head. Before a cut it declares more than is sent, because a response that ends at
  /// its declared length ends without an error.
  private func announcing(_ cut: ScriptedResponse.Cut?) -> ResponseHead? {
    guard var head = response.head, !response.isContentless else { return response.head }
    let isOpen = head.headers["Content-Length"] == nil
    let isOpenStream = response.stage == .onTheWire && response.pieces.isStream && isOpen
    guard let offset = cut?.offset else {
      // If the recording client did not report the framing, the recording does not have it.
      if isOpenStream, head.headers["Transfer-Encoding"] == nil {
        head.headers.append("Transfer-Encoding", "chunked")
      }
      return head
    }
    if isOpenStream {
      // Its chunked coding has an end of its own, which is not sent (RFC 9112 §8).
      head.headers["Transfer-Encoding"] = "chunked"
      return head
    }
    let announced = head.headers.contentLength
    let least = max(response.body.count, min(offset, response.body.count) + 1)
    if let announced, announced >= least { return head }
    head.headers.remove("Transfer-Encoding")
    head.headers["Content-Length"] = String(least)
    return head
  }

  /// Writes a response as bytes.
  private mutating func write(_ message: WireMessage) {
    var marks: [(offset: Int, act: Stops.Act)] = response.pieces.breaks.map { pause in
      (message.offset(of: .body(pause.offset)), .wait(pause.wait))
    }
    if let cut = response.recordedCut, let offset = cut.offset {
      marks.append((message.offset(of: .body(offset)), .end(cut.ending)))
    }
    marks += response.stops.marks(in: message, ofBody: response.body.count)
    if response.pieces.firstWait > .zero { steps.append(.wait(response.pieces.firstWait)) }
    let interims = interims.reduce(into: [UInt8]()) { $0.appendHead($1) }
    var start = 0
    func send(to end: Int) {
      guard end > start else { return }
      let first = start == 0 ? interims : []
      steps.append(.bytes(.data(Data(first + message.bytes[start..<end]))))
      start = end
    }
    for mark in marks.stablySorted(by: { $0.offset < $1.offset }) {
      send(to: mark.offset)
      switch mark.act {
      case .wait(let length): steps.append(.wait(length))
      case .end(let ending): return end(ending)
      }
    }
    send(to: message.bytes.count)
    end(response.malformation == .resetWithoutLength ? .reset : .close)
  }
}
