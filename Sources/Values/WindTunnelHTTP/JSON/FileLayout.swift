extension JSON {
  /// The maximum number of columns of a container on one line.
  private static let columnsMax = 100

  /// Returns the text of a file in the project's layout.
  ///
  /// A container without other containers is on one line if it fits; otherwise each element has its
  /// own line. The indentation is two spaces a level, and a line feed ends the text.
  package func fileBytes() -> [UInt8] { fileBytes(level: 0) + [UInt8(ascii: "\n")] }

  /// Returns the text of a value at the given nesting level, in the project's layout.
  package func fileBytes(level: Int) -> [UInt8] {
    var writer = JSONWriter(spacing: .indent2)
    writeForFile(&writer, level: level)
    return writer.bytes
  }

  private var isContainer: Bool {
    switch self {
    case .array, .object: true
    case .null, .bool, .number, .string: false
    }
  }

  private func writeForFile(_ writer: inout JSONWriter, level: Int) {
    if let line = oneLine(level: level) { return writer.bytes.append(contentsOf: line) }
    switch self {
    case .null, .bool, .number, .string: writer.write(self, level: level)
    case .array(let elements):
      writer.list("[", "]", elements, level: level) { $1.writeForFile(&$0, level: level + 1) }
    case .object(let members):
      writer.list("{", "}", members, level: level) { writer, member in
        writer.write(member.name)
        writer.bytes.append(contentsOf: ": ".utf8)
        member.value.writeForFile(&writer, level: level + 1)
      }
    }
  }

  private func oneLine(level: Int) -> [UInt8]? {
    let children = elements + members.map(\.value)
    guard isContainer, !children.contains(where: \.isContainer), children.count <= Self.columnsMax
    else { return nil }
    var line = JSONWriter(spacing: .spaced)
    line.write(self, level: 0)
    if case .object = self, !children.isEmpty {
      line.bytes.insert(UInt8(ascii: " "), at: 1)
      line.bytes.insert(UInt8(ascii: " "), at: line.bytes.count - 1)
    }
    return line.bytes.count + level * 2 <= Self.columnsMax ? line.bytes : nil
  }
}
