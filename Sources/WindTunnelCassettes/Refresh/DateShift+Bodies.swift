internal import Foundation

extension DateShift {
  /// Names under which JSON tells seconds or milliseconds since 1970, however their words are parted.
  static let numberNames: Set<String> = [
    "exp", "iat", "nbf", "authtime", "expires", "expiresat", "expiry", "expiration", "issuedat",
    "created", "createdat", "updated", "updatedat", "timestamp",
  ]

  /// A body with its dates moved; `nil` if none is in it.
  func body(_ bytes: [UInt8]) -> [UInt8]? {
    if let moved = json(bytes) { return moved }
    guard RedactedText.mayBeIn(bytes), JSONSpan(bytes) == nil, let text = String(utf8: bytes) else {
      return nil
    }
    return tokens(text).map { Array($0.utf8) }
  }

  /// A JSON text with its dates moved and all else to the byte as it was.
  private func json(_ bytes: [UInt8]) -> [UInt8]? {
    guard let span = JSONSpan(bytes) else { return nil }
    var edits: [Edit] = []
    collect(span, under: nil, in: bytes, into: &edits)
    return edits.isEmpty ? nil : Edit.applied(edits, to: bytes)
  }

  private func collect(
    _ span: JSONSpan,
    under name: Range<Int>?,
    in bytes: [UInt8],
    into edits: inout [Edit]
  ) {
    switch span {
    case .word: break
    case .string(let range):
      // No date and no token is spelled with escapes, and none is shorter.
      let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
      guard inner.count >= 20, !bytes[inner].contains(UInt8(ascii: "\\")) else { return }
      let text = String(decoding: bytes[inner], as: UTF8.self)
      if let moved = timestamp(text) ?? tokens(text) {
        edits.append(Edit(inner, Array(moved.utf8)))
      }
    case .number(let range):
      guard let name, range.count == 10 || range.count == 13,
        Self.numberNames.contains(
          FieldName.normalised(String(decoding: bytes[name], as: UTF8.self))
        ), let moved = epoch(String(decoding: bytes[range], as: UTF8.self))
      else { return }
      edits.append(Edit(range, Array(moved.utf8)))
    case .array(let elements, _):
      for element in elements { collect(element, under: nil, in: bytes, into: &edits) }
    case .object(let members, _):
      for member in members { collect(member.value, under: member.name, in: bytes, into: &edits) }
    }
  }

  /// A text with the dates of its web tokens moved; `nil` if there is none that is not signed.
  func tokens(_ text: String) -> String? {
    guard text.contains("eyJ") else { return nil }
    let moved = text.replacing(
      /(eyJ[A-Za-z0-9_-]+\.)([A-Za-z0-9_-]+)(\.(?:REDACTED-[a-z0-9-]+-[0-9]+|(?![A-Za-z0-9_.-])))/
    ) { match in
      guard let claims = Base64Text.decoded(Array(match.output.2.utf8)), let moved = json(claims)
      else { return String(match.output.0) }
      // In the alphabet of addresses, without padding (RFC 7515 §2).
      let part = Base64Text.encoded(moved, like: Array("_".utf8))
      return "\(match.output.1)\(part)\(match.output.3)"
    }
    return moved == text ? nil : moved
  }
}
