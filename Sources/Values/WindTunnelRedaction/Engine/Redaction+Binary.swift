internal import Foundation

extension Redaction {
  /// Content that is not text is kept as it is or not at all.
  mutating func binary(_ bytes: Bytes, isQuiet: Bool, _ what: String, depth: Int = 1) {
    if !echoes.found(in: bytes).isEmpty { obstacle = "\(what) repeats a credential" }
    // RFC 8878 §3.1.1.
    if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
      obstacle = "\(what) in zstd cannot be opened to look for credentials"
      log?.unopened("zstd")
    }
    // Each body has room of its own.
    if depth == 1 { unpackedBytes = 0 }
    defer { if depth == 1 { unpackedBytes = 0 } }
    let embedded = EmbeddedTexts(bytes)
    let opensMax = min(Inflate.bytesMax, max(Self.unpackedBytesMax, bytes.count * Self.growthMax))
    for file in embedded.files {
      let before = unpackedBytes
      look(into: file, "\(what) in \(file.form.rawValue)", opensMax: opensMax, depth)
      // A damaged one may have cost as much as a whole one.
      if unpackedBytes == before {
        unpackedBytes += min(file.bytes.count * Self.growthMax, opensMax / 4)
      }
    }
    guard embedded.isKnown || !isQuiet else { return }
    let lines = EmbeddedTexts.lines(of: bytes)
    // What it repeats is known by now.
    let known = echoes
    echoes = KnownValueSearch()
    defer { echoes = known }
    let isSure = embedded.isKnown ? holds(lines, depth) : holdsSurely(lines)
    if isSure || !isQuiet && learn(fromBinary: bytes) {
      obstacle = "\(what) that is no text holds a credential"
    }
  }

  /// The growth of files that are opened; a larger one is made to fill a memory.
  private static let growthMax = 64

  /// Looks into a file that cannot be packed again, and may be damaged.
  mutating func look(into file: EmbeddedTexts.File, _ what: String, opensMax: Int, _ depth: Int) {
    // Omitted content need not be read.
    let data = unpackedBytes <= opensMax ? Data(file.bytes) : nil
    // The length of a member may follow it (APPNOTE.TXT §4.3.9).
    let inner = data.flatMap { data in
      file.form == .zip
        ? Inflate.open(data, as: .raw, bytesMax: Inflate.bytesMax, surplusMax: 24)
        : Inflate.open(data, coding: "gzip")
    }.map { Bytes($0) }
    unpackedBytes += inner?.count ?? 0
    if unpackedBytes > opensMax {
      obstacle = "\(what) holds more than can be looked through for credentials"
    } else if let inner, String(utf8: inner) != nil, !inner.has(0) {
      if holds(inner, depth) { obstacle = "\(what) holds a credential" }
    } else if let inner, depth < Self.depthMax {
      binary(inner, isQuiet: false, what, depth: depth + 1)
    } else if inner != nil {
      obstacle = "\(what) has files within files, too deep to be looked through for credentials"
    }
  }

  /// Whether a text holds a secret.
  mutating func holds(_ text: Bytes, _ depth: Int) -> Bool {
    self.text(text, .plain, depth: depth) != text
  }

  /// The length of the shortest value that counts under a name which others have, too.
  private static let likelyBytesMin = 16

  /// Looks for sure secrets in texts of unknown binary content; whether there is any.
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

  /// Looks for a name, a few bytes of a length or a type, and its value; whether there is any.
  ///
  /// A length may stand before each of them, so nothing can be put in its place.
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
    let isBinary = data.withUnsafeBytes { $0.bindMemory(to: UInt8.self).has(0) }
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
