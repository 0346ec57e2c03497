extension JSON {
  /// Writes an object of a WindTunnel file whose last member is a list. Each element is created
  /// when it is written, and begins with the bytes that it receives.
  static func write<Part>(
    _ beginning: [UInt8],
    _ members: [JSON.Member],
    _ list: String,
    of parts: [Part],
    level: Int,
    _ write: ([UInt8]) -> Void,
    _ element: (_ part: Part, _ beginning: [UInt8]) -> Void
  ) {
    let end = "\n" + String(repeating: "  ", count: level)
    var piece = beginning
    for (place, member) in members.enumerated() {
      piece += "\(place == 0 ? "{" : ",")\(end)  ".utf8
      piece += JSON.string(member.name).fileBytes(level: 0)
      piece += ": ".utf8
      piece += member.value.fileBytes(level: level + 1)
    }
    piece += ",\(end)  \"\(list)\": [".utf8
    write(piece)
    for (place, part) in parts.enumerated() {
      element(part, Array("\(place == 0 ? "" : ",")\(end)    ".utf8))
    }
    write(Array("\(parts.isEmpty ? "" : end + "  ")]\(end)}".utf8))
  }
}
