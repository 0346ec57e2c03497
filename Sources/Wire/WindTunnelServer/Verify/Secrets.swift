internal import Foundation
package import WindTunnel

/// The secrets that replace the redacted parts of requests, so that these can be sent to a live
/// origin.
package struct Secrets: Sendable {
  /// A redacted part without a given secret.
  package struct Missing: Error, Hashable {
    /// The redacted part, such as `REDACTED-authorization-1`.
    package var part: String
    /// The name for giving a secret for it, such as `authorization`.
    package var name: String {
      String(numberedName[..<(numberedName.lastIndex(of: "-") ?? numberedName.endIndex)])
    }

    /// The name for giving a secret for this part alone, such as `authorization-1`.
    fileprivate var numberedName: String {
      let mark = part.range(of: "REDACTED-", options: .backwards)
      return String(part[(mark?.upperBound ?? part.startIndex)...].prefix { $0 != "@" })
    }
  }

  private var values: [String: String]

  /// Creates secrets by name: `authorization` is for every `REDACTED-authorization-N`,
  /// `authorization-2` for the second alone.
  ///
  /// A name may be spelled as it was before it was redacted: `loginToken` means `logintoken`,
  /// `api_key` means `api-key`.
  package init(_ values: [String: String]) {
    self.values = Dictionary(values.map { (Self.name($0), $1) }) { first, _ in first }
  }

  /// Sets the value for one redacted part, unless it has one.
  mutating func set(_ value: String, for numberedName: String) {
    if values[numberedName] == nil { values[numberedName] = value }
  }

  /// Returns a name in its spelling in a redacted part.
  package static func name(_ text: String) -> String {
    String(text.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
  }

  /// Returns the names of the secrets that can be given for a cassette. They are the names of the
  /// redacted parts of its requests, with and without their ordinals, such as `authorization` and
  /// `authorization-1`.
  package static func names(in interactions: [Interaction]) -> (
    names: Set<String>, all: Set<String>
  ) {
    var (names, all): (Set<String>, Set<String>) = ([], [])
    var known = Secrets([:])
    for interaction in interactions {
      // Each missing part is reported separately, and is known afterwards.
      while true {
        do throws(Missing) {
          _ = try known.restored(interaction.request)
          break
        } catch {
          let part = error.numberedName
          known.values[part] = "known"
          names.insert(error.name)
          all.formUnion([error.name, part])
        }
      }
    }
    return (names, all)
  }

  /// Returns the request as it was before it was redacted.
  package func restored(_ request: Request) throws(Missing) -> Request {
    var request = request
    let escaped = { (value: String) in
      // RFC 3986 §2.3.
      let unreserved = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
      return value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? value
    }
    if let info = request.url.userInfo {
      let info = try restored(info) { $0 }
      request.url.userInfo = info
      if request.headers["Authorization"] == nil {
        let pair = Data((info.removingPercentEncoding ?? info).utf8).base64EncodedString()
        request.headers["Authorization"] = "Basic \(pair)"
      }
    }
    request.url.path = try restored(request.url.path, escaped)
    request.url.query = try request.url.query.map { query throws(Missing) in
      try restored(query, escaped)
    }
    for index in request.headers.indices {
      request.headers[index].value = try restored(request.headers[index].value) { $0 }
    }
    if let text = request.body.text, RedactedText.mayBeIn(text.utf8) {
      let type = request.headers["Content-Type"]?.lowercased() ?? ""
      let body = try restored(text) { value in
        if type.contains("json") { return JSON.escaped(value) }
        return type.contains("form-urlencoded") ? escaped(value) : value
      }
      request.body = Body(body)
    }
    return request
  }

  private func restored(_ text: String, _ escaped: (String) -> String) throws(Missing) -> String {
    guard RedactedText.mayBeIn(text.utf8) else { return text }
    let packed = RedactedText.packed(in: text)
    if !packed.isEmpty { return try unpacked(text, packed.map(\.range), escaped) }
    var result = ""
    var rest = text[...]
    // A redacted part that kept its form is a token that can be decoded, or an email address.
    let part = /(?:eyJ[\w-]+\.[\w-]*\.)?REDACTED-([a-z0-9-]*[a-z0-9])-([0-9]+)(?:@example\.test)?/
    while let match = rest.firstMatch(of: part) {
      let name = String(match.output.1)
      guard let value = values["\(name)-\(match.output.2)"] ?? values[name] else {
        throw Missing(part: String(match.output.0))
      }
      result += rest[..<match.range.lowerBound] + escaped(value)
      rest = rest[match.range.upperBound...]
    }
    return result + rest
  }

  /// Decodes the parts in base64 or hexadecimal digits, restores them and encodes them again.
  private func unpacked(
    _ text: String,
    _ ranges: [Range<String.Index>],
    _ escaped: (String) -> String
  ) throws(Missing) -> String {
    var result = ""
    var place = text.startIndex
    for range in ranges {
      result += try restored(String(text[place..<range.lowerBound]), escaped)
      place = range.upperBound
      let spelled = Array(text[range].utf8)
      guard let bytes = EncodedText.decoded(spelled), let inner = String(utf8: bytes) else {
        result += text[range]
        continue
      }
      let isJSON = "{[".contains(inner.first { !$0.isWhitespace } ?? " ")
      let plain = try restored(inner) { isJSON ? JSON.escaped($0) : $0 }
      result += EncodedText.encoded(.init(plain.utf8), like: spelled)
    }
    return try result + restored(String(text[place...]), escaped)
  }
}
