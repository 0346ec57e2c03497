/// A static library: an archive of `ar`, as System V and BSD have it.
struct StaticArchive {
  /// One file in it.
  struct Member {
    var name: String
    var content: ByteWindow
  }

  /// The files, without the tables of symbols and names.
  let members: [Member]

  static let magic = Array("!<arch>\n".utf8)
  /// One whose files lie elsewhere.
  static let thinMagic = Array("!<thin>\n".utf8)

  /// Reads the headers of all members.
  init(_ file: ByteWindow, membersMax: Int) throws(ReadingError) {
    var members: [Member] = []
    var longNames: ByteWindow?
    var place = Self.magic.count
    while place < file.count {
      guard members.count < membersMax else {
        throw .tooMuch("files", limit: membersMax)
      }
      guard let header = file.window(at: place, count: 60), header.has([0x60, 0x0A], at: 58) else {
        throw .cutShort(missing: "the header of a file in it")
      }
      guard let size = Self.number(header.window(at: 48, count: 10)),
        var content = file.window(at: place + 60, count: size)
      else { throw .cutShort(missing: "a file in it") }
      place += 60 + size + size % 2
      var name = Self.trimmed(header.window(at: 0, count: 16)?.text ?? "")
      if name.hasPrefix("#1/"), let length = Int(name.dropFirst(3)) {
        guard let front = content.window(at: 0, count: length),
          let rest = content.window(at: length, count: content.count - length)
        else { throw .cutShort(missing: "the name of a file in it") }
        name = String(front.text.prefix { $0 != "\0" })
        content = rest
      } else if name == "//" {
        longNames = content
        continue
      } else if name.hasPrefix("/"), let offset = Int(name.dropFirst()) {
        // Never more than a path's length is looked at, whatever the table says.
        let table = longNames.flatMap { $0.window(at: offset, count: min(1024, $0.count - offset)) }
        name = String((table?.text ?? name).prefix { $0 != "\n" })
      }
      if name.hasSuffix("/") { name.removeLast() }
      // The tables of symbols: "/", "/SYM64/" and "__.SYMDEF".
      if name.isEmpty || name == "/SYM64" || name.hasPrefix("__.SYMDEF") { continue }
      members.append(Member(name: name, content: content))
    }
    self.members = members
  }

  private static func number(_ field: ByteWindow?) -> Int? {
    field.flatMap { Int(trimmed($0.text)) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  private static func trimmed(_ text: String) -> String {
    String(text.reversed().drop { $0 == " " }.reversed())
  }
}
