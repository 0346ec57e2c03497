package import Foundation

extension Response {
  /// Returns a version of a complete response, with its own strong tag, such as `"v2"`.
  ///
  /// Clients need the tag to request parts of it (RFC 9110 §8.8.3, §14.3).
  func version(_ number: Int) -> Response {
    var version = self
    version.head.headers["ETag"] = ResponseEdit.tag(ofVersion: number)
    version.head.headers["Accept-Ranges"] = "bytes"
    // The time of the last change is unknown, and a recorded digest does not match another version.
    for name in ["Last-Modified", "Content-Digest", "Repr-Digest", "Digest", "Content-MD5"] {
      version.head.headers.remove(name)
    }
    version.body = Body(ResponseEdit.version(number, of: body.data))
    return version
  }
}

extension ResponseEdit {
  /// The maximum number of a version; all versions differ if the body has enough bytes to change.
  public static let versionsMax = 16

  /// The `ETag` of a version.
  package static func tag(ofVersion number: Int) -> String { "\"v\(number)\"" }

  /// Returns a version of a body, which has the same length and, for JSON, the same structure.
  ///
  /// Version 1 is the body itself. Letters change their case, and numbers their last digit. In JSON
  /// this applies to strings and numbers, without the names of members. In XML and HTML it applies
  /// outside of tags.
  package static func version(_ number: Int, of body: Data) -> Data {
    guard number > 1 else { return body }
    let places = changeablePlaces(in: body)
    // One bit for each of four successive indices, in a pattern that is unique to the version.
    let pattern = versionsMax + 1 - number
    var bytes = Array(body)
    for (index, place) in places.enumerated() where pattern & 1 << (index % 4) != 0 {
      bytes[place] ^= bytes[place].isASCIIDigit ? 1 : 0x20
    }
    return Data(bytes)
  }

  /// The indices of the bytes that a version may change.
  private static func changeablePlaces(in body: Data) -> [Int] {
    let bytes = Bytes(body)
    // Any other text has no known structure.
    guard let text = JSONText(bytes, mayBeScalar: true) else {
      if bytes.first == UInt8(ascii: "<") { return placesOutsideTags(of: bytes) }
      return bytes.indices.filter { bytes[$0].isASCIILetter || bytes[$0].isASCIIDigit }
    }
    var places: [Int] = []
    collect(text.whole, of: text, into: &places)
    return places
  }

  /// Returns the indices of letters and digits in XML or HTML outside of tags and references, such
  /// as `&amp;`.
  private static func placesOutsideTags(of bytes: Bytes) -> [Int] {
    enum Part { case text, tag, quoted(by: UInt8), reference }
    var part = Part.text
    return bytes.indices.filter { place in
      let byte = bytes[place]
      let isWord = byte.isASCIILetter || byte.isASCIIDigit
      switch part {
      case .tag where byte == UInt8(ascii: ">"): part = .text
      case .tag where byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"):
        // Elsewhere it is an apostrophe in a comment.
        if bytes[place - 1] == UInt8(ascii: "=") { part = .quoted(by: byte) }
      case .quoted(by: byte): part = .tag
      case .text, .reference:
        if case .reference = part, isWord || byte == UInt8(ascii: "#") { return false }
        part = byte == UInt8(ascii: "<") ? .tag : byte == UInt8(ascii: "&") ? .reference : .text
        return isWord
      default: break
      }
      return false
    }
  }

  private static func collect(_ span: JSONSpan, of text: JSONText, into places: inout [Int]) {
    switch span {
    case .word: break
    case .string(let range): places += letters(in: range, of: text.bytes)
    case .number(let range):
      let digits = text.bytes[range].prefix { $0 | 0x20 != UInt8(ascii: "e") }
      if let last = digits.lastIndex(where: \.isASCIIDigit) { places.append(last) }
    case .array:
      for element in text.elements(of: span) { collect(element, of: text, into: &places) }
    case .object:
      for member in text.members(of: span) { collect(member.value, of: text, into: &places) }
    }
  }

  /// Returns the indices of a string's letters outside escapes.
  private static func letters(in text: Range<Int>, of bytes: Bytes) -> [Int] {
    var escaped = 0
    return text.filter { place in
      guard escaped == 0 else {
        escaped -= 1
        return false
      }
      if bytes[place] == UInt8(ascii: "\\") {
        escaped = bytes[place + 1] == UInt8(ascii: "u") ? 5 : 1
      }
      return bytes[place].isASCIILetter
    }
  }
}

extension [Fault] {
  /// The version of the body in a response with these faults; `nil` if no fault has a version.
  ///
  /// If several faults have one, the last one counts.
  package var version: Int? {
    var number: Int?
    for case .alter(.version(let version)) in self { number = version }
    return number
  }

  /// Whether a client may mistake a response with these faults for the recorded one.
  package var mislead: Bool { (version ?? 1) > 1 || contains { !$0.isVersion && $0.misleads } }
}
