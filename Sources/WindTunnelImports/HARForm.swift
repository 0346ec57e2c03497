internal import Foundation

/// A form of which only the fields are known, put together again.
struct HARForm {
  /// Files that are named and not there.
  private(set) var filesMissing = 0
  /// What the body may have been, the likeliest first.
  private var candidates: [Data] = []

  /// `nil` where there are no fields, or where a form of parts has no boundary to part them.
  init?(_ params: JSON?, type: String) {
    let fields = params?.elements ?? []
    guard !fields.isEmpty else { return nil }
    filesMissing = fields.count { $0.present("fileName") != nil && $0.present("value") == nil }
    if MediaType.essence(type) == "multipart/form-data" {
      guard let boundary = MediaType.parameter("boundary", of: type) else { return nil }
      candidates = [Self.parts(fields, boundary: boundary)]
    } else {
      // Some exporters hand out the fields decoded, some as they were sent; the length may tell.
      candidates = [Self.pairs(fields, Self.encoded), Self.pairs(fields) { $0 }]
    }
  }

  /// The body; of several that are possible the one of the announced length.
  func data(announced: Int) -> Data {
    candidates.first { $0.count == announced } ?? candidates.first ?? Data()
  }

  private static func pairs(_ fields: [JSON], _ encoded: (String) -> String) -> Data {
    let pairs = fields.map { field in
      let name = encoded(field["name"]?.spelled ?? "")
      return "\(name)=\(encoded(field["value"]?.spelled ?? ""))"
    }
    return Data(pairs.joined(separator: "&").utf8)
  }

  /// The percent-encoding of HTML's forms (WHATWG URL §5.2).
  private static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "*"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "_"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      case 0x20: result += "+"
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += byte < 0x10 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }

  /// RFC 7578 §4.
  private static func parts(_ fields: [JSON], boundary: String) -> Data {
    func quoted(_ text: String) -> String {
      text.replacing("\"", with: "%22").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }
    var body = ""
    for field in fields {
      body += "--\(boundary)\r\nContent-Disposition: form-data; "
      body += "name=\"\(quoted(field["name"]?.spelled ?? ""))\""
      if let file = field.present("fileName")?.spelled { body += "; filename=\"\(quoted(file))\"" }
      body += "\r\n"
      if let type = field.present("contentType")?.spelled {
        body += "Content-Type: \(quoted(type))\r\n"
      }
      body += "\r\n\(field["value"]?.spelled ?? "")\r\n"
    }
    return Data("\(body)--\(boundary)--\r\n".utf8)
  }
}

/// What a `Content-Type` says (RFC 9110 §8.3.1).
enum MediaType {
  /// Type and subtype in lower case.
  static func essence(_ type: String) -> String {
    type.prefix { $0 != ";" }.trimmingOptionalWhitespace().lowercased()
  }

  /// A parameter's value without its quotes; `nil` where it is missing or empty.
  static func parameter(_ name: String, of type: String) -> String? {
    for part in type.split(separator: ";").dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].trimmingOptionalWhitespace().equalsIgnoringASCIICase(name)
      else { continue }
      let value = pair[1].trimmingOptionalWhitespace().filter { $0 != "\"" }
      return value.isEmpty ? nil : value
    }
    return nil
  }

  /// The charset in lower case, UTF-8 where none is named.
  static func charset(_ type: String) -> String {
    parameter("charset", of: type)?.lowercased() ?? "utf-8"
  }

  /// Whether a text of this type is known to be in UTF-8: by its charset, or because JSON knows no other
  /// (RFC 8259 §8.1).
  static func isUTF8(_ type: String) -> Bool {
    if let charset = parameter("charset", of: type) {
      return ["utf-8", "utf8"].contains(charset.lowercased())
    }
    let essence = essence(type)
    return essence.hasSuffix("/json") || essence.hasSuffix("+json")
  }

  /// The same media type in UTF-8.
  static func withUTF8(_ type: String) -> String {
    type.replacing(/(;[ \t]*charset[ \t]*=)[^;]*/.ignoresCase()) { "\($0.1)utf-8" }
  }

  /// The text of bytes in a charset, if it gives the same bytes back; `nil` for what nobody reads.
  static func text(_ data: Data, charset: String) -> String? {
    let latin = String(String.UnicodeScalarView(data.lazy.map { Unicode.Scalar($0) }))
    let texts = [String(utf8: data), latin].lazy.compactMap { $0 }
    return texts.first { text in
      !text.utf8.contains(0) && self.data(text, charset: charset) == data
    }
  }

  /// A text's bytes; `nil` for a charset that lacks a character of it, or that nobody here writes.
  static func data(_ text: String, charset: String) -> Data? {
    switch charset {
    case "utf-8", "utf8": return Data(text.utf8)
    case "us-ascii", "ascii", "iso-8859-1", "latin1":
      var bytes = Data()
      for scalar in text.unicodeScalars {
        guard let byte = UInt8(exactly: scalar.value) else { return nil }
        bytes.append(byte)
      }
      return bytes
    default:
      // Whatever the charset, ASCII is written alike in all but a few that no HTTP text uses.
      return text.utf8.allSatisfy { $0 < 0x80 } && !charset.hasPrefix("utf-")
        ? Data(text.utf8) : nil
    }
  }
}
