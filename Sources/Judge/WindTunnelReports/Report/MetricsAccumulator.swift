/// An accumulator that calculates figures from calls without storing the calls.
///
/// Two accumulators merge exactly. The figures cover all calls together, regardless of their order
/// and of how they were divided.
public struct MetricsAccumulator: Sendable {
  /// The sums of calls by their endpoint.
  private var tallies: [String: Tally] = [:]
  private let screens: Screens

  /// Creates an accumulator without calls.
  ///
  /// - Parameter screens: The calls that count as screens.
  public init(screens: Screens = .named) { self.screens = screens }

  /// Creates an accumulator with calls.
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
    tallies[observation.endpoint, default: Tally()].add(observation, screens)
  }

  /// Adds all calls of another accumulator.
  public mutating func merge(_ other: MetricsAccumulator) {
    for (endpoint, tally) in other.tallies { tallies[endpoint, default: Tally()].merge(tally) }
  }

  /// The figures of all calls.
  public var metrics: Metrics {
    var all = Tally()
    for tally in tallies.values { all.merge(tally) }
    return Metrics(all, screens)
  }

  /// The figures of each endpoint, in the order of the first calls.
  public var endpoints: [Report.EndpointRow] {
    tallies.map { ($0.value.firstCall, $0.key) }.sorted { $0 < $1 }.compactMap { _, name in
      tallies[name].map { Report.EndpointRow(name: name, metrics: Metrics($0, screens)) }
    }
  }
}

extension Metrics {
  /// Calculates the figures of calls.
  ///
  /// - Parameters:
  ///   - observations: The calls.
  ///   - screens: The calls that count as screens.
  public init(_ observations: some Sequence<Observation>, screens: Screens = .named) {
    self = MetricsAccumulator(observations, screens: screens).metrics
  }
}
