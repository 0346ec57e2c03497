/// A file that WindTunnel wrote, by the key that each of its formats has, or by its name.
enum HarnessFile {
  /// Returns the noun of a text that is such a file, whatever its name; `nil` for any other file.
  ///
  /// The key counts at any depth, because a cassette within other JSON is still a cassette. The
  /// rest may be damaged, and has recorded data nevertheless.
  static func noun(of text: ByteWindow) -> String? {
    guard beginsAsJSON(text) else { return nil }
    // Any program may use this key for its version. A cassette has its calls as well.
    lazy var hasCalls = !text.places(of: Array("\"interactions\"".utf8)).isEmpty
    return text.places(of: Array("\"windtunnel".utf8)).lazy.compactMap { key(at: $0 + 1, of: text) }
      .first { $0 != "windtunnel" || hasCalls }.flatMap { nouns[$0] }
  }

  /// Returns the noun of a file at a path, whatever its content; `nil` for any other path.
  ///
  /// A cassette keeps large bodies in the folder `NAME.bodies`, each under its SHA-256.
  static func noun(ofPlace place: String) -> String? {
    let parts = place.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }.suffix(2)
    let suffix = ".bodies".utf8
    guard parts.count == 2, let folder = parts.first, let name = parts.last,
      folder.count > suffix.count, folder.suffix(suffix.count).elementsEqual(suffix),
      name.count == 64, name.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
    else { return nil }
    return "a recorded body, which a cassette keeps beside itself"
  }

  /// The keys of the package's formats, and the words for what has them. What a look through a
  /// release prints is not among them, as it holds nothing of the harness.
  static let nouns = [
    "windtunnel": "a cassette", "windtunnelScenario": "a scenario",
    "windtunnelJournal": "the journal of a recording", "windtunnelDNS": "a script of DNS",
    "windtunnelReport": "a drill's report", "windtunnelSearch": "a certificate of a search",
    "windtunnelDrift": "a report of drift", "windtunnelDiff": "a comparison of cassettes",
    "windtunnelReview": "a review of a cassette", "windtunnelShow": "a list of recorded calls",
    "windtunnelLint": "a lint's report", "windtunnelVerify": "a verification's report",
    "windtunnelBars": "a set of bars", "windtunnelPlan": "a plan file",
    "windtunnelMutate": "a report of a mutated run", "windtunnelAccepted": "accepted blind spots",
  ]

  /// The white space that JSON has (RFC 8259 §2).
  private static let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
  /// More letters than any key has.
  private static let keyMax = 40

  private static func beginsAsJSON(_ file: ByteWindow) -> Bool {
    let start = file.has([0xEF, 0xBB, 0xBF]) ? 3 : 0
    return file.withBytes { bytes in
      let first = bytes.dropFirst(start).first { !space.contains($0) }
      return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
  }

  /// Returns a key that a version follows: `windtunnelScenario": 1`.
  private static func key(at place: Int, of file: ByteWindow) -> String? {
    file.withBytes { bytes in
      let name = bytes[place...].prefix(keyMax).prefix(while: \.isASCIILetter)
      var rest = bytes[name.endIndex...]
      defer { Work.read(rest.startIndex - place) }
      for mark in "\":".utf8 {
        guard rest.popFirst() == mark else { return nil }
        rest = rest.drop { space.contains($0) }
      }
      let key = String(decoding: name, as: UTF8.self)
      return rest.first?.isASCIIDigit == true && nouns[key] != nil ? key : nil
    }
  }
}
