internal import Foundation

/// The points at which faults end or pause a response, in the order of the faults.
struct Stops {
  /// An end of the response, or a pause, at a point.
  enum Act {
    case wait(Duration)
    case end(Delivery.Step)
  }

  private struct Stop {
    var point: Fault.Point
    var act: Act
    /// The fault that requires it; `nil` if there is none.
    var fault: Fault?

    /// The number of bytes of the body before it, for a plain point; `nil` for a point before the
    /// head.
    var offset: Int? {
      guard case .body(let count) = point else { return nil }
      return count
    }
  }

  private var stops: [Stop] = []

  var isEmpty: Bool { stops.isEmpty }

  /// Whether a server that only writes well-formed responses can stop at all points.
  var arePlain: Bool { stops.allSatisfy(\.point.isPlain) }

  mutating func add(_ act: Act, at point: Fault.Point, for fault: Fault? = nil) {
    stops.append(Stop(point: point, act: act, fault: fault))
  }

  /// Whether one of the points is at a byte of the whole response.
  var countBytes: Bool { stops.contains { if case .byte = $0.point { true } else { false } } }

  /// Removes the stops of faults whose point a response does not have.
  ///
  /// - Parameter reason: Returns the reason why a point is missing; `nil` if the response has it.
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

  // MARK: In a well-formed response

  /// The first stop that ends the response, with the number of bytes of the body before it.
  var end: (offset: Int?, ending: Delivery.Step)? {
    var first: (offset: Int?, ending: Delivery.Step)?
    for stop in stops {
      guard case .end(let ending) = stop.act else { continue }
      if let first, (first.offset ?? -1) <= (stop.offset ?? -1) { continue }
      first = (stop.offset, ending)
    }
    return first
  }

  /// Returns the waits before a cut; without a cut all waits.
  func waits(before cut: ScriptedResponse.Cut?) -> [(offset: Int?, length: Duration)] {
    if stops.isEmpty { return [] }
    return timely(cut).compactMap { stop in
      guard case .wait(let length) = stop.act else { return nil }
      return (stop.offset, length)
    }
  }

  /// Returns the stops before a cut: at an earlier point, or at the same point and earlier in the
  /// list.
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

  // MARK: In a response as bytes

  /// Returns the number of bytes of a body before the last stop within a chunk; `nil` if there is
  /// none.
  func chunkBytes(ofBody count: Int) -> Int? {
    stops.lazy.compactMap { stop -> Int? in
      guard case .inChunk(let wanted) = stop.point else { return nil }
      return wanted ?? count / 2
    }.max()
  }

  /// Returns the offsets of the stops among the bytes of a message.
  func marks(in message: WireMessage, ofBody count: Int) -> [(offset: Int, act: Act)] {
    stops.map { (message.offset(of: $0.point, ofBody: count), $0.act) }
  }

  /// Returns whether a stop ends the response after all bytes of a message.
  func end(behind message: WireMessage, ofBody count: Int) -> Bool {
    stops.contains { stop in
      guard case .end = stop.act else { return false }
      return message.offset(of: stop.point, ofBody: count) >= message.bytes.count
    }
  }

  /// Returns whether the response ends within its headers, for which clients have no error.
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

  /// Moves each stop to its point in a well-formed response: a client never receives an incomplete
  /// head.
  mutating func makePlain(in message: WireMessage, ofBody count: Int) {
    for index in stops.indices {
      switch message.place(of: stops[index].point, ofBody: count) {
      case .start, .statusLine, .fields: stops[index].point = .afterRequest
      case .body(let count): stops[index].point = .body(count)
      }
    }
  }
}
