internal import Foundation

// Bodies that are never in memory as a whole: they may lie in a file, and are read in pieces.
extension Redaction {
  /// How much is looked at at once.
  private static let pieceBytes = 1 << 20
  /// A secret is not longer than what pieces have in common.
  private static let sharedBytes = 64 << 10

  /// Looks into a body that is too large to be opened.
  ///
  /// Binary content may be kept if it repeats nothing that is known for a secret. What may be text
  /// may hold one that nobody knows yet, and is left out.
  mutating func look(intoLarge data: Data, type: String, coding: String) {
    let isBinary = data.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
    }
    let isParted = Self.mediaType(type).hasPrefix("multipart/")
    if !Self.isMedia(type), !coding.isEmpty || isParted || !isBinary {
      obstacle = "a body of \(data.count) bytes is too large to be looked through for credentials"
      return
    }
    guard let echoes, !echoes.isEmpty else { return }
    var start = data.startIndex
    while start < data.endIndex {
      let end = min(start + Self.pieceBytes + Self.sharedBytes, data.endIndex)
      if !echoes.found(in: Array(data[start..<end])).isEmpty {
        obstacle = "a body of \(data.count) bytes repeats a credential"
        return
      }
      start += Self.pieceBytes
    }
  }
}
