internal import Foundation

extension ContentType {
  /// Tells whether a text of this type is known to be in UTF-8: by its charset, or because JSON
  /// knows no other (RFC 8259 §8.1).
  var isUTF8: Bool {
    if let charset { return ["utf-8", "utf8"].contains(charset) }
    return essence.hasSuffix("/json") || essence.hasSuffix("+json")
  }

  /// Returns the same media type in UTF-8.
  static func withUTF8(_ type: String) -> String {
    type.replacing(/(;[ \t]*charset[ \t]*=)[^;]*/.ignoresCase()) { "\($0.1)utf-8" }
  }
}

/// The conversion between texts in a charset and their bytes.
enum Charset {
  /// Returns the text of bytes in a charset, if it gives the same bytes back; `nil` for what nobody
  /// reads.
  static func text(_ data: Data, charset: String) -> String? {
    let latin = String(String.UnicodeScalarView(data.lazy.map { Unicode.Scalar($0) }))
    let texts = [String(utf8: data), latin].lazy.compactMap { $0 }
    return texts.first { text in
      !text.utf8.contains(0) && self.data(text, charset: charset) == data
    }
  }

  /// Returns a text's bytes; `nil` for a charset that lacks a character of it, or that nobody here
  /// writes.
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
