internal import Foundation
internal import WindTunnelSymptoms

// Answers that no framing in good form gives.
extension Script {
  /// The answer as bytes.
  func message() -> WireMessage {
    let head = head ?? ResponseHead()
    if let malformation { return WireMessage(head, body, wrongAs: malformation) }
    if breaksOffMalformed { return WireMessage(head, brokenBehind: body) }
    let chunk = stops.lazy.compactMap { stop -> Int? in
      guard case .inChunk(let count) = stop.point else { return nil }
      return count ?? body.count / 2
    }.max()
    if let chunk, !isContentless {
      let announced = max(body.count, chunk + 1)
      return WireMessage(head, body, .chunk(announced), isContentless: false)
    }
    let written = head.headers["Content-Length"].flatMap { Int($0) }
    if isContentless { return WireMessage(head, body, .length(written), isContentless: true) }
    let announced = recordedCut == nil ? body.count : max(written ?? 0, body.count + 1)
    let message = WireMessage(head, body, .length(announced), isContentless: false)
    // An end where no more was announced would be a good one.
    let isBeyond = stops.contains { stop in
      guard case .end = stop.act else { return false }
      return offset(of: stop, in: message) >= message.bytes.count
    }
    guard isBeyond, recordedCut == nil else { return message }
    return WireMessage(head, body, .length(body.count + 1), isContentless: false)
  }

  /// Whether the recorded answer broke off, on a wire, in what was no HTTP.
  var breaksOffMalformed: Bool {
    stage == .onTheWire && !isContentless && recordedCut?.isMalformed == true
      && recordedCut?.offset != nil
  }

  /// Writes an answer as bytes, whole or to where it breaks off, and answers how it ends.
  func write(_ message: WireMessage, to steps: inout [Delivery.Step]) -> Delivery.Step {
    var marks: [(offset: Int, act: Stop.Act)] = pieces.breaks.map { pause in
      (message.offset(of: .body(pause.offset)), .wait(pause.wait))
    }
    if let recordedCut, let offset = recordedCut.offset {
      marks.append((message.offset(of: .body(offset)), .end(recordedCut.ending)))
    }
    marks += stops.map { (offset(of: $0, in: message), $0.act) }
    if pieces.firstWait > .zero { steps.append(.wait(pieces.firstWait)) }
    let interim = Array("HTTP/1.1 103 Early Hints\r\n\r\n".utf8)
    var start = 0
    func send(to end: Int) {
      guard end > start else { return }
      var bytes = Array(message.bytes[start..<end])
      if start == 0 { bytes = (0..<interimResponses).flatMap { _ in interim } + bytes }
      steps.append(.bytes(.data(Data(bytes))))
      start = end
    }
    let order = marks.enumerated().sorted {
      ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
    }
    for (_, mark) in order {
      send(to: mark.offset)
      switch mark.act {
      case .wait(let length): steps.append(.wait(length))
      case .end(let ending): return end(ending, &steps)
      }
    }
    send(to: message.bytes.count)
    return end(malformation == .resetWithoutLength ? .reset : .close, &steps)
  }

  private func end(
    _ ending: Delivery.Step,
    _ steps: inout [Delivery.Step]
  ) -> Delivery.Step {
    steps.append(ending)
    return ending
  }

  private func offset(of stop: Stop, in message: WireMessage) -> Int {
    if case .byte(let count) = stop.point { return min(count, message.bytes.count) }
    return message.offset(of: place(of: stop.point, in: message))
  }

  private func place(of point: Fault.Point, in message: WireMessage) -> AnswerPlace {
    switch point {
    case .afterRequest: .start
    case .inStatusLine: .statusLine(Fault.Point.inStatusLineBytes)
    case .inHeaders: .fields(Fault.Point.inHeadersBytes)
    case .body(let count): .body(count)
    case .inChunk(let count): .body(count ?? body.count / 2)
    case .byte(let count): message.place(ofByte: count)
    }
  }

  // MARK: Without bytes

  /// Whether the answer ends within its headers, which no name of a client's stands for.
  func endsInHeaders(_ message: WireMessage) -> Bool {
    let ends = stops.compactMap { stop -> (AnswerPlace, Delivery.Step)? in
      guard case .end(let ending) = stop.act else { return nil }
      return (place(of: stop.point, in: message), ending)
    }
    guard
      let first = ends.enumerated().min(by: {
        ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
      })
    else { return false }
    guard case (.fields, .close) = first.element else { return false }
    return true
  }

  /// The same stop where an answer in good form has it: what breaks off within the head is never
  /// handed over.
  func plain(_ stop: Stop, in message: WireMessage) -> Stop {
    switch place(of: stop.point, in: message) {
    case .start, .statusLine, .fields: Stop(.afterRequest, stop.act)
    case .body(let count): Stop(.body(count), stop.act)
    }
  }

  /// Lets the answer be what a client makes of a malformed one.
  mutating func seem(_ malformation: Malformation) {
    let half = body.count / 2
    switch malformation {
    case .garbage, .noStatusLine, .badStatusLine, .badStatusCode, .badVersion, .fieldWithoutColon,
      .nulInField, .negativeLength:
      fail(at: .afterRequest, .malformedResponse)
    case .interimOnly: fail(at: .afterRequest, .emptyAnswer)
    case .lengthTooLong, .twoLengths, .missingLastChunk: fail(at: .body(body.count), .truncated)
    case .badChunkSize, .missingChunkEnd: fail(at: .body(half), .malformedResponse)
    case .resetWithoutLength: fail(at: .body(half), .connectionLost)
    case .lengthTooShort: shorten(to: half, announcing: half)
    case .silentTruncation: shorten(to: half, announcing: nil)
    case .noContentWithContent: empty(204)
    case .notModifiedWithContent: empty(304)
    // The chunks win (RFC 9112 §6.3, rule 3).
    case .lengthAndChunked, .chunkedTrailers: break
    }
  }

  private mutating func fail(at point: Fault.Point, _ symptom: Symptom) {
    stops.append(Stop(point, .end(.fail(symptom))))
  }

  private mutating func shorten(to count: Int, announcing length: Int?) {
    body = body.prefix(count)
    head?.headers.remove("Transfer-Encoding")
    head?.headers["Content-Length"] = length.map { String($0) }
  }

  private mutating func empty(_ status: Int) {
    head?.status = status
    body = Data()
  }
}
