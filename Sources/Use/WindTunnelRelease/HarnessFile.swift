/// A file that WindTunnel wrote, by the key that each of its formats has, or by its name.
struct HarnessFile {
  /// The noun of the file, such as "a cassette".
  let noun: String

  /// Returns the file that a text is, whatever its name; `nil` where it is none.
  ///
  /// The key counts at any depth: a cassette within other JSON is one still. The rest may be
  /// damaged, and holds what was recorded all the same.
  init?(_ text: ByteWindow) {
    guard Self.beginsAsJSON(text) else { return nil }
    let found = text.places(of: Array("\"windtunnel".utf8)).lazy.compactMap { place in
      Self.key(at: place + 1, of: text)
    }
    // Any program may call its version so: a cassette has its calls as well.
    lazy var hasCalls = !text.places(of: Array("\"interactions\"".utf8)).isEmpty
    guard let key = found.first(where: { $0 != "windtunnel" || hasCalls }),
      let noun = Self.nouns[key]
    else { return nil }
    self.noun = noun
  }

  /// Returns the file that stands at a place, of whatever content; `nil` where it is none.
  ///
  /// Cassettes keep large bodies as `NAME.bodies/`, and there a file for each by its SHA-256.
  init?(place: String) {
    let parts = place.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }.suffix(2)
    let suffix = ".bodies".utf8
    guard parts.count == 2, let folder = parts.first, let name = parts.last,
      folder.count > suffix.count, folder.suffix(suffix.count).elementsEqual(suffix),
      name.count == 64, name.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
    else { return nil }
    noun = "a recorded body, which a cassette keeps beside itself"
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
      let name = bytes[place...].prefix(keyMax).prefix { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      }
      var rest = bytes[name.endIndex...]
      defer { Work.read(rest.startIndex - place) }
      guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
      rest = rest.drop { space.contains($0) }
      guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
      rest = rest.drop { space.contains($0) }
      guard let digit = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else {
        return nil
      }
      let key = String(decoding: name, as: UTF8.self)
      return nouns[key] == nil ? nil : key
    }
  }
}
