/// The runs of fault sets in order. The next ones already run while one is judged.
///
/// A run depends only on its fault set. The number of concurrent runs and earlier results therefore
/// do not affect it.
struct FlightsAhead {
  private let flight: FlowFlight
  private let patience: Duration
  private let workers: Int
  /// Creates a fault set when its run starts, because there may be a million.
  private let faultSet: (Int) -> FaultSet
  private var places: Range<Int>
  private var underWay: [Task<FlowRun, any Error>] = []

  /// Creates the runs of a number of fault sets.
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

  /// Returns the run of the next fault set.
  ///
  /// - Throws: The run's error, or `CancellationError` if there is no next fault set.
  mutating func next() async throws -> FlowRun {
    if workers == 1, let place = places.popFirst() {
      return try await flight.run(faultSet(place), hangingAfter: patience)
    }
    // One more than the number of workers, because one is judged at the same time.
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

  /// Cancels the remaining runs and waits for their end, so that nothing runs after a search.
  mutating func end() async {
    for flight in underWay { flight.cancel() }
    for flight in underWay { _ = await flight.result }
    (underWay, places) = ([], 0..<0)
  }
}
