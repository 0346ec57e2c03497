/// Files that WindTunnel wrote, identified by the key of their format or by their name.
enum HarnessFile {
  /// Returns the noun of a text with a key of the formats; `nil` for any other file.
  ///
  /// Its file name does not matter. The key counts at any depth, because a cassette within other
  /// JSON is still a cassette. The rest may be damaged and still contain recorded data.
  static func noun(of text: ByteWindow) -> String? {
    guard beginsAsJSON(text) else { return nil }
    // Any program may use this key for its version. A cassette also has interactions.
    lazy var hasCalls = !text.places(of: Array("\"interactions\"".utf8)).isEmpty
    return text.places(of: Array("\"windtunnel".utf8)).lazy.compactMap { key(at: $0 + 1, of: text) }
      .first { $0 != "windtunnel" || hasCalls }.flatMap { nouns[$0] }
  }

  /// Returns the noun of a file with a name of the formats, for any content; `nil` for any other
  /// path.
  ///
  /// A cassette stores large bodies in the folder `NAME.bodies`, each named after its SHA-256.
  static func noun(ofPlace place: String) -> String? {
    let parts = place.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }.suffix(2)
    let suffix = ".bodies".utf8
    guard parts.count == 2, let folder = parts.first, let name = parts.last,
      folder.count > suffix.count, folder.suffix(suffix.count).elementsEqual(suffix),
      name.count == 64, name.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
    else { return nil }
    return "a recorded body of a cassette"
  }

  /// The keys of the package's formats, and the nouns of such files.
  ///
  /// The output of a release check is not among them, because it contains nothing of the harness.
  static let nouns = [
    "windtunnel": "a cassette", "windtunnelScenario": "a scenario",
    "windtunnelJournal": "the journal of a recording", "windtunnelDNS": "a DNS script",
    "windtunnelReport": "a drill report", "windtunnelSearch": "a search certificate",
    "windtunnelDrift": "a drift report", "windtunnelDiff": "a comparison of cassettes",
    "windtunnelReview": "a review of a cassette", "windtunnelShow": "a list of recorded calls",
    "windtunnelLint": "a lint report", "windtunnelVerify": "a verification report",
    "windtunnelBars": "a set of bars", "windtunnelPlan": "a plan file",
    "windtunnelMutate": "a mutation report", "windtunnelAccepted": "accepted blind spots",
  ]

  /// The white space of JSON (RFC 8259 §2).
  private static let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
  /// A length that no key reaches.
  private static let keyMax = 40

  private static func beginsAsJSON(_ file: ByteWindow) -> Bool {
    let start = file.has([0xEF, 0xBB, 0xBF]) ? 3 : 0
    return file.withBytes { bytes in
      let first = bytes.dropFirst(start).first { !space.contains($0) }
      return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
  }

  /// Returns a key that is followed by a version: `windtunnelScenario": 1`.
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
