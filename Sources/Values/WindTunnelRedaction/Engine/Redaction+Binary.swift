internal import Foundation

extension Redaction {
  /// Keeps binary content unchanged, or rejects it.
  mutating func binary(_ bytes: Bytes, isQuiet: Bool, _ what: String, depth: Int = 1) {
    if !echoes.found(in: bytes).isEmpty { obstacle = "\(what) repeats a credential" }
    // The magic number of Zstandard (RFC 8878 §3.1.1).
    if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
      obstacle = "\(what) in zstd cannot be decompressed to search for credentials"
      log?.unopened("zstd")
    }
    // Each body has its own limit.
    if depth == 1 { unpackedBytes = 0 }
    defer { if depth == 1 { unpackedBytes = 0 } }
    let embedded = EmbeddedTexts(bytes)
    let opensMax = EmbeddedTexts.unpackedBytesMax(of: bytes)
    for file in embedded.files {
      let before = unpackedBytes
      look(into: file, "\(what) in \(file.form.rawValue)", opensMax: opensMax, depth)
      // A damaged file may have cost the same as a complete one.
      if unpackedBytes == before {
        unpackedBytes += min(file.bytes.count * EmbeddedTexts.growthMax, opensMax / 4)
      }
    }
    if embedded.mayBeDeflate {
      look(into: (.deflate, bytes[...]), "\(what) in deflate", opensMax: opensMax, depth)
    }
    guard embedded.isKnown || !isQuiet else { return }
    let lines = EmbeddedTexts.lines(of: bytes)
    // Repeated secrets were already searched.
    let known = echoes
    echoes = KnownValueSearch()
    defer { echoes = known }
    let isSure = embedded.isKnown ? holds(lines, depth) : holdsSurely(lines)
    if isSure || !isQuiet && learn(fromBinary: bytes) {
      obstacle = "\(what) that is not text has a credential"
    }
  }

  /// Searches a file that cannot be compressed again and may be damaged.
  mutating func look(into file: EmbeddedTexts.File, _ what: String, opensMax: Int, _ depth: Int) {
    // The interaction is omitted anyway, so the file need not be read.
    let inner = unpackedBytes <= opensMax ? inflated(file, opensMax).map { Bytes($0) } : nil
    if unpackedBytes > opensMax {
      obstacle = "\(what) has more content than can be searched for credentials"
    } else if let inner, String(utf8: inner) != nil, !inner.has(0) {
      if holds(inner, depth) { obstacle = "\(what) has a credential" }
    } else if let inner, depth < Self.depthMax {
      binary(inner, isQuiet: false, what, depth: depth + 1)
    } else if inner != nil {
      obstacle = "\(what) has nested files, too deep to be searched for credentials"
    }
  }

  /// Returns the content of a file; `nil` if it is damaged or too large. A client may read a file
  /// that is truncated or that other bytes follow.
  private mutating func inflated(_ file: EmbeddedTexts.File, _ bytesMax: Int) -> Data? {
    let isRaw = file.form == .zip || file.form == .deflate
    let opened = Inflate.beginning(of: Data(file.bytes), isRaw: isRaw, bytesMax: bytesMax)
    unpackedBytes += opened.count
    // Without a signature, it must be complete.
    return opened.isWhole || file.form != .deflate ? opened.content : nil
  }

  /// Whether a text contains a secret.
  mutating func holds(_ text: Bytes, _ depth: Int) -> Bool {
    self.text(text, .plain, depth: depth) != text
  }

  /// The minimum length of a value with an ambiguous name.
  private static let likelyBytesMin = 16

  /// Whether texts of unknown binary content contain certain secrets.
  private mutating func holdsSurely(_ text: Bytes) -> Bool {
    var holds = false
    let passage = Passage(bytes: text, names: names, flavour: .plain)
    for found in NamedValues.findings(in: passage) + Shapes.findings(in: passage) {
      var kind = SecretNames.Kind.certain
      if case .name(let named) = found.evidence {
        kind = named
        let least = kind == .certain ? Pseudonyms.aloneBytesMin : Self.likelyBytesMin
        if found.range.count < least { continue }
      }
      let value = text[found.range].text
      holds = judged(value, NamedPlace(name: found.name, kind: kind)) != value || holds
    }
    return holds
  }

  /// Whether binary content contains a secret's name, a few bytes for a length or a type, and its
  /// value.
  ///
  /// A length may precede both of them, so the value cannot be replaced.
  private mutating func learn(fromBinary bytes: Bytes) -> Bool {
    var holds = false
    let runs = bytes.split { !EmbeddedTexts.isPrintable($0) }.filter { $0.count > 2 }
    for (first, second) in zip(runs, runs.dropFirst())
    where second.startIndex - first.endIndex <= 8 {
      let name = first.suffix(40).text
      guard 6...4096 ~= second.count, names.kind(of: name, in: .field) == .certain else { continue }
      let value = second.text
      holds = judged(value, NamedPlace(name: name, kind: .certain)) != value || holds
    }
    return holds
  }

  // Bodies that are never in memory as a whole: they may be in a file and are read in pieces.

  /// The number of bytes that are read at once.
  private static let pieceBytes = 1 << 20
  /// The overlap of consecutive pieces in bytes, which no secret exceeds.
  private static let sharedBytes = 64 << 10

  /// Searches a body that is too large to be decoded.
  ///
  /// Binary content without the label of a text is kept if it repeats no known secret. Other
  /// content is omitted, because it may contain an unknown secret.
  mutating func look(intoLarge data: Data, type: String, coding: String) {
    let isBinary = data.withUnsafeBytes { $0.bindMemory(to: UInt8.self).has(0) }
    let type = ContentType(type)
    let isCompound = !coding.isEmpty || type.isText || type.essence.hasPrefix("multipart/")
    if !isBinary || !type.isMedia && isCompound {
      obstacle = "a body of \(data.count) bytes is too large to be searched for credentials"
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
