internal import Foundation

extension Script {
  /// A place where faults halt an answer, and for how long.
  struct Stop {
    var point: Fault.Point
    var act: Act

    enum Act {
      case wait(Duration)
      case end(Delivery.Step)
    }

    init(_ point: Fault.Point, _ act: Act) { (self.point, self.act) = (point, act) }

    /// Bytes of the body in front of it; `nil`: no head either. Of plain places only.
    var offset: Int? {
      guard case .body(let count) = point else { return nil }
      return count
    }
  }

  /// The form in which an answer goes out.
  enum Form {
    case good
    /// As bytes that no framing in good form gives.
    case raw(WireMessage)
  }

  /// Lays down in which form the answer goes out. Where the stage has no bytes of its own to send, what
  /// a client would see of them takes their place.
  mutating func settle() -> Form {
    guard !isLive else { return .good }
    // A recorded failure comes before any byte.
    if recordedCut != nil, recordedCut?.offset == nil { stops.removeAll { !$0.point.isPlain } }
    if let dribble { pieces.dribble(dribble.bytes, every: dribble.interval, of: body.count) }
    guard malformation != nil || breaksOffMalformed || stops.contains(where: { !$0.point.isPlain })
    else {
      settlePauses()
      return .good
    }
    if head == nil {
      let notice = Self.notice(200, "This answer was injected.\n")
      (head, body) = (notice.head, notice.body.data)
    }
    let message = message()
    guard stage == .inProcess, malformation != .chunkedTrailers, !endsInHeaders(message) else {
      return .raw(message)
    }
    stops = stops.map { plain($0, in: message) }
    if let malformation { seem(malformation) }
    settlePauses()
    return .good
  }

  /// Waits within the body are its pieces'.
  private mutating func settlePauses() {
    let cut = firstCut.0
    let pauses = timely(cut).compactMap { stop -> Pieces.Break? in
      guard case .wait(let length) = stop.act, let offset = stop.offset else { return nil }
      return Pieces.Break(offset: offset, wait: length)
    }
    if !pauses.isEmpty { pieces.add(pauses) }
  }

  /// The waits that come before anything is sent, or behind the last byte of the body.
  func pauses(before cut: Cut?, at place: Int?) -> [Delivery.Step] {
    guard !stops.isEmpty else { return [] }
    return timely(cut).compactMap { stop in
      guard case .wait(let length) = stop.act else { return nil }
      if let place { return (stop.offset ?? -1) >= place ? .wait(length) : nil }
      return stop.offset == nil ? .wait(length) : nil
    }
  }

  /// What comes before a cut: at an earlier place, or at the same and named before it.
  private func timely(_ cut: Cut?) -> [Stop] {
    guard let cut else { return stops }
    let end = stops.firstIndex { stop in
      guard case .end = stop.act else { return false }
      return stop.offset == cut.offset
    }
    return stops.enumerated().filter { place, stop in
      let (one, other) = (stop.offset ?? -1, cut.offset ?? -1)
      return one < other || one == other && end.map { place < $0 } != false
    }.map(\.element)
  }

  /// What ends the answer before its end, if anything does, and whether it ends as recorded. The first
  /// on the way is the one that happens.
  var firstCut: (Cut?, isRecorded: Bool) {
    var cut: Cut?
    for stop in stops {
      guard case .end(let ending) = stop.act else { continue }
      if let cut, (cut.offset ?? -1) <= (stop.offset ?? -1) { continue }
      cut = Cut(offset: stop.offset, ending: ending)
    }
    guard let recordedCut, let cut else { return (cut ?? recordedCut, cut == nil) }
    let isRecorded = (recordedCut.offset ?? -1) <= (cut.offset ?? -1)
    return (isRecorded ? recordedCut : cut, isRecorded)
  }
}
