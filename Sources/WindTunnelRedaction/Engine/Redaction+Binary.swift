internal import Foundation

extension Redaction {
  /// Content that is not text is kept as it is or not at all.
  mutating func binary(_ bytes: Bytes, isQuiet: Bool, _ what: String) {
    if !echoes.found(in: bytes).isEmpty { obstacle = "\(what) repeats a credential" }
    // RFC 8878 §3.1.1.
    if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
      obstacle = "\(what) in zstd cannot be opened to look for credentials"
      log?.unopened("zstd")
    }
    // A file in gzip (RFC 1952 §2.3.1) is no content coding, but as easy to open, and so is zlib
    // (RFC 1950 §2.2), in which some services put their messages.
    guard bytes.starts(with: [0x1F, 0x8B]) || Self.isInZLib(bytes),
      let inner = Inflate.open(Data(bytes), coding: "gzip").map({ Bytes($0) })
    else {
      if !isQuiet, learn(fromBinary: bytes) {
        obstacle = "\(what) that is no text holds a credential"
      }
      return
    }
    let isText = String(utf8: inner) != nil
    let holds = isText ? text(inner, .plain, depth: 1) != inner : !echoes.found(in: inner).isEmpty
    let coding = bytes[0] == 0x1F ? "gzip" : "zlib"
    if holds { obstacle = "\(what) in \(coding) holds a credential" }
  }

  /// Tells whether bytes begin as zlib does: the number of deflate, and a check of two bytes.
  private static func isInZLib(_ bytes: Bytes) -> Bool {
    bytes.count > 6 && bytes[0] & 0x0F == 8 && bytes[0] <= 0x78
      && (Int(bytes[0]) << 8 | Int(bytes[1])).isMultiple(of: 31)
  }

  /// The length of the shortest text between bytes that no text has; a shorter one is there by
  /// chance.
  private static let runBytesMin = 8
  /// The length of the shortest value that counts under a name which others have, too.
  private static let likelyBytesMin = 16

  /// Looks for what is surely a secret in the texts of binary content; whether there is any.
  ///
  /// A length may stand before each of them, so nothing can be put in its place.
  private mutating func learn(fromBinary bytes: Bytes) -> Bool {
    var holds = false
    for run in Self.runs(in: bytes) {
      let passage = Passage(bytes: Bytes(bytes[run]), names: names, flavour: .plain)
      for found in NamedValues.findings(in: passage) + Shapes.findings(in: passage) {
        var row = "field-name"
        switch found.evidence {
        case .name(.certain) where found.range.count >= Pseudonyms.aloneBytesMin: break
        case .name(let kind) where found.range.count >= Self.likelyBytesMin:
          guard isSecret(passage.bytes[found.range], found.name, kind) else { continue }
          row = "likely-name"
        case .name: continue
        case .row(let own): row = own
        }
        holds = learn(passage.bytes[found.range], name: found.name, row: row) || holds
      }
    }
    // A name, a few bytes of a length or a type, and its value.
    let runs = Self.runs(in: bytes, least: 3)
    for (first, second) in zip(runs, runs.dropFirst())
    where second.lowerBound - first.upperBound <= 8 {
      let name = String(decoding: bytes[first.suffix(40)], as: UTF8.self)
      guard 6...4096 ~= second.count, names.kind(of: name, in: .field) == .certain,
        isSecret(bytes[second], name, .certain)
      else { continue }
      holds = learn(bytes[second], name: name, row: "field-name") || holds
    }
    return holds
  }

  private func isSecret(_ bytes: ByteSlice, _ name: String, _ kind: SecretNames.Kind) -> Bool {
    let value = String(decoding: bytes, as: UTF8.self)
    return Judgement.certainty(of: value, NamedPlace(name: name, kind: kind)) != nil
  }

  private mutating func learn(_ bytes: ByteSlice, name: String, row: String) -> Bool {
    let value = String(decoding: bytes, as: UTF8.self)
    return stand(for: value, name: name, .likely, row) != value
  }

  /// Returns the stretches that could be text: printable ASCII, tabs and line ends.
  private static func runs(in bytes: Bytes, least: Int = runBytesMin) -> [Range<Int>] {
    bytes.split { !isPrintable($0) }.map(\.indices).filter { $0.count >= least }
  }

  private static func isPrintable(_ byte: UInt8) -> Bool {
    0x20...0x7E ~= byte || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  // Bodies that are never in memory as a whole: they may lie in a file, and are read in pieces.

  /// The number of bytes that are read at once.
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
    let type = ContentType(type)
    if !type.isMedia, !coding.isEmpty || type.essence.hasPrefix("multipart/") || !isBinary {
      obstacle = "a body of \(data.count) bytes is too large to be looked through for credentials"
      return
    }
    if echoes.isEmpty { return }
    var start = data.startIndex
    while start < data.endIndex {
      let end = min(start + Self.pieceBytes + Self.sharedBytes, data.endIndex)
      if !echoes.found(in: Bytes(data[start..<end])).isEmpty {
        obstacle = "a body of \(data.count) bytes repeats a credential"
        return
      }
      start += Self.pieceBytes
    }
  }
}
