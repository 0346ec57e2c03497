package import Foundation

/// A field of a form or a part of a multipart.
package struct FormField {
  package var name: String
  /// The text that is compared together with the value: the name, and for a multipart part the rest
  /// of its header.
  package var label: String
  package var value: Data

  package init(name: String, label: String, value: Data) {
    (self.name, self.label, self.value) = (name, label, value)
  }

  /// The value as text.
  package var text: String { String(decoding: value, as: UTF8.self) }
}

/// Fields of `application/x-www-form-urlencoded` (WHATWG URL §5.1).
package enum FormFields {
  /// Returns the fields in their order.
  package static func fields(_ data: Data) -> [FormField] {
    data.split(separator: UInt8(ascii: "&")).map { item in
      let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      let value = item[equals...].dropFirst()
      let name = String(decoding: decoded(item[..<equals]), as: UTF8.self)
      return FormField(name: name, label: name, value: Data(decoded(value)))
    }
  }

  /// Returns the fields that are not ignored, sorted by name. Fields with the same name keep their
  /// order, because it may be significant.
  package static func sorted(_ data: Data, ignoring ignored: [NamePattern]) -> [FormField] {
    fields(data).filter { field in !ignored.contains { $0.fits(field.label) } }
      .stablySorted { $0.label.utf8.lexicographicallyPrecedes($1.label.utf8) }
  }

  /// Decodes `+` and `%XX`. Invalid escapes stay unchanged.
  private static func decoded(_ bytes: Data) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        result.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = rest[rest.startIndex].hexadecimalDigit,
        let low = rest[rest.startIndex + 1].hexadecimalDigit
      {
        result.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}

/// The parts of a `multipart/…` body, independent of the boundary (RFC 2046 §5.1.1, RFC 7578).
package enum Multipart {
  /// Returns the parts that are not ignored, in order; `nil` if the body does not match its type.
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

  /// Returns the bytes between delimiter lines. The preamble and the epilogue are ignored.
  private static func parts(_ data: Data, boundary: String) -> [Data]? {
    guard let lines = delimiters(data, boundary: boundary) else { return nil }
    return zip(lines, lines.dropFirst()).map { line, next in
      // The line break after a delimiter may also begin the next delimiter.
      let rest = data[line.upperBound...].range(of: Data("\r\n".utf8))
      let start = rest?.upperBound ?? next.lowerBound
      return data[start..<max(start, next.lowerBound - 4)]
    }
  }

  /// Returns a part's name, its whole header in a normalised form, and its content.
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
      // The order and the quotes of the parameters are not significant (RFC 6266 §4.1).
      let disposition = ContentType(value)
      name = disposition["name"] ?? ""
      let file = disposition["filename"].map { "; filename=\($0)" } ?? ""
      lines.append("content-disposition: \(disposition.essence); name=\(name)\(file)")
    }
    return (name, lines.sorted().joined(separator: "\n"), content)
  }

  /// Returns a multipart body and its type with another boundary.
  ///
  /// Returns `nil` if the body is not multipart, or if a part contains the new boundary, which
  /// would split that part.
  package static func reframed(
    _ data: Data,
    type: String,
    by boundary: String
  ) -> (type: String, data: Data)? {
    let content = ContentType(type)
    guard content.essence.hasPrefix("multipart/"), let own = content["boundary"], !own.isEmpty,
      // A boundary contains no quotes (RFC 2046 §5.1.1), so it is unescaped in the type.
      let name = type.range(of: "boundary", options: .caseInsensitive),
      let place = type.range(of: own, range: name.upperBound..<type.endIndex),
      data.range(of: Data("--\(boundary)".utf8)) == nil, let lines = delimiters(data, boundary: own)
    else { return nil }
    var result = Data()
    var start = data.startIndex
    for line in lines {
      result += data[start..<line.lowerBound]
      result += Data(boundary.utf8)
      start = line.upperBound
    }
    result += data[start...]
    return (type.replacingCharacters(in: place, with: boundary), result)
  }

  /// Returns the ranges of the boundary in each delimiter line, including the last one; `nil` if
  /// the last delimiter is missing.
  private static func delimiters(_ data: Data, boundary: String) -> [Range<Data.Index>]? {
    let (line, dashes) = (Data("\r\n--\(boundary)".utf8), 2)
    var found: [Range<Data.Index>] = []
    var place = data.startIndex
    if data.starts(with: line.dropFirst(2)) {
      let end = data.startIndex + line.count - 2
      found.append(data.startIndex + dashes..<end)
      place = end
    }
    while true {
      if !found.isEmpty, data[place...].starts(with: "--".utf8) { return found }
      guard let next = data.range(of: line, in: place..<data.endIndex) else { return nil }
      found.append(next.lowerBound + 2 + dashes..<next.upperBound)
      place = next.upperBound
    }
  }
}
