/// Figures as people read them, the same in every form of a report.
enum Figures {
  /// The sign for what was not seen.
  static let unseen = "–"

  static func percent(_ share: Double?) -> String {
    guard let share else { return unseen }
    // 2999 of 3000 are not all, and one of them is not none.
    let rounded = (share * 1000).rounded()
    let shown = share < 1 && rounded == 1000 ? 999 : share > 0 && rounded == 0 ? 1 : rounded
    return "\(fixed(shown / 10, places: 1)) %"
  }

  static func decimal(_ value: Double?) -> String {
    value.map { fixed($0, places: 2) } ?? unseen
  }

  static func count(_ value: Int?) -> String { value.map { String($0) } ?? unseen }

  static func time(_ value: Duration?) -> String {
    guard let value else { return unseen }
    let milliseconds = value.inMilliseconds
    return milliseconds < 9_999.5
      ? "\(fixed(milliseconds, places: milliseconds < 99.95 ? 1 : 0)) ms"
      : "\(fixed(milliseconds / 1000, places: 1)) s"
  }

  /// A ratio with its interval: `1.20 (1.15 to 1.26)`.
  static func ratio(_ ratio: BaselineComparison.Ratio?) -> String {
    guard let ratio else { return unseen }
    return "\(decimal(ratio.value)) (\(decimal(ratio.lower)) to \(decimal(ratio.upper)))"
  }

  static func bytes(_ count: Int?) -> String {
    guard let count else { return unseen }
    if count < 1000 { return "\(count) B" }
    if count < 999_950 { return "\(JSON.number(Double(count) / 1000, places: 1)) kB" }
    return "\(JSON.number(Double(count) / 1_000_000, places: 1)) MB"
  }

  static func fixed(_ value: Double, places: Int) -> String {
    let scale = places == 0 ? 1 : places == 1 ? 10 : 100
    // What stands in a file may be any number.
    guard value >= 0, value < 1e15 else { return "\(value)" }
    let units = Int((value * Double(scale)).rounded())
    guard places > 0 else { return String(units) }
    let fraction = String(units % scale)
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(units / scale).\(zeros)\(fraction)"
  }
}
