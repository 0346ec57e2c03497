internal import Foundation

/// The absolute URLs of origins in JSON texts: strings that begin with one of the origins.
///
/// Names of members are not followed as URLs. An origin in the middle of a string may be part of a
/// different URL.
package struct OriginURLs {
  private let origins: [String]

  /// Creates a search for origins such as `https://api.example.com`.
  package init(_ origins: [String]) { self.origins = origins }

  /// Returns a text with these origins replaced, and the number of replacements.
  fileprivate func replaced(in text: Bytes, by origin: String) -> (text: Bytes, count: Int) {
    // PHP escapes slashes.
    let rows = ["/", "\\/"].flatMap { slash in
      let new = Bytes(origin.replacing("/", with: slash).utf8)
      return origins.map { (old: Bytes($0.replacing("/", with: slash).utf8), new) }
    }
    var (result, count, copied, place) = (Bytes(), 0, 0, 0)
    while let start = text[place...].firstIndex(of: UInt8(ascii: "\"")).map({ $0 + 1 }) {
      place = text.endOfJSONString(from: start - 1)
      // An origin ends at a path, a query, a fragment or the end of the string.
      let match = rows.first { old, _ in
        let end = start + old.count
        return end < place && text[start..<end].elementsEqual(old)
          && "/?#\\\"".utf8.contains(text[end])
      }
      guard let (old, new) = match, text[place...].first(where: { $0 > 0x20 }) != UInt8(ascii: ":")
      else { continue }
      result += text[copied..<start] + new
      (copied, count) = (start + old.count, count + 1)
    }
    return (result + text[copied...], count)
  }
}

extension Interaction {
  /// Replaces these origins in a JSON body, and returns the number of replacements.
  package mutating func replaceURLs(_ urls: OriginURLs, by origin: String = "") -> Int {
    guard var response, response.body.count <= Body.openedBytesMax,
      ContentType(response.headers["Content-Type"] ?? "").essence.hasSuffix("json")
    else { return 0 }
    var found = 0
    let isChanged = response.rewriteContent(&timing) { content in
      let (text, count) = urls.replaced(in: content, by: origin)
      found = count
      return count > 0 ? text : nil
    }
    if isChanged { editResponse { $0 = response } }
    return found
  }
}

extension Response {
  /// Replaces the content, removes its content coding, and updates the fields that describe it.
  ///
  /// - Returns: `false` if the content cannot be decoded or is not replaced.
  mutating func rewriteContent(_ timing: inout Timing?, _ edit: (Bytes) -> Bytes?) -> Bool {
    let old = body.data
    guard let opened = headers.opened(old)?.content, let new = edit(Bytes(opened)).map({ Data($0) })
    else { return false }
    timing?.refit(from: old, to: new)
    body = Body(new)
    head.headers.remove("Content-Encoding")
    let change = BodyChange(from: old, opened, to: new)
    head.headers.follow(change)
    head.trailers.follow(change)
    return true
  }
}
