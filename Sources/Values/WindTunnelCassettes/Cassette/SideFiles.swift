package import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The folder of large bodies beside a cassette: `users.json` keeps them in `users.bodies/`, each
/// under the SHA-256 of its bytes, so that equal bodies are one file and a name never lies.
package struct SideFiles {
  /// A body from this size on is kept in a side file; smaller ones stay readable in the cassette.
  package static let bodyBytesMin = 256 << 10
  /// The size of the largest body that is kept.
  package static let bodyBytesMax = 4 << 30

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
  /// A large one is copied into a file of this process's own, so that it takes no memory.
  package func read(_ name: String) throws -> Body {
    guard Self.isName(name) else {
      throw FormatError(
        source: folder.lastPathComponent,
        place: "",
        problem: "\"\(name)\" is no name of a side file",
        fix: "A side file is named by the SHA-256 of its bytes."
      )
    }
    let file = folder.appendingPathComponent(name)
    let size = try FileError.size(of: file, bytesMax: Self.bodyBytesMax)
    let isLarge = size > ProvenBodies.bytesMax
    let lower = name.lowercased()
    let proven = isLarge ? try copied(file, as: lower) : try proven(file, as: lower)
    if let proven { return proven }
    // Of a large one the cause is not looked for.
    let data = isLarge ? Data() : try FileError.reading(file, bytesMax: ProvenBodies.bytesMax)
    throw Self.refusal(of: data, as: name, source: "\(folder.lastPathComponent)/\(name)")
  }

  /// Returns the bytes of a file, read at once; `nil` where its name promises others.
  private func proven(_ file: URL, as name: String) throws(FileError) -> Body? {
    let data = try FileError.reading(file, bytesMax: Self.bodyBytesMax)
    return ProvenBodies.shared.withLock { $0.prove(data, as: name) }.map { Body($0) }
  }

  /// Returns the bytes of a file, read piece by piece; `nil` where its name promises others.
  private func copied(_ file: URL, as name: String) throws(FileError) -> Body? {
    var (spool, digest) = (Spool(), SHA256())
    do {
      let handle = try FileHandle(forReadingFrom: file)
      while let piece = try handle.read(upToCount: Body.pieceBytes), !piece.isEmpty {
        digest.update(piece)
        spool.append(piece)
      }
    } catch {
      throw .unreadable(file.relativePath, reason: FileError.reason(error))
    }
    return digest.hexadecimal() == name ? spool.body() : nil
  }

  /// Keeps a body that is large enough and answers its name; `nil` for one that stays inside.
  func keep(_ body: Body) throws -> String? { try kept(body)?.name }

  /// Returns the same, with whether it was not there before.
  package func kept(_ body: Body) throws -> (name: String, isNew: Bool)? {
    guard body.count >= Self.bodyBytesMin else { return nil }
    guard body.count <= Self.bodyBytesMax else {
      throw FileError.unwritable(
        folder.relativePath,
        reason:
          "a body has \(body.count) bytes, and one of more than \(Self.bodyBytesMax) is not read"
      )
    }
    let name = body.digest
    // One that is there and was changed is mended.
    if holds(name) {
      try keepLineEnds()
      return (name, false)
    }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw FileError.unwritable(folder.relativePath, reason: FileError.reason(error))
    }
    try FileError.writing(body, to: folder.appendingPathComponent(name))
    try keepLineEnds()
    return (name, true)
  }

  /// Removes a body that must not stay.
  package func remove(_ name: String) {
    // What is not there need not go.
    try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
  }

  /// Removes the bodies that the cassette no longer names, and the folder if nothing else is in it.
  ///
  /// Called when the new text is in place, so that no text ever names a body that is gone. Only
  /// what bears a side file's name is ours to remove.
  package func removeAll(except kept: Set<String>) {
    let manager = FileManager.default
    // A folder that is not there holds nothing, and what cannot be removed does no harm: nothing
    // names it.
    let names = (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
    var leftovers = names.filter { Self.isName($0) && !kept.contains($0.lowercased()) }
    let isEmptied = !names.contains { kept.contains($0.lowercased()) }
    if isEmptied, attributesText == Self.attributes.text { leftovers.append(Self.attributes.name) }
    for name in leftovers { try? manager.removeItem(at: folder.appendingPathComponent(name)) }
    if !names.isEmpty, leftovers.count == names.count { try? manager.removeItem(at: folder) }
  }

  /// Tells whether a name is 64 hexadecimal digits, as side files have them.
  static func isName(_ name: String) -> Bool {
    name.utf8.count == 64 && name.allSatisfy { $0.isHexDigit && $0.isASCII }
  }

  /// Tells whether a body is there, unchanged; it is read in pieces, however large it is.
  private func holds(_ name: String) -> Bool {
    // One that cannot be read is written anew, so a reader's reason does not matter here.
    guard let file = try? FileHandle(forReadingFrom: folder.appendingPathComponent(name)) else {
      return false
    }
    var digest = SHA256()
    while let piece = try? file.read(upToCount: Body.pieceBytes), !piece.isEmpty {
      digest.update(piece)
    }
    return digest.hexadecimal() == name
  }
}

extension Cassette {
  /// Returns the folder of a cassette's large bodies.
  package static func sideFolder(of cassette: URL) -> URL { SideFiles(of: cassette).folder }

  /// Returns the names of the files in a cassette's folder of bodies that it does not name, in
  /// their order.
  package func unnamedSideFiles(of cassette: URL) -> [String] {
    let folder = SideFiles(of: cassette).folder
    // A folder that is not there holds nothing.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    guard !names.isEmpty else { return [] }
    let named = sideFileNames
    return names.filter { SideFiles.isName($0) && !named.contains($0.lowercased()) }.sorted()
  }

  /// The names of the files in its folder of bodies that it names when it is written.
  package var sideFileNames: Set<String> {
    let bodies = interactions.flatMap(\.bodies)
    return Set(bodies.filter { $0.count >= SideFiles.bodyBytesMin }.map(\.digest))
  }
}

/// The side files' bodies that were hashed last, so that a process hashes each once, however many
/// tests open its cassette.
///
/// A file that is read again is compared with the bytes that were hashed, which no time stamp could
/// vouch for, and which costs next to nothing. Whoever opens it again shares their memory.
struct ProvenBodies: Sendable {
  /// The bodies that the whole process shares.
  fileprivate static let shared = Locked(ProvenBodies())

  /// The largest number of bytes of them that are kept, beyond what cassettes hold.
  static let bytesMax = 64 << 20

  private var bodies: [String: Data] = [:]
  /// Their names, the one that was proven first in front.
  private var names: [String] = []
  private var bytes = 0

  /// Proves that bytes are those that a name promises.
  ///
  /// - Parameters:
  ///   - data: The bytes of a file as it is now.
  ///   - name: A SHA-256 in small letters.
  ///   - digest: What takes it of bytes that were not proven before.
  /// - Returns: The bytes, or `nil` where they are others.
  mutating func prove(
    _ data: Data,
    as name: String,
    by digest: (Data) -> String = { SHA256.hexadecimal($0) }
  ) -> Data? {
    if let known = bodies[name] { return known == data ? known : nil }
    guard digest(data) == name else { return nil }
    keep(data, of: name)
    return data
  }

  private mutating func keep(_ data: Data, of name: String) {
    guard data.count <= Self.bytesMax else { return }
    bodies[name] = data
    names.append(name)
    bytes += data.count
    while bytes > Self.bytesMax, let body = bodies.removeValue(forKey: names.removeFirst()) {
      bytes -= body.count
    }
  }
}
