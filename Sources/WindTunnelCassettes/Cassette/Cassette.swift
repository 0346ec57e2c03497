public import Foundation

/// What was said: interactions in the order they happened.
public struct Cassette: Sendable, Hashable {
  /// The interactions, in order.
  public var interactions: [Interaction]
  /// Top-level keys that begin with `_`: kept as they are.
  public var notes: [JSON.Member] = []

  /// Makes a cassette.
  public init(_ interactions: [Interaction] = []) { self.interactions = interactions }

  /// The file is larger than this: it is refused before it is read.
  public static let fileBytesMax = 512 << 20

  /// Reads a cassette file, version 1.
  ///
  /// - Throws: `FormatError` for a file that is no cassette or of a newer version, `FileError` for
  ///   one that cannot be read.
  public init(contentsOf file: URL) throws {
    let data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    let sideFiles = SideFiles(of: file)
    self = try CassetteFormat.decode(data, source: file.lastPathComponent) {
      try sideFiles.read($0)
    }
  }

  /// Reads a cassette from bytes; bodies in side files are refused.
  public init(data: Data, source: String) throws {
    self = try CassetteFormat.decode(data, source: source) { name in
      throw FormatError(
        source: source,
        place: "",
        problem: "the body in side file \"\(name)\" cannot be read: the cassette is not a file"
      )
    }
  }

  /// Writes the cassette in one step: whoever reads the file meanwhile, or after a crash, finds
  /// the old text or the new one and never a part. Large bodies that stand beside the file and
  /// that the new text does not name are removed.
  public func write(to file: URL) throws {
    let sideFiles = SideFiles(of: file)
    var kept: Set<String> = []
    let text = try CassetteFormat.encode(self) { data in
      let name = try sideFiles.keep(data)
      if let name { kept.insert(name) }
      return name
    }
    try FileError.writing(text, to: file)
    sideFiles.removeAll(except: kept)
  }

  /// The cassette's text; large bodies stay in it.
  public func data() -> Data {
    // Nothing is kept aside, so nothing can fail.
    (try? CassetteFormat.encode(self, sideFile: { _ in nil })) ?? Data()
  }
}

extension Cassette {
  /// The version of the text that is written, and the newest that is read.
  public static var formatVersion: Int { CassetteFormat.version }
}
