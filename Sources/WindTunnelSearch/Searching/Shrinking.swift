internal import WindTunnel
internal import WindTunnelDrill

/// The way from a storm that sinks a flow to the smallest that does: nothing in it can be taken
/// away, and no parameter made milder.
struct Shrinking {
  /// A smallest storm.
  struct Least {
    var elements: [StormElement]
    var order: TurnOrder
    var wreck: Wreck
    var voyage: Voyage
    /// The decision after which the end was certain, in words.
    var certain: String?
  }

  private let flight: FlowFlight
  private let jury: Jury
  private let weather: Scenario
  private let identity: Wreck.Identity
  private let patience: Duration

  /// The most flights by which one parameter is made milder.
  private static let triesMax = 12
  /// The least difference between two lengths of time.
  private static let finest = Duration.milliseconds(10)

  init(
    _ flight: FlowFlight,
    _ jury: Jury,
    _ weather: Scenario,
    _ identity: Wreck.Identity,
    hangingAfter patience: Duration
  ) {
    (self.flight, self.jury, self.weather) = (flight, jury, weather)
    (self.identity, self.patience) = (identity, patience)
  }

  /// Returns the smallest storm of a storm that sinks the flow; `nil` where it does not sink it
  /// again.
  func least(_ elements: [StormElement], _ order: TurnOrder) async throws -> Least? {
    var (elements, order) = (elements, order)
    if order != .arrival, try await sinks(elements, .arrival) != nil { order = .arrival }
    elements = try await withoutNeedless(elements, order)
    for place in elements.indices {
      elements[place] = try await milder(elements, place, order)
    }
    guard let (wreck, voyage) = try await sinks(elements, order) else { return nil }
    return Least(
      elements: elements,
      order: order,
      wreck: wreck,
      voyage: voyage,
      certain: voyage.lastHit
    )
  }

  /// Flies a storm; `nil` where it does not break the same.
  private func sinks(
    _ elements: [StormElement],
    _ order: TurnOrder
  ) async throws -> (Wreck, Voyage)? {
    let storm = Storm(elements, upon: weather, order: order)
    let voyage = try await flight.fly(storm, hangingAfter: patience)
    var wrecks = jury.wrecks(of: voyage, in: storm)
    if elements.isEmpty { wrecks += jury.changes(of: voyage) }
    return wrecks.first { $0.identity == identity }.map { ($0, voyage) }
  }

  private func withoutNeedless(
    _ elements: [StormElement],
    _ order: TurnOrder
  ) async throws -> [StormElement] {
    var elements = elements
    var place = 0
    while place < elements.count {
      var fewer = elements
      fewer.remove(at: place)
      if try await sinks(fewer, order) != nil {
        // What was needful beside it may not be now.
        (elements, place) = (fewer, 0)
      } else {
        place += 1
      }
    }
    return elements
  }

  /// Returns one element made as mild as it can be.
  private func milder(
    _ elements: [StormElement],
    _ place: Int,
    _ order: TurnOrder
  ) async throws -> StormElement {
    func sinks(_ element: StormElement) async throws -> Bool {
      var other = elements
      other[place] = element
      return try await self.sinks(other, order) != nil
    }
    guard case .fault(var blow) = elements[place] else { return elements[place] }
    switch blow.reach {
    case .every, .untilRenewed:
      for count in 1...4 {
        var fewer = blow
        fewer.reach = count == 1 ? .attempt(1) : .first(count)
        guard fewer.key != nil, try await sinks(.fault(fewer)) else { continue }
        blow = fewer
        break
      }
    case .window(let start, let end):
      let length = try await shortest(end - start) { length in
        var shorter = blow
        shorter.reach = .window(start, start + length)
        return try await sinks(.fault(shorter))
      }
      blow.reach = .window(start, start + length)
    case .attempt, .first: break
    }
    if case .delay(let spread) = blow.fault {
      let length = try await shortest(spread.most) { length in
        var shorter = blow
        shorter.fault = .delay(.exactly(length))
        return try await sinks(.fault(shorter))
      }
      blow.fault = .delay(.exactly(length))
      blow.kind = "delay of \(Words.time(length))"
    }
    return .fault(blow)
  }

  /// Returns the shortest time that still sinks the flow, by halving.
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

extension Voyage {
  /// The last request that met a fault, in words: in the smallest storm the end was good without
  /// it.
  fileprivate var lastHit: String? {
    let hits = zip(places, attempts).filter { $0.1.isHit }
    guard let (place, attempt) = hits.last else { return nil }
    let time = Words.time((attempt.start ?? .zero) - start)
    let what = attempt.faults.joined(separator: " and ")
    return "\(what) at \(place.key), request \(place.ordinal) of it, after \(time)"
  }
}
