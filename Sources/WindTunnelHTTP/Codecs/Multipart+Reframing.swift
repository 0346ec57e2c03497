package import Foundation

extension Multipart {
  /// A multipart as it would be with another boundary, its type with it; `nil` for what is none, and
  /// where the other boundary stands in a part, so that it would part what belongs together.
  package static func reframed(
    _ data: Data,
    type: String,
    by boundary: String
  ) -> (type: String, data: Data)? {
    let content = ContentType(type)
    guard content.essence.hasPrefix("multipart/"), let own = content["boundary"], !own.isEmpty,
      // A boundary has no quotes within (RFC 2046 §5.1.1), so it stands there as it is.
      let name = type.range(of: "boundary", options: .caseInsensitive),
      let place = type.range(of: own, range: name.upperBound..<type.endIndex),
      data.range(of: Data("--\(boundary)".utf8)) == nil,
      let lines = delimiters(data, boundary: own)
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

  /// Where the boundary stands in each delimiter line, the last one included; `nil` without a last.
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
