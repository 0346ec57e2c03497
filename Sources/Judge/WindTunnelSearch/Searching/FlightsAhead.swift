/// Flights of fault sets that are flown anyway, in their order: those of the next ones are under
/// way while one is judged.
///
/// A flight depends on its fault set alone, so it does not matter how many are under way, nor what
/// is found meanwhile.
struct FlightsAhead {
  private let flight: FlowFlight
  private let patience: Duration
  private let workers: Int
  /// Made when it is its turn: there may be a million.
  private let faultSet: (Int) -> FaultSet
  private var places: Range<Int>
  private var underWay: [Task<FlowRun, any Error>] = []

  /// Makes flights of so many fault sets.
  init(
    of count: Int,
    _ flight: FlowFlight,
    hangingAfter patience: Duration,
    workers: Int,
    _ faultSet: @escaping (Int) -> FaultSet
  ) {
    (self.flight, self.patience, self.workers) = (flight, patience, workers)
    (self.faultSet, places) = (faultSet, 0..<count)
  }

  /// Returns the flight of the next fault set.
  ///
  /// - Throws: Its error, or `CancellationError` where there is no next fault set.
  mutating func next() async throws -> FlowRun {
    if workers == 1, let place = places.popFirst() {
      return try await flight.run(faultSet(place), hangingAfter: patience)
    }
    // One more than there are workers: it flies while this one is judged.
    while underWay.count <= workers, let place = places.popFirst() {
      let faultSet = faultSet(place)
      underWay.append(
        Task { [flight, patience] in try await flight.run(faultSet, hangingAfter: patience) }
      )
    }
    guard !underWay.isEmpty else { throw CancellationError() }
    let next = underWay.removeFirst()
    return try await withTaskCancellationHandler {
      try await next.value
    } onCancel: {
      next.cancel()
    }
  }

  /// Gives up what nobody will ask for, and waits for the end of it: nothing of a search is in the
  /// air when it is over.
  mutating func end() async {
    for flight in underWay { flight.cancel() }
    for flight in underWay { _ = await flight.result }
    (underWay, places) = ([], 0..<0)
  }
}
