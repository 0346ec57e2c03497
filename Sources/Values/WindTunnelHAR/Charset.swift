internal import Foundation

extension ContentType {
  /// Whether a text of this type must be UTF-8: by its charset, or because it is JSON (RFC 8259
  /// §8.1).
  var isUTF8: Bool {
    if let charset { return ["utf-8", "utf8"].contains(charset) }
    return essence.hasSuffix("/json") || essence.hasSuffix("+json")
  }

  /// Returns the same media type with the charset UTF-8.
  static func withUTF8(_ type: String) -> String {
    type.replacing(/(;[ \t]*charset[ \t]*=)[^;]*/.ignoresCase()) { "\($0.1)utf-8" }
  }
}

/// The conversion between text and bytes in a charset.
enum Charset {
  /// Returns the text of bytes in a charset; `nil` if the charset is unsupported or the text does
  /// not restore the same bytes.
  static func text(_ data: Data, charset: String) -> String? {
    let latin = String(String.UnicodeScalarView(data.lazy.map { Unicode.Scalar($0) }))
    let texts = [String(utf8: data), latin].lazy.compactMap { $0 }
    return texts.first { text in
      !text.utf8.contains(0) && self.data(text, charset: charset) == data
    }
  }

  /// Returns the bytes of a text; `nil` if the charset is unsupported or lacks a character of the
  /// text.
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
      // ASCII has the same bytes in nearly all charsets; the exceptions are not used for text in
      // HTTP.
      return text.utf8.allSatisfy { $0 < 0x80 } && !charset.hasPrefix("utf-")
        ? Data(text.utf8) : nil
    }
  }
}
