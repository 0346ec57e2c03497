/// The formatting of figures for readers, the same in every format of a report.
package enum Figures {
  /// The sign for a figure without a value.
  package static let unseen = "–"

  /// Returns the lines of a table for a terminal. The first columns and the last one are aligned
  /// left, the others right.
  package static func lines(_ rows: [[String]], leftColumns: Int = .max) -> [String] {
    let columns = rows.first?.indices ?? 0..<0
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let line = columns.map { column in
        let padding = String(repeating: " ", count: widths[column] - row[column].count)
        return column < leftColumns || column == columns.upperBound - 1
          ? row[column] + padding : padding + row[column]
      }.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// Returns a share in percent, to a tenth.
  package static func percent(_ share: Double?) -> String {
    guard let share else { return unseen }
    // 2999 of 3000 are not shown as 100 %, and 1 of 3000 is not shown as 0 %.
    let rounded = (share * 1000).rounded()
    let shown = share < 1 && rounded == 1000 ? 999 : share > 0 && rounded == 0 ? 1 : rounded
    return "\(fixed(shown / 10, places: 1)) %"
  }

  /// Returns a figure with two decimal places.
  package static func decimal(_ value: Double?) -> String {
    value.map { fixed($0, places: 2) } ?? unseen
  }

  /// Returns a number without any formatting.
  package static func count(_ value: Int?) -> String { value.map { String($0) } ?? unseen }

  /// Returns a duration in milliseconds, or in seconds from ten seconds on.
  package static func time(_ value: Duration?) -> String {
    guard let value else { return unseen }
    let milliseconds = value.inMilliseconds
    return milliseconds < 9_999.5
      ? "\(fixed(milliseconds, places: milliseconds < 99.95 ? 1 : 0)) ms"
      : "\(fixed(milliseconds / 1000, places: 1)) s"
  }

  /// Returns a size in bytes, kB or MB.
  package static func bytes(_ count: Int?) -> String {
    guard let count else { return unseen }
    if count < 1000 { return "\(count) B" }
    if count < 999_950 { return "\(JSON.number(Double(count) / 1000, places: 1)) kB" }
    return "\(JSON.number(Double(count) / 1_000_000, places: 1)) MB"
  }

  /// Returns a number with zero, one or two decimal places.
  package static func fixed(_ value: Double, places: Int) -> String {
    let scale = places == 0 ? 1 : places == 1 ? 10 : 100
    // A number from a file may have any size.
    guard value >= 0, value < 1e15 else { return "\(value)" }
    let units = Int((value * Double(scale)).rounded())
    guard places > 0 else { return String(units) }
    let fraction = String(units % scale)
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(units / scale).\(zeros)\(fraction)"
  }

  /// Returns a wait in whole seconds if possible, and else as `time(_:)` does.
  static func wait(_ time: Duration) -> String {
    let milliseconds = time.inMilliseconds
    // A server may request a wait of any length.
    return milliseconds >= 1000 && milliseconds < 1e15
      && milliseconds.truncatingRemainder(dividingBy: 1000) == 0
      ? "\(Int(milliseconds / 1000)) s" : Self.time(time)
  }
}
