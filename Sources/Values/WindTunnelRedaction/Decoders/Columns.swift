/// Lines of columns, the first of which names them (RFC 4180), with commas, semicolons or tabs.
struct Columns: Decoder {
  let separator: UInt8

  /// Finds the separator of a table's columns: its first lines have as many, and one of them is
  /// named like a secret.
  init?(_ bytes: Bytes, type: String, _ names: SecretNames) {
    // Most bodies are something else.
    guard let beginning = bytes.first, !"{[<".utf8.contains(beginning), bytes.has(0x0A) else {
      return nil
    }
    let first = bytes.prefix(4096).prefix { $0 != 0x0A }
    guard first.count < 4096, first.endIndex < bytes.count else { return nil }
    let isTable = type == "text/csv" || type == "text/tab-separated-values"
    guard let separator = ",\t;|".utf8.first(where: first.contains) else { return nil }
    let columns = Self.cells(of: first.startIndex..<first.endIndex, in: bytes, separator)
    let named = columns.map { String(decoding: bytes[$0], as: UTF8.self) }
    let isHead = named.allSatisfy { name in
      !name.isEmpty && name.utf8.count <= 40 && !name.contains("=") && !name.contains("{")
        && !name.contains(":") && name.split(separator: " ").count <= 4
    }
    guard isHead, named.contains(where: { names.kind(of: $0, in: .field) != nil }) else {
      return nil
    }
    if !isTable {
      let second = bytes[(first.endIndex + 1)...].prefix(4096).prefix { $0 != 0x0A }
      let count = Self.cells(of: second.startIndex..<second.endIndex, in: bytes, separator).count
      guard columns.count >= 2, count == columns.count else { return nil }
    }
    self.separator = separator
  }

  func spans(in bytes: Bytes) -> [Span]? {
    var spans: [Span] = []
    var names: [String] = []
    var start = 0
    while start < bytes.count {
      var end = start
      var isQuoted = false
      while end < bytes.count, isQuoted || bytes[end] != 0x0A {
        if bytes[end] == UInt8(ascii: "\"") { isQuoted.toggle() }
        end += 1
      }
      let cells = Self.cells(of: start..<end, in: bytes, separator)
      if names.isEmpty {
        names = cells.map { String(decoding: bytes[$0], as: UTF8.self) }
      } else {
        for (index, cell) in cells.enumerated() where !cell.isEmpty {
          let role = Span.Role.value(name: index < names.count ? names[index] : "", .field, [.row])
          spans.append(Span(range: cell, meaning: Bytes(bytes[cell]), role: role))
        }
      }
      start = end + 1
    }
    return spans
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes { meaning }

  /// Returns the cells of a line, without quotation marks and what a carriage return leaves.
  private static func cells(
    of line: Range<Int>,
    in bytes: Bytes,
    _ separator: UInt8
  ) -> [Range<Int>] {
    var cells: [Range<Int>] = []
    var start = line.lowerBound
    var isQuoted = false
    for place in line.lowerBound...line.upperBound {
      if place < line.upperBound {
        if bytes[place] == UInt8(ascii: "\"") { isQuoted.toggle() }
        if isQuoted || bytes[place] != separator { continue }
      }
      var (from, to) = (start, place)
      while from < to, bytes[from] <= 0x20 || bytes[from] == UInt8(ascii: "\"") { from += 1 }
      while to > from, bytes[to - 1] <= 0x20 || bytes[to - 1] == UInt8(ascii: "\"") { to -= 1 }
      cells.append(from..<to)
      start = place + 1
    }
    return cells
  }
}
