package import Foundation

/// The folder of large bodies beside a cassette: `users.json` keeps them in `users.bodies/`, each
/// under the SHA-256 of its bytes, so that equal bodies are one file and a name never lies.
package struct SideFiles {
  /// A body from this size on is kept in a side file; smaller ones stay readable in the cassette.
  package static let bodyBytesMin = 256 << 10

  let folder: URL

  package init(of cassette: URL) {
    // Beside the file itself, by whatever link it is named.
    let cassette = (try? FileError.target(of: cassette)) ?? cassette
    let name = cassette.deletingPathExtension().lastPathComponent
    folder = cassette.deletingLastPathComponent().appendingPathComponent("\(name).bodies")
  }

  /// Reads a body. A name is 64 hexadecimal digits and nothing else, so it cannot leave the folder.
  ///
  /// Side files are read and proven when the cassette is opened: what was opened plays to its end
  /// whatever happens to the folder, and a body that was changed is refused before anything starts.
  package func read(_ name: String) throws -> Data {
    guard Self.isName(name) else {
      throw FormatError(
        source: folder.lastPathComponent,
        place: "",
        problem: "\"\(name)\" is no name of a side file",
        remedy: "A side file is named by the SHA-256 of its bytes."
      )
    }
    let data = try FileError.reading(
      folder.appendingPathComponent(name),
      bytesMax: Cassette.fileBytesMax
    )
    guard let proven = ProvenBodies.shared.withLock({ $0.prove(data, as: name.lowercased()) })
    else {
      throw FormatError(
        source: "\(folder.lastPathComponent)/\(name)",
        place: "",
        problem: "the bytes are not those that the name promises"
      )
    }
    return proven
  }

  /// Keeps a body that is large enough and answers its name; `nil` for one that stays inside.
  func keep(_ data: Data) throws -> String? { try kept(data)?.name }

  /// The same, with whether it was not there before.
  package func kept(_ data: Data) throws -> (name: String, isNew: Bool)? {
    guard data.count >= Self.bodyBytesMin else { return nil }
    let name = SHA256.hexadecimal(data)
    // One that is there and was changed is mended.
    if holds(name) { return (name, false) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw FileError.unwritable(folder.relativePath, reason: FileError.reason(error))
    }
    try FileError.writing(data, to: folder.appendingPathComponent(name))
    return (name, true)
  }
}

extension SideFiles {
  /// Removes a body that must not stay.
  package func remove(_ name: String) {
    // What is not there need not go.
    try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
  }

  /// Whether a body is there, unchanged; it is read in pieces, however large it is.
  private func holds(_ name: String) -> Bool {
    // One that cannot be read is written anew, so a reader's reason does not matter here.
    guard let file = try? FileHandle(forReadingFrom: folder.appendingPathComponent(name)) else {
      return false
    }
    var digest = SHA256()
    while let piece = try? file.read(upToCount: 1 << 20), !piece.isEmpty { digest.update(piece) }
    return digest.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == name
  }
}

extension Cassette {
  /// Where a cassette's large bodies lie.
  package static func sideFolder(of cassette: URL) -> URL { SideFiles(of: cassette).folder }
}
