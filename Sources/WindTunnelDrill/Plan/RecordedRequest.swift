internal import Foundation
internal import WindTunnel

// What was recorded of a request, as a program is told it: by a word of its command and in its
// environment.

extension Request {
  /// A word of a command and a variable hold this much on Linux (MAX_ARG_STRLEN, 128 KiB with its
  /// name and a null).
  static let programBytesMax = 100 << 10

  /// The body; `nil` where it is no text that a word can hold.
  var bodyForPrograms: String? {
    guard body.count <= Self.programBytesMax, let text = body.text, !text.utf8.contains(0) else {
      return nil
    }
    return text
  }

  /// The fields that a client sets, `Name: value` in a line each, without those of the connection and
  /// the content's length (RFC 9110 §7.6.1), which are its library's.
  var fieldsForPrograms: String {
    let fields = headers.filter { field in
      !Self.transportFields.contains(field.name.lowercased())
        && !field.value.utf8.contains { $0 < 0x20 && $0 != 0x09 }
    }
    var text = ""
    for field in fields {
      let line = "\(field.name): \(field.value)\n"
      if text.utf8.count + line.utf8.count <= Self.programBytesMax { text += line }
    }
    return text
  }

  private static let transportFields: Set<String> = [
    "host", "content-length", "connection", "keep-alive", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade", "expect",
  ]
}
