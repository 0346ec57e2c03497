/// A figure that a gate can ask for.
enum GateMetric: String, Sendable, Hashable, CaseIterable {
  case calls, successRate
  case successRateLower = "successRate.lower"
  case firstTrySuccessRate, averageRetries
  case p50, p90, p95, p99, max
  case blankPages, blankPageRate, crashes, hangs

  /// What a figure is.
  enum Kind { case share, ratio, count, time }

  var kind: Kind {
    switch self {
    case .successRate, .successRateLower, .firstTrySuccessRate, .blankPageRate: .share
    case .averageRetries: .ratio
    case .calls, .blankPages, .crashes, .hangs: .count
    case .p50, .p90, .p95, .p99, .max: .time
    }
  }

  /// The name in a report's JSON. A time's tells the unit, so its bar may go without one.
  var key: String {
    switch self {
    case .successRateLower: "successRateLower"
    case _ where kind == .time: "\(rawValue)Milliseconds"
    default: rawValue
    }
  }

  /// Every name that a gate may use.
  static let names = allCases.map(\.rawValue) + allCases.map(\.key).filter { named($0) == nil }

  private static func named(_ name: String) -> GateMetric? { GateMetric(rawValue: name) }

  /// The metric of a name.
  init?(name: String) {
    guard let metric = Self.allCases.first(where: { $0.rawValue == name || $0.key == name }) else {
      return nil
    }
    self = metric
  }

  /// The figure; a time in microseconds, a share from 0 to 1. `nil` where it was not seen.
  func figure(of metrics: Metrics) -> Double? {
    switch self {
    case .calls: Double(metrics.calls)
    case .successRate: metrics.successRate
    case .successRateLower: metrics.successRateLower
    case .firstTrySuccessRate: metrics.firstTrySuccessRate
    case .averageRetries: metrics.averageRetries
    case .p50: metrics.p50?.asMicroseconds
    case .p90: metrics.p90?.asMicroseconds
    case .p95: metrics.p95?.asMicroseconds
    case .p99: metrics.p99?.asMicroseconds
    case .max: metrics.max?.asMicroseconds
    case .blankPages: metrics.blankPages.map { Double($0) }
    case .blankPageRate: metrics.blankPageRate
    case .crashes: Double(metrics.crashes)
    case .hangs: Double(metrics.hangs)
    }
  }

  /// The fewest calls that the figure means something for: a percentile q needs 1/(1−q) of them.
  var callsMin: Int {
    switch self {
    case .p50: 2
    case .p90: 10
    case .p95: 20
    case .p99: 100
    default: 1
    }
  }

  /// Why there is no figure, where there are calls.
  var unseen: String {
    switch self {
    case .blankPages, .blankPageRate: "no call is of a critical endpoint"
    default: "the attempts could not be seen"
    }
  }

  /// A figure as people read it, with what it was made of.
  func words(_ figure: Double, of metrics: Metrics) -> String {
    switch kind {
    case .time: return "\(JSON.number(figure / 1000, places: 3)) ms"
    case .count, .ratio: return "\(JSON.number(figure, places: 6))"
    case .share:
      let share = "\(JSON.number(figure, places: 6))"
      guard self == .successRate || self == .firstTrySuccessRate else { return share }
      let count = Int((figure * Double(metrics.calls)).rounded())
      return "\(share) (\(count) of \(metrics.calls) calls)"
    }
  }
}

extension Duration {
  /// Latencies are measured in whole microseconds, so these compare exactly.
  fileprivate var asMicroseconds: Double { Double(inNanoseconds / 1000) }
}
