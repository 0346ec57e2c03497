extension Report.Row {
  /// Whether the row has calls that count as screens by default.
  var hasDefaultScreens: Bool { screens == .byDefault && metrics.blankScreens != nil }
}

extension Report {
  /// The sentence about screens by default; `nil` if critical endpoints are named, or if there is
  /// no read.
  var defaultScreens: String? {
    let rows = scenarios.lazy.compactMap(\.subjects.first).filter(\.hasDefaultScreens)
    guard let row = rows.first,
      let example = row.endpoints.first(where: { $0.metrics.blankScreens != nil })?.name
    else { return nil }
    return "every GET and HEAD counts as a screen by default: --critical \"\(example)\" sets yours"
  }
}
