package import Foundation

/// Parts of a `multipart/…` body, apart from the boundary that happened to be between them
/// (RFC 2046 §5.1.1, RFC 7578).
package enum Multipart {
  /// The parts that count, in order; `nil` if the body is not what its type says.
  package static func fields(
    _ data: Data,
    type: String,
    ignoring ignored: [NamePattern]
  ) -> [FormField]? {
    guard let boundary = ContentType(type)["boundary"], !boundary.isEmpty,
      let parts = parts(data, boundary: boundary)
    else { return nil }
    return parts.compactMap { part in
      guard let (name, label, content) = opened(part) else { return nil }
      return ignored.contains { $0.fits(name) }
        ? nil : FormField(name: name, label: label, value: Data(content))
    }
  }

  /// What stands between delimiter lines. Preamble and epilogue are nobody's.
  private static func parts(_ data: Data, boundary: String) -> [Data]? {
    let delimiter = Data("\r\n--\(boundary)".utf8)
    let first = Data("--\(boundary)".utf8)
    guard
      var range = data.starts(with: first)
        ? data.startIndex..<data.startIndex + first.count : data.range(of: delimiter)
    else { return nil }
    var parts: [Data] = []
    while true {
      let rest = data[range.upperBound...]
      if rest.starts(with: "--".utf8) { return parts }
      guard let line = rest.range(of: Data("\r\n".utf8)),
        // The line break of a delimiter may be the one that begins the next.
        let next = data.range(of: delimiter, in: line.lowerBound..<data.endIndex)
      else { return nil }
      parts.append(data[line.upperBound..<max(line.upperBound, next.lowerBound)])
      range = next
    }
  }

  /// A part's name, all that its header says, and its content.
  private static func opened(_ part: Data) -> (name: String, label: String, content: Data)? {
    let blank = Data("\r\n\r\n".utf8)
    let head: Data
    let content: Data
    if part.starts(with: "\r\n".utf8) {
      (head, content) = (Data(), part.dropFirst(2))
    } else {
      guard let end = part.range(of: blank) else { return ("", "", part) }
      (head, content) = (part[..<end.lowerBound], part[end.upperBound...])
    }
    var name = ""
    var lines: [String] = []
    for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n") {
      let pieces = line.split(separator: ":", maxSplits: 1)
      let field = pieces[0].lowercased()
      let value = pieces.count > 1 ? String(pieces[1].trimmingOptionalWhitespace()) : ""
      guard field == "content-disposition" else {
        lines.append("\(field): \(value)")
        continue
      }
      // The order and the quotes of its parameters do not count (RFC 6266 §4.1).
      let disposition = ContentType(value)
      name = disposition["name"] ?? ""
      let file = disposition["filename"].map { "; filename=\($0)" } ?? ""
      lines.append("content-disposition: \(disposition.essence); name=\(name)\(file)")
    }
    return (name, lines.sorted().joined(separator: "\n"), content)
  }
}
