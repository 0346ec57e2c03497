package import Foundation

/// The text of a cassette by interaction, with large bodies in side files.
package struct CassetteParts {
  /// The bytes after the last interaction.
  package static let closing = Array("\n  ]\n}\n".utf8)
  private static let separator = Array(",\n".utf8)

  /// One interaction of the text.
  package struct Part {
    /// The number of the request if the interaction is new; otherwise `nil`.
    package let order: Int?
    let interaction: Interaction
    fileprivate(set) var bytes: [UInt8]
    /// The side files that it references.
    fileprivate let files: [String]
  }

  /// The bytes before the first interaction.
  package let header: [UInt8]
  package private(set) var parts: [Part] = []
  /// Descriptions of the interactions that were omitted because they could not be stored.
  package private(set) var leftOut: [String] = []
  private let empty: Data
  private let sideFiles: SideFiles
  /// The side files that did not exist before.
  private var newFiles: Set<String> = []

  /// Stores the large bodies and encodes the text. New interactions whose bodies cannot be stored
  /// are omitted.
  package init(_ cassette: Cassette, new orders: [Int], in sideFiles: SideFiles) throws {
    self.sideFiles = sideFiles
    var frame = Cassette()
    frame.notes = cassette.notes
    empty = try CassetteFormat.encode(frame) { _ in nil }
    header = Array(empty.dropLast("]\n}\n".utf8.count)) + [UInt8(ascii: "\n")]
    let after = cassette.interactions.count - orders.count
    for (index, interaction) in cassette.interactions.enumerated() {
      let order = index < after ? nil : orders[index - after]
      var (names, new): ([String], Set<String>) = ([], [])
      let writer = InteractionWriter(sideFile: { body in
        guard let (name, isNew) = try sideFiles.kept(body) else { return nil }
        names.append(name)
        if isNew { new.insert(name) }
        return name
      })
      do {
        let bytes = Self.indented(try writer.json(interaction).fileBytes(level: 2))
        parts.append(Part(order: order, interaction: interaction, bytes: bytes, files: names))
        newFiles.formUnion(new)
      } catch let error as FileError where order != nil {
        for name in new { sideFiles.remove(name) }
        leave(out: interaction, error)
      }
    }
  }

  /// The number of interactions that are not new.
  package var baseCount: Int { parts.count { $0.order == nil } }

  /// The side files that the text references.
  package var fileNames: Set<String> { Set(parts.flatMap(\.files)) }

  /// Returns the text with the first `count` interactions; with all if `count` is `nil`.
  package func text(_ count: Int? = nil) -> Data {
    let parts = parts.prefix(count ?? parts.count)
    if parts.isEmpty { return empty }
    var text = Data(header)
    for (index, part) in parts.enumerated() { text += bytes(of: part, at: index) }
    return text + Self.closing
  }

  /// Returns the bytes that an interaction appends to the text.
  package func bytes(at index: Int) -> [UInt8] { bytes(of: parts[index], at: index) }

  private func bytes(of part: Part, at index: Int) -> [UInt8] {
    index == 0 ? part.bytes : Self.separator + part.bytes
  }

  /// Omits the new interactions whose requests are not in `orders`, and returns whether there were
  /// any.
  package mutating func leaveOut(whereNot orders: Set<Int>, _ error: FileError) -> Bool {
    let out = parts.filter { part in part.order.map { !orders.contains($0) } ?? false }
    if out.isEmpty { return false }
    parts.removeAll { part in part.order.map { !orders.contains($0) } ?? false }
    for name in newFiles.subtracting(fileNames) { sideFiles.remove(name) }
    for part in out { leave(out: part.interaction, error) }
    return true
  }

  /// Returns the same cassette with each new interaction on one line, which is no longer than its
  /// line in a journal.
  package func packed() throws -> CassetteParts {
    var packed = self
    let writer = InteractionWriter(
      sideFile: { $0.count < SideFiles.bodyBytesMin ? nil : $0.digest },
      keepsStructure: false
    )
    for (index, part) in parts.enumerated() where part.order != nil {
      packed.parts[index].bytes = Self.indented(try writer.json(part.interaction).bytes())
    }
    return packed
  }

  private mutating func leave(out interaction: Interaction, _ error: FileError) {
    leftOut.append("\(interaction.request.method) \(interaction.request.url): \(error)")
  }

  private static func indented(_ bytes: [UInt8]) -> [UInt8] { Array("    ".utf8) + bytes }
}
