/// The formatting of figures for people, the same in every format of a report.
package enum Figures {
  /// The sign for what was not seen.
  package static let unseen = "–"

  /// Returns the lines of a table for a terminal, whose first columns stand left, the others right
  /// and the last one left.
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

  /// Writes a share in percent, to a tenth.
  package static func percent(_ share: Double?) -> String {
    guard let share else { return unseen }
    // 2999 of 3000 are not all, and one of them is not none.
    let rounded = (share * 1000).rounded()
    let shown = share < 1 && rounded == 1000 ? 999 : share > 0 && rounded == 0 ? 1 : rounded
    return "\(fixed(shown / 10, places: 1)) %"
  }

  /// Writes a figure with two places.
  package static func decimal(_ value: Double?) -> String {
    value.map { fixed($0, places: 2) } ?? unseen
  }

  /// Writes a number as it is.
  package static func count(_ value: Int?) -> String { value.map { String($0) } ?? unseen }

  /// Writes a length of time in milliseconds, or in seconds from ten on.
  package static func time(_ value: Duration?) -> String {
    guard let value else { return unseen }
    let milliseconds = value.inMilliseconds
    return milliseconds < 9_999.5
      ? "\(fixed(milliseconds, places: milliseconds < 99.95 ? 1 : 0)) ms"
      : "\(fixed(milliseconds / 1000, places: 1)) s"
  }

  /// Writes a size in bytes, kB or MB.
  package static func bytes(_ count: Int?) -> String {
    guard let count else { return unseen }
    if count < 1000 { return "\(count) B" }
    if count < 999_950 { return "\(JSON.number(Double(count) / 1000, places: 1)) kB" }
    return "\(JSON.number(Double(count) / 1_000_000, places: 1)) MB"
  }

  /// Writes a number with so many places, at most two.
  package static func fixed(_ value: Double, places: Int) -> String {
    let scale = places == 0 ? 1 : places == 1 ? 10 : 100
    // What stands in a file may be any number.
    guard value >= 0, value < 1e15 else { return "\(value)" }
    let units = Int((value * Double(scale)).rounded())
    guard places > 0 else { return String(units) }
    let fraction = String(units % scale)
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(units / scale).\(zeros)\(fraction)"
  }

  /// Writes a wait in whole seconds where it is one.
  static func wait(_ time: Duration) -> String {
    let milliseconds = time.inMilliseconds
    // What a server asks for may be any number.
    return milliseconds >= 1000 && milliseconds < 1e15
      && milliseconds.truncatingRemainder(dividingBy: 1000) == 0
      ? "\(Int(milliseconds / 1000)) s" : Self.time(time)
  }
}
