/// Reduces a fault set that breaks a flow to a smallest one. In it, no element can be removed, no
/// fault made milder, and no window shortened by a request.
struct Shrinking {
  let flight: FlowFlight
  let oracle: Oracle
  let scenario: Scenario
  let identity: Violation.Identity
  /// The time limit of a run.
  let patience: Duration

  /// The maximum number of runs for reducing one parameter.
  private static let triesMax = 12
  /// The minimum difference between two durations.
  private static let finest = Duration.milliseconds(10)

  /// Returns the smallest form of a fault set that breaks the flow, or `nil` if it does not break
  /// the flow again.
  func least(_ elements: [FaultSetElement], _ order: TurnOrder) async throws -> Find.Least? {
    var (elements, order) = (elements, order)
    if order != .arrival, try await sinks(elements, .arrival) != nil { order = .arrival }
    elements = try await withoutNeedless(elements, order)
    for place in elements.indices {
      elements[place] = try await milder(elements, place, order)
      elements[place] = try await roomier(elements, place, order)
    }
    guard let (violation, run) = try await sinks(elements, order) else { return nil }
    return Find.Least(
      elements: elements,
      order: order,
      violation: violation,
      run: run,
      certain: run.lastHit
    )
  }

  /// Runs a fault set; `nil` if it does not cause the same violation.
  private func sinks(
    _ elements: [FaultSetElement],
    _ order: TurnOrder
  ) async throws -> (Violation, FlowRun)? {
    let faultSet = FaultSet(elements, upon: scenario, order: order)
    let run = try await flight.run(faultSet, hangingAfter: patience)
    var violations = oracle.violations(of: run, in: faultSet)
    if elements.isEmpty { violations += oracle.changes(of: run) }
    return violations.first { $0.identity == identity }.map { ($0, run) }
  }

  private func withoutNeedless(
    _ elements: [FaultSetElement],
    _ order: TurnOrder
  ) async throws -> [FaultSetElement] {
    var elements = elements
    var place = 0
    while place < elements.count {
      var fewer = elements
      fewer.remove(at: place)
      if try await sinks(fewer, order) != nil {
        // An element that was necessary before may not be necessary now.
        (elements, place) = (fewer, 0)
      } else {
        place += 1
      }
    }
    return elements
  }

  /// Returns one element in its mildest form that still breaks the flow.
  private func milder(
    _ elements: [FaultSetElement],
    _ place: Int,
    _ order: TurnOrder
  ) async throws -> FaultSetElement {
    func sinks(_ element: FaultSetElement) async throws -> Bool {
      var other = elements
      other[place] = element
      return try await self.sinks(other, order) != nil
    }
    guard case .fault(var element) = elements[place] else { return elements[place] }
    switch element.reach {
    case .every, .untilRenewed:
      for count in 1...4 {
        var fewer = element
        fewer.reach = count == 1 ? .attempt(1) : .first(count)
        guard fewer.key != nil, try await sinks(.fault(fewer)) else { continue }
        element = fewer
        break
      }
    case .window(let start, let end):
      let length = try await shortest(end - start) { length in
        var shorter = element
        shorter.reach = .window(start, start + length)
        return try await sinks(.fault(shorter))
      }
      element.reach = .window(start, start + length)
    case .attempt, .first: break
    }
    if case .delay(let spread) = element.fault {
      let length = try await shortest(spread.most) { length in
        var shorter = element
        shorter.fault = .delay(length)
        return try await sinks(.fault(shorter))
      }
      element.fault = .delay(length)
      element.kind = "delay of \(Words.time(length))"
    }
    return .fault(element)
  }

  /// The minimum time between the last request in a window and the window's end.
  private static let leastRoom = Duration.milliseconds(250)

  /// Returns an element whose window ends halfway between the last request in it and the next one.
  /// It affects the same requests, even if times differ slightly on another machine.
  private func roomier(
    _ elements: [FaultSetElement],
    _ place: Int,
    _ order: TurnOrder
  ) async throws -> FaultSetElement {
    guard case .fault(var element) = elements[place],
      case .window(let start, let end) = element.reach,
      let (_, run) = try await sinks(elements, order)
    else { return elements[place] }
    let starts = zip(run.places, run.attempts)
      .filter { element.key == nil || element.key == $0.0.key }
      .compactMap { $0.1.start.map { $0 - run.start } }
    guard let last = starts.filter({ $0 < end }).max() else { return elements[place] }
    let next = starts.filter { $0 >= end }.min()
    let middle = next.map { last + ($0 - last) / 2 } ?? max(end, last + Self.leastRoom)
    element.reach = .window(start, .milliseconds(Int64(middle.inMilliseconds.rounded())))
    var other = elements
    other[place] = .fault(element)
    return try await sinks(other, order) == nil ? elements[place] : other[place]
  }

  /// Returns the shortest time that still breaks the flow, by bisection.
  private func shortest(
    _ most: Duration,
    _ sinks: (Duration) async throws -> Bool
  ) async throws -> Duration {
    var (low, high) = (Duration.zero, most)
    for _ in 0..<Self.triesMax where high - low > Self.finest {
      let middle = Duration.milliseconds(Int64((low + (high - low) / 2).inMilliseconds.rounded()))
      guard middle > low, middle < high else { break }
      if try await sinks(middle) { high = middle } else { low = middle }
    }
    return high
  }
}

extension FlowRun {
  /// The last request that met a fault, as text. Without this fault, the flow would not be broken
  /// in the smallest fault set.
  fileprivate var lastHit: String? {
    let hits = zip(places, attempts).filter { $0.1.isHit }
    guard let (place, attempt) = hits.last else { return nil }
    let time = Words.time((attempt.start ?? .zero) - start)
    let what = attempt.faults.joined(separator: " and ")
    return "\(what) at \(place.key), request \(place.ordinal) of it, after \(time)"
  }
}
