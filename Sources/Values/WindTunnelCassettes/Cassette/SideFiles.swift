package import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The folder of large bodies next to a cassette: `users.json` stores them in `users.bodies/`.
///
/// Each file is named by the SHA-256 of its bytes. So equal bodies share one file, and a name
/// always matches its content.
package struct SideFiles {
  /// The minimum size in bytes of a body in a side file; smaller bodies stay readable in the
  /// cassette.
  package static let bodyBytesMin = 256 << 10
  /// The maximum size of a body in bytes.
  package static let bodyBytesMax = 4 << 30

  let folder: URL

  package init(of cassette: URL) {
    // The folder is next to the file itself, even if the path is a symbolic link.
    let cassette = (try? FileError.target(of: cassette)) ?? cassette
    let name = cassette.deletingPathExtension().lastPathComponent
    folder = cassette.deletingLastPathComponent().appendingPathComponent("\(name).bodies")
  }

  /// Reads a body. A name consists of exactly 64 hexadecimal digits, so it cannot lead outside the
  /// folder.
  ///
  /// Side files are read and verified when the cassette is opened. So a cassette plays to its end
  /// even if the folder changes later, and a changed body is rejected before anything starts. A
  /// large body is copied into a temporary file, so that it takes no memory.
  package func read(_ name: String) throws -> Body {
    guard Self.isName(name) else {
      throw FormatError(
        source: folder.lastPathComponent,
        place: "",
        problem: "\"\(name)\" is not the name of a side file",
        fix: "The name is the SHA-256 of the bytes."
      )
    }
    let file = folder.appendingPathComponent(name)
    let size = try FileError.size(of: file, bytesMax: Self.bodyBytesMax)
    let isLarge = size > ProvenBodies.bytesMax
    let lower = name.lowercased()
    let proven = isLarge ? try copied(file, as: lower) : try proven(file, as: lower)
    if let proven { return proven }
    // The cause is only determined for bodies that fit into memory.
    let data = isLarge ? Data() : try FileError.reading(file, bytesMax: ProvenBodies.bytesMax)
    throw Self.refusal(of: data, as: name, source: "\(folder.lastPathComponent)/\(name)")
  }

  /// Returns the bytes of a file, read at once; `nil` if they do not match its name.
  private func proven(_ file: URL, as name: String) throws(FileError) -> Body? {
    let data = try FileError.reading(file, bytesMax: Self.bodyBytesMax)
    return ProvenBodies.shared.withLock { $0.prove(data, as: name) }.map { Body($0) }
  }

  /// Returns the bytes of a file, read in pieces; `nil` if they do not match its name.
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

  /// Stores a large body and returns its name and whether the file is new; `nil` if the body stays
  /// in the cassette.
  package func kept(_ body: Body) throws -> (name: String, isNew: Bool)? {
    guard body.count >= Self.bodyBytesMin else { return nil }
    guard body.count <= Self.bodyBytesMax else {
      throw FileError.unwritable(
        folder.relativePath,
        reason: "a body has \(body.count) bytes; the maximum is \(Self.bodyBytesMax)"
      )
    }
    let name = body.digest
    // An existing file that was changed is written again.
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

  /// Removes a stored body.
  package func remove(_ name: String) {
    // The file may already be missing.
    try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
  }

  /// Removes the bodies that the cassette no longer references, and the folder if it is then empty.
  ///
  /// Call it after the new text is written, so that a text never references a missing body. Only
  /// files with a side file's name are removed.
  package func removeAll(except kept: Set<String>) {
    let manager = FileManager.default
    // A missing folder contains no files. A file that cannot be removed does no harm, because no
    // cassette references it.
    let names = (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
    var leftovers = names.filter { Self.isName($0) && !kept.contains($0.lowercased()) }
    let isEmptied = !names.contains { kept.contains($0.lowercased()) }
    if isEmptied, attributesText == Self.attributes.text { leftovers.append(Self.attributes.name) }
    for name in leftovers { try? manager.removeItem(at: folder.appendingPathComponent(name)) }
    if !names.isEmpty, leftovers.count == names.count { try? manager.removeItem(at: folder) }
  }

  /// Whether a name consists of 64 hexadecimal digits, like a side file's.
  static func isName(_ name: String) -> Bool {
    name.utf8.count == 64 && name.allSatisfy { $0.isHexDigit && $0.isASCII }
  }

  /// Whether an unchanged file of a body exists. The file is read in pieces, so its size does not
  /// matter.
  private func holds(_ name: String) -> Bool {
    // A file that cannot be read is written again, so the reason does not matter here.
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

  /// Returns the names of side files in a cassette's folder that it does not reference, sorted.
  package func unnamedSideFiles(of cassette: URL) -> [String] {
    let folder = SideFiles(of: cassette).folder
    // A missing folder contains no files.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    guard !names.isEmpty else { return [] }
    let named = sideFileNames
    return names.filter { SideFiles.isName($0) && !named.contains($0.lowercased()) }.sorted()
  }

  /// The names of the side files that the cassette references when it is written.
  package var sideFileNames: Set<String> {
    let bodies = interactions.flatMap(\.bodies)
    return Set(bodies.filter { $0.count >= SideFiles.bodyBytesMin }.map(\.digest))
  }
}

/// The most recently verified side files. A process hashes each file only once, even if many tests
/// open its cassette.
///
/// A file that is read again is compared with the verified bytes. That is fast and safer than
/// comparing time stamps. Cassettes that open it again share the memory.
struct ProvenBodies: Sendable {
  /// The bodies shared by the whole process.
  fileprivate static let shared = Locked(ProvenBodies())

  /// The maximum number of bytes that are kept in addition to open cassettes.
  static let bytesMax = 64 << 20

  private var bodies: [String: Data] = [:]
  /// The names of the bodies, oldest first.
  private var names: [String] = []
  private var bytes = 0

  /// Verifies that bytes match a name.
  ///
  /// - Parameters:
  ///   - data: The current bytes of a file.
  ///   - name: A SHA-256 in lower case.
  ///   - digest: Computes the SHA-256 of bytes that were not verified before.
  /// - Returns: The bytes; `nil` if they do not match.
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
