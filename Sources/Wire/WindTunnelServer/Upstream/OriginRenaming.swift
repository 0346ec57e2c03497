internal import WindTunnel

/// The replacement of an origin in a field's value.
///
/// Examples: `Location: http://127.0.0.1:8000/a`, `Location: //127.0.0.1:8000/a`,
/// `Link: </a>; rel=next, <http://127.0.0.1:8000/b>; rel=last`.
enum OriginRenaming {
  /// Replaces each of these origins, such as `http://127.0.0.1:8000`, by another. In a URL without
  /// a scheme, its host and port are replaced (RFC 3986 §4.2).
  ///
  /// In a field whose URLs clients follow, a URL may also name a user, who stays.
  static func rename(_ field: HeaderField, _ origins: [String], to new: RequestURL) -> String {
    let (text, isFollowed) = (field.value, URLField(field) != nil)
    guard let origin = new.origin, text.contains("//") else { return text }
    let authority = origin.drop { $0 != "/" }.dropFirst(2)
    var (result, rest) = ("", text[...])
    while let slashes = rest.firstRange(of: "//") {
      let end =
        rest[slashes.upperBound...].firstIndex { "/?#<>\"'`;, \t\\".contains($0) } ?? rest.endIndex
      let named = rest[slashes.upperBound..<end]
      let before = rest[..<slashes.lowerBound]
      let user = named.lastIndex(of: "@").map { named[...$0] } ?? ""
      func isMeant(_ scheme: some StringProtocol) -> Bool {
        // In other fields, user information is kept, and so is the host after it.
        guard user.isEmpty || isFollowed else { return false }
        let url = RequestURL("\(scheme)://\(named.dropFirst(user.count))")
        return url.origin.map(origins.contains) ?? false
      }
      if before.last == ":" {
        let word = before.dropLast()
        let scheme = word.suffix(while: { $0.isASCII && $0.isLetter })
        let named = "\(origin.dropLast(authority.count))\(user)\(authority)"
        result += isMeant(scheme) ? word.dropLast(scheme.count) + named : rest[..<end]
      } else if isMeant("http") || isMeant("https") {
        result += "\(before)//\(user)\(authority)"
      } else {
        result += rest[..<end]
      }
      rest = rest[end...]
    }
    return result + rest
  }
}

extension Substring {
  /// Returns the longest suffix in which every character satisfies the condition.
  fileprivate func suffix(while isMeant: (Character) -> Bool) -> Substring {
    lastIndex { !isMeant($0) }.map { self[index(after: $0)...] } ?? self
  }
}
