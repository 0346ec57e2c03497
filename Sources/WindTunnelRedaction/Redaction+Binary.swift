extension Redaction {
  /// What is shorter, between bytes that no text has, is there by chance.
  private static let runBytesMin = 8

  /// Whether a body is text by its type, whatever bytes are in it.
  static func isText(_ media: String) -> Bool {
    media.hasPrefix("text/") || media.hasSuffix("json") || media.hasSuffix("xml")
      || media == "application/x-www-form-urlencoded"
  }

  /// Whether a body is a program, whose texts lie side by side with nothing between them: what follows
  /// `password=` there is the next text.
  static func isProgram(_ media: String) -> Bool {
    media == "application/wasm" || media.hasSuffix("executable") || media.hasSuffix("msdownload")
  }

  /// Looks for what is surely a secret in the texts of binary content; whether there is any.
  ///
  /// A length may stand before each of them, so nothing can be put in its place.
  mutating func learn(fromBinary bytes: [UInt8]) -> Bool {
    var holds = false
    for run in Self.runs(in: bytes) {
      let text = Array(bytes[run])
      for found in NamedValues.found(in: text, names, .plain)
      where found.sort == .secret && !SecretNames.isAmbiguous(found.name)
        && found.range.count >= Pseudonyms.aloneBytesMin
      {
        holds = learn(text[found.range], name: found.name) || holds
      }
      for shape in Shapes.found(in: text) {
        holds = learn(text[shape.range], name: shape.kind) || holds
      }
    }
    return holds
  }

  private mutating func learn(_ bytes: ArraySlice<UInt8>, name: String) -> Bool {
    let value = String(decoding: bytes, as: UTF8.self)
    return stand(for: value, name: name, .likely) != value
  }

  /// The stretches that could be text: printable ASCII, tabs and line ends.
  private static func runs(in bytes: [UInt8]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    for place in 0...bytes.count {
      if place < bytes.count, isPrintable(bytes[place]) { continue }
      if place - start >= runBytesMin { runs.append(start..<place) }
      start = place + 1
    }
    return runs
  }

  private static func isPrintable(_ byte: UInt8) -> Bool {
    0x20...0x7E ~= byte || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
