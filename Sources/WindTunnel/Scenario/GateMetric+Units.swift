extension GateMetric {
  /// The power of ten that takes a value in this unit to the metric's own; `nil` where it cannot
  /// be measured so.
  func power(of unit: String, _ name: String) -> Int? {
    switch (kind, unit) {
    case (.time, "ms"): 3
    case (.time, "s"): 6
    // The JSON key tells the unit.
    case (.time, "") where name == key: 3
    case (.share, "%"): -2
    case (.share, ""), (.ratio, ""), (.count, ""): 0
    default: nil
    }
  }

  var nature: String {
    switch kind {
    case .time: "is a time"
    case .share: "is a share"
    case .ratio, .count: "is a number"
    }
  }

  func example(_ name: String) -> String {
    switch kind {
    case .time: "\(name) <= \(name == key ? "800" : "800ms")"
    case .share: "\(name) >= 0.99"
    case .ratio: "\(name) <= 1.5"
    case .count: "\(name) == 0"
    }
  }
}
