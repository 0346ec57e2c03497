internal import Foundation

extension SideFiles {
  /// Removes the bodies that the cassette no longer names, and the folder if nothing else is in it.
  ///
  /// Called when the new text is in place, so that no text ever names a body that is gone. Only
  /// what bears a side file's name is ours to remove.
  package func removeAll(except kept: Set<String>) {
    let manager = FileManager.default
    // A folder that is not there holds nothing, and what cannot be removed does no harm: nothing
    // names it.
    let names = (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
    let leftovers = names.filter { Self.isName($0) && !kept.contains($0.lowercased()) }
    for name in leftovers {
      try? manager.removeItem(at: folder.appendingPathComponent(name))
    }
    if !names.isEmpty, leftovers.count == names.count { try? manager.removeItem(at: folder) }
  }

  /// Whether a name is 64 hexadecimal digits, as side files have them.
  static func isName(_ name: String) -> Bool {
    name.utf8.count == 64 && name.allSatisfy { $0.isHexDigit && $0.isASCII }
  }
}
