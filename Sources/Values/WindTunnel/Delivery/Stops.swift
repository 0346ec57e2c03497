internal import Foundation

/// The points at which faults halt an answer, in the order of the faults.
struct Stops {
  /// An end of the answer, or a pause, at a point.
  enum Act {
    case wait(Duration)
    case end(Delivery.Step)
  }

  private struct Stop {
    var point: Fault.Point
    var act: Act
    /// The fault that asked for it; `nil` if something else did.
    var fault: Fault?

    /// Bytes of the body in front of it; `nil`: no head either. Of plain points only.
    var offset: Int? {
      guard case .body(let count) = point else { return nil }
      return count
    }
  }

  private var stops: [Stop] = []

  var isEmpty: Bool { stops.isEmpty }

  /// Tells whether all of them are at points where a server that writes answers in good form can
  /// stop.
  var arePlain: Bool { stops.allSatisfy(\.point.isPlain) }

  mutating func add(_ act: Act, at point: Fault.Point, for fault: Fault? = nil) {
    stops.append(Stop(point: point, act: act, fault: fault))
  }

  /// Whether one of them is at a byte of the whole response.
  var countBytes: Bool { stops.contains { if case .byte = $0.point { true } else { false } } }

  /// Removes the stops of faults whose point a response does not have.
  ///
  /// - Parameter reason: Returns the reason why a point is not there; `nil` if it is.
  /// - Returns: The faults, each with its reason.
  mutating func removeFaults(
    _ reason: (Fault.Point) -> String?
  ) -> [(fault: Fault, reason: String)] {
    let missed = stops.compactMap { stop in
      stop.fault.flatMap { fault in reason(stop.point).map { (fault: fault, reason: $0) } }
    }
    if !missed.isEmpty { stops.removeAll { $0.fault != nil && reason($0.point) != nil } }
    return missed
  }

  mutating func removeUnplain() { stops.removeAll { !$0.point.isPlain } }

  // MARK: Of an answer in good form

  /// The first on the way that ends the answer, with the bytes of the body in front of it.
  var end: (offset: Int?, ending: Delivery.Step)? {
    var first: (offset: Int?, ending: Delivery.Step)?
    for stop in stops {
      guard case .end(let ending) = stop.act else { continue }
      if let first, (first.offset ?? -1) <= (stop.offset ?? -1) { continue }
      first = (stop.offset, ending)
    }
    return first
  }

  /// Returns the waits that come before a cut at so many bytes of the body; without one all of
  /// them.
  func waits(before cut: ScriptedResponse.Cut?) -> [(offset: Int?, length: Duration)] {
    if stops.isEmpty { return [] }
    return timely(cut).compactMap { stop in
      guard case .wait(let length) = stop.act else { return nil }
      return (stop.offset, length)
    }
  }

  /// Returns those before a cut: at an earlier place, or at the same and named before it.
  private func timely(_ cut: ScriptedResponse.Cut?) -> [Stop] {
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

  // MARK: Of an answer as bytes

  /// Returns the bytes of a body that the last of those within a chunk has in front of it; `nil`:
  /// none is within a chunk.
  func chunkBytes(ofBody count: Int) -> Int? {
    stops.lazy.compactMap { stop -> Int? in
      guard case .inChunk(let wanted) = stop.point else { return nil }
      return wanted ?? count / 2
    }.max()
  }

  /// Returns their places among the bytes of a message.
  func marks(in message: WireMessage, ofBody count: Int) -> [(offset: Int, act: Act)] {
    stops.map { (message.offset(of: $0.point, ofBody: count), $0.act) }
  }

  /// Tells whether one ends the answer behind all bytes of a message.
  func end(behind message: WireMessage, ofBody count: Int) -> Bool {
    stops.contains { stop in
      guard case .end = stop.act else { return false }
      return message.offset(of: stop.point, ofBody: count) >= message.bytes.count
    }
  }

  /// Tells whether the answer ends within its headers, which no name of a client's stands for.
  func endInHeaders(of message: WireMessage, ofBody count: Int) -> Bool {
    let ends = stops.compactMap { stop -> (AnswerPlace, Delivery.Step)? in
      guard case .end(let ending) = stop.act else { return nil }
      return (message.place(of: stop.point, ofBody: count), ending)
    }
    guard
      let first = ends.enumerated().min(by: {
        ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
      })
    else { return false }
    guard case (.fields, .close) = first.element else { return false }
    return true
  }

  /// Moves each to where an answer in good form has it: what breaks off within the head is never
  /// handed over.
  mutating func makePlain(in message: WireMessage, ofBody count: Int) {
    for index in stops.indices {
      switch message.place(of: stops[index].point, ofBody: count) {
      case .start, .statusLine, .fields: stops[index].point = .afterRequest
      case .body(let count): stops[index].point = .body(count)
      }
    }
  }
}
