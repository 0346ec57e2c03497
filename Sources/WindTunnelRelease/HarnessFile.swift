/// A file that WindTunnel wrote, by the key that each of its formats has.
enum HarnessFile: Hashable {
  /// A file of a format, by its key.
  case format(key: String)

  /// Returns the file that a text is, whatever its name; `nil` where it is none.
  ///
  /// The key counts at any depth: a cassette within other JSON is one still. The rest may be
  /// damaged, and holds what was recorded all the same.
  init?(_ file: ByteWindow) {
    guard Self.beginsAsObject(file) else { return nil }
    let found = file.places(of: Array("\"windtunnel".utf8)).lazy.compactMap { place in
      Self.key(at: place + 1, of: file)
    }
    guard let key = found.first else { return nil }
    self = .format(key: key)
  }

  /// The words for it, such as "a cassette".
  var noun: String {
    switch self {
    case .format("windtunnel"): "a cassette"
    case .format("windtunnelScenario"): "a scenario"
    case .format("windtunnelJournal"): "the journal of a recording"
    case .format("windtunnelDNS"): "a script of DNS"
    case .format("windtunnelReport"): "a drill's report"
    case .format(let key): "a file of WindTunnel's (\(key))"
    }
  }

  /// The white space that JSON has (RFC 8259 §2).
  private static let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
  /// More letters than any key has.
  private static let keyMax = 40

  private static func beginsAsObject(_ file: ByteWindow) -> Bool {
    let start = file.has([0xEF, 0xBB, 0xBF]) ? 3 : 0
    return file.withBytes { bytes in
      bytes.dropFirst(start).first { !space.contains($0) } == UInt8(ascii: "{")
    }
  }

  /// Returns a key that a version follows: `windtunnelScenario": 1`.
  private static func key(at place: Int, of file: ByteWindow) -> String? {
    file.withBytes { bytes in
      let name = bytes[place...].prefix(keyMax).prefix { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      }
      var rest = bytes[name.endIndex...]
      guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
      rest = rest.drop { space.contains($0) }
      guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
      rest = rest.drop { space.contains($0) }
      guard let digit = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else {
        return nil
      }
      return String(decoding: name, as: UTF8.self)
    }
  }
}
