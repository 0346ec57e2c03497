internal import Foundation
internal import Testing

/// The texts and tables in the folder `Data` of a test target.
public enum TestData {
  private struct Unequal: Error {
    var name: String
    var found, expected: Int
  }

  /// Returns the text of a file; empty, with an issue, if the file cannot be read.
  public static func text(_ name: String, filePath: String = #filePath) -> String {
    do {
      return try String(decoding: data(name, filePath), as: UTF8.self)
    } catch {
      Issue.record("\(name): \(error)")
      return ""
    }
  }

  /// Returns the rows of a table in JSON. Throws if there are fewer or more than the test expects,
  /// because a test passes with fewer rows.
  public static func rows<each Cell: Decodable>(
    _ name: String,
    count: Int,
    filePath: String = #filePath
  ) throws -> [(repeat each Cell)] {
    let table = try JSONSerialization.jsonObject(with: data(name, filePath)) as? [[Any]] ?? []
    guard table.count == count else {
      throw Unequal(name: name, found: table.count, expected: count)
    }
    return try table.map { row in
      var cells = row.makeIterator()
      return (repeat try decoded((each Cell).self, cells.next()))
    }
  }

  private static func decoded<Cell: Decodable>(_: Cell.Type, _ cell: Any?) throws -> Cell {
    guard let cell else { throw CocoaError(.coderValueNotFound) }
    let text = try JSONSerialization.data(withJSONObject: cell, options: .fragmentsAllowed)
    return try JSONDecoder().decode(Cell.self, from: text)
  }

  /// A test target is a folder of `Tests`.
  private static func data(_ name: String, _ filePath: String) throws -> Data {
    var folder = URL(filePath: filePath).deletingLastPathComponent()
    while folder.deletingLastPathComponent().lastPathComponent != "Tests", folder.path != "/" {
      folder.deleteLastPathComponent()
    }
    return try Data(contentsOf: folder.appending(path: "Data/\(name)"))
  }
}
