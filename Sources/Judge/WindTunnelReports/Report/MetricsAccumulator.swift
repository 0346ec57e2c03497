/// A fold of calls into figures that does not store the calls.
///
/// Two accumulators merge exactly: whatever the order, and however the calls were divided among
/// them, the figures are those of one fold over all calls.
public struct MetricsAccumulator: Sendable {
  private var tallies: [Tally] = []
  private var places: [String: Int] = [:]
  private let screens: Screens

  /// Creates an accumulator without calls.
  ///
  /// - Parameter screens: The calls that count as screens.
  public init(screens: Screens = .named) { self.screens = screens }

  /// Creates an accumulator of calls.
  ///
  /// - Parameters:
  ///   - observations: The calls.
  ///   - screens: The calls that count as screens.
  public init(_ observations: some Sequence<Observation>, screens: Screens = .named) {
    self.screens = screens
    for observation in observations { add(observation) }
  }

  /// Adds a call to the figures.
  public mutating func add(_ observation: Observation) {
    tallies[place(of: observation.endpoint)].add(observation, screens)
  }

  /// Adds all calls of another accumulator.
  public mutating func merge(_ other: MetricsAccumulator) {
    for (endpoint, place) in other.places {
      tallies[self.place(of: endpoint)].merge(other.tallies[place])
    }
  }

  /// The figures of all calls.
  public var metrics: Metrics {
    var all = Tally()
    for tally in tallies { all.merge(tally) }
    return Metrics(all, screens)
  }

  /// The figures of each endpoint, in the order of the first calls.
  public var endpoints: [Report.EndpointRow] {
    places
      .sorted { (tallies[$0.value].firstCall, $0.key) < (tallies[$1.value].firstCall, $1.key) }
      .map { Report.EndpointRow(name: $0.key, metrics: Metrics(tallies[$0.value], screens)) }
  }

  private mutating func place(of endpoint: String) -> Int {
    if let place = places[endpoint] { return place }
    places[endpoint] = tallies.count
    tallies.append(Tally())
    return tallies.count - 1
  }
}

extension Metrics {
  /// Folds observations into figures.
  ///
  /// - Parameters:
  ///   - observations: The calls.
  ///   - screens: The calls that count as screens.
  public init(_ observations: some Sequence<Observation>, screens: Screens = .named) {
    self = MetricsAccumulator(observations, screens: screens).metrics
  }
}
