/// Rows of columns with a header row (RFC 4180), separated by commas, semicolons, tabs or bars.
struct Columns: Decoder {
  let separator: UInt8

  /// Detects a table and its separator. The first rows must have the same number of columns, and
  /// one column must have a secret's name.
  init?(_ bytes: Bytes, type: String, _ names: SecretNames) {
    // Fast path: most bodies are not tables.
    guard let beginning = bytes.first, !"{[<".utf8.contains(beginning), bytes.has(0x0A) else {
      return nil
    }
    func line(from place: Int) -> Range<Int> {
      bytes.run(from: place, most: 4096) { $0 != 0x0A }.indices
    }
    let first = line(from: 0)
    guard first.count < 4096, let separator = ",\t;|".utf8.first(where: bytes[first].contains)
    else {
      return nil
    }
    let columns = Self.cells(of: first, in: bytes, separator)
    let named = columns.map { bytes[$0].text }
    let isHead = named.allSatisfy { name in
      !name.isEmpty && name.utf8.count <= 40 && !name.contains { "={:".contains($0) }
        && name.split(separator: " ").count <= 4
    }
    guard isHead, named.contains(where: { names.kind(of: $0, in: .field) != nil }) else {
      return nil
    }
    if type != "text/csv", type != "text/tab-separated-values" {
      let second = Self.cells(of: line(from: first.upperBound + 1), in: bytes, separator)
      guard columns.count >= 2, second.count == columns.count else { return nil }
    }
    self.separator = separator
  }

  func spans(in bytes: Bytes) -> [Span]? {
    var spans: [Span] = []
    var names: [String]?
    var start = 0
    while start < bytes.count {
      var isQuoted = false
      let line = bytes.run(from: start) { byte in
        if byte == "\"" { isQuoted.toggle() }
        return isQuoted || byte != 0x0A
      }
      let cells = Self.cells(of: line.indices, in: bytes, separator)
      if let names {
        for (index, cell) in cells.enumerated() where !cell.isEmpty {
          let role = Span.Role.value(name: index < names.count ? names[index] : "", .field, [.row])
          spans.append(Span(range: cell, meaning: Bytes(bytes[cell]), role: role))
        }
      } else {
        names = cells.map { bytes[$0].text }
      }
      start = line.endIndex + 1
    }
    return spans
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes { meaning }

  /// Returns the cells of a row, without quotation marks and carriage returns.
  private static func cells(
    of line: Range<Int>,
    in bytes: Bytes,
    _ separator: UInt8
  ) -> [Range<Int>] {
    var isQuoted = false
    let marks = line.filter { place in
      if bytes[place] == "\"" { isQuoted.toggle() }
      return !isQuoted && bytes[place] == separator
    }
    let isAround = { (byte: UInt8) in byte <= 0x20 || byte == "\"" }
    return zip([line.lowerBound] + marks.map { $0 + 1 }, marks + [line.upperBound]).map {
      from,
      to in
      let cell = bytes[from..<to].drop(while: isAround)
      return cell.dropLast(cell.reversed().prefix(while: isAround).count).indices
    }
  }
}
