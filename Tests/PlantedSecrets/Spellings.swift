public import Foundation
public import WindTunnel

/// Looks for a secret in written bytes as somebody would who wants it: in each spelling, and in
/// whatever base64, hexadecimal digits, gzip and deflate hide.
public enum Spellings {
  /// The spellings of a secret; a text may mix them, so most of them are tried on pieces of it, too.
  public static func of(_ secret: String) -> [String] {
    let bytes = Array(secret.utf8)
    let quoted = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
    let hexadecimal = bytes.map { digits($0) }
    var all = [secret, quoted, quoted.lowercased(), quoted.replacing("%", with: "%25")]
    // Other ways to write the two letters that most spellings treat in a way of their own.
    let slashes = ["%2F", "%2f", "\\/", "\\u002f", "\\u002F", "&#x2F;", "&#47;"]
    for slash in slashes { all.append(secret.replacing("/", with: slash)) }
    for plus in ["%2B", "%2b", " ", "\\u002b", "\\u002B", "&#43;"] {
      all.append(secret.replacing("+", with: plus))
    }
    all.append(secret.replacing("/", with: "%2F").replacing("+", with: " "))
    for mark in ["", "%", "\\u00", "\\x"] {
      let spelled = hexadecimal.map { mark + $0 }.joined()
      all += [spelled, hexadecimal.map { mark + $0.uppercased() }.joined()]
    }
    // Most of a secret is too much of it.
    all += [hexadecimal.joined(separator: ":"), String(secret.reversed())]
    all.append(String(secret.dropFirst(4).prefix(12)))
    // In base64 at each of the three places in which a group may begin.
    for shift in 0..<3 {
      let text = Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString()
      let inner = String(text.dropFirst(shift == 0 ? 0 : 4).dropLast(4))
      all += [
        inner, inner.replacing("+", with: "-").replacing("/", with: "_"),
        inner.replacing("/", with: "\\/"),
        inner.replacing("+", with: "%2B").replacing("/", with: "%2F"),
      ]
    }
    return all
  }

  private static func digits(_ byte: UInt8) -> String {
    String(UInt16(byte) + 0x100, radix: 16).suffix(2).lowercased()
  }

  /// Everything that can be read in a cassette.
  public static func texts(_ cassette: Cassette) -> [String] {
    var texts = texts(cassette.data())
    for interaction in cassette.interactions {
      let bodies = [interaction.request.body, interaction.response?.body ?? .empty]
      for body in bodies + interaction.messages.map(\.body) { add(body.data, to: &texts, depth: 0) }
    }
    return texts
  }

  /// Everything that can be read in a file.
  public static func texts(_ data: Data) -> [String] {
    var texts: [String] = []
    add(data, to: &texts, depth: 0)
    return texts
  }

  /// Everything that can be read in a folder's files and their names, all the way down; some of them
  /// excepted by name.
  public static func texts(in folder: URL, except names: Set<String> = []) throws -> [String] {
    let manager = FileManager.default
    return try manager.contentsOfDirectory(atPath: folder.path).flatMap { name -> [String] in
      let file = folder.appendingPathComponent(name)
      var isFolder: ObjCBool = false
      guard !names.contains(name),
        manager.fileExists(atPath: file.path, isDirectory: &isFolder)
      else { return [] }
      if isFolder.boolValue { return try [name] + texts(in: file) }
      return [name] + texts(try Data(contentsOf: file))
    }
  }

  /// Whether any spelling of a secret is in what was read, which ``joined(_:)`` made one text.
  public static func leak(_ secret: String, in texts: [CChar]) -> Bool {
    // By the C library: there are many texts and many spellings.
    of(secret).contains { spelling in spelling.withCString { strstr(texts, $0) != nil } }
  }

  /// All that was read as one text of C, which ends with its only zero.
  public static func joined(_ texts: [String]) -> [CChar] {
    texts.joined(separator: "\n").utf8.map { CChar(bitPattern: $0 == 0 ? 1 : $0) } + [0]
  }

  private static func add(_ data: Data, to texts: inout [String], depth: Int) {
    guard depth < 4, !data.isEmpty else { return }
    texts.append(String(decoding: data, as: UTF8.self))
    for coding in ["gzip", "deflate"] {
      if let opened = Inflate.open(data, coding: coding) {
        add(opened, to: &texts, depth: depth + 1)
      }
    }
    if data.range(of: Data([0x50, 0x4B, 3, 4])) != nil {
      for member in members(of: [UInt8](data)) { add(member, to: &texts, depth: depth + 1) }
    }
    var run: [UInt8] = []
    for byte in data + [0] {
      switch byte {
      case UInt8(ascii: "-"): run.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): run.append(UInt8(ascii: "/"))
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"):
        run.append(byte)
      default:
        if run.count >= 16 { unpack(run, to: &texts, depth: depth) }
        run = []
      }
    }
  }

  /// The packed members of zip archives (PKWARE's APPNOTE, 4.3.7).
  private static func members(of bytes: [UInt8]) -> [Data] {
    bytes.ranges(of: [0x50, 0x4B, 3, 4]).map(\.lowerBound).compactMap { start in
      let head = bytes.dropFirst(start).prefix(30).map { Int($0) }
      guard head.count == 30 else { return nil }
      let (packed, names) = (head[18] + head[19] << 8, head[26] + head[27] << 8 + head[28])
      return Inflate.open(
        Data(bytes.dropFirst(start + 30 + names).prefix(packed)),
        coding: "deflate"
      )
    }
  }

  private static func unpack(_ run: [UInt8], to texts: inout [String], depth: Int) {
    let whole = run.count - (run.count % 4 == 1 ? 1 : 0)
    let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - whole % 4) % 4)
    if let decoded = Data(base64Encoded: Data(run[..<whole] + padding)) {
      add(decoded, to: &texts, depth: depth + 1)
    }
  }
}
