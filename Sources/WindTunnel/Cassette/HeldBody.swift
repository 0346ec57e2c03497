internal import Foundation

/// A body as it stands in the text of a cassette, proven and not yet decoded.
///
/// It shares the text's bytes; what they mean is worked out when it is first asked for, and kept
/// from then on.
final class HeldBody: Sendable {
  /// How a body is written.
  enum Form: Sendable, Hashable {
    /// A value, and the layout that gives the body's bytes.
    case json(JSON.Layout)
    /// A string with its quotes.
    case text(hasEscapes: Bool)
    /// A string without its quotes, of nothing but RFC 4648 §4.
    case base64
  }

  private let source: Data
  private let form: Form
  private let decoded = Locked<Data?>(nil)

  /// Makes a body of a slice of a cassette's text that was proven to be of this form.
  init(_ source: Data, _ form: Form) {
    self.source = source
    self.form = form
  }

  var data: Data {
    decoded.withLock { decoded in
      if let decoded { return decoded }
      let data = decode()
      decoded = data
      return data
    }
  }

  var count: Int { decoded.withLock { $0?.count } ?? decode().count }

  /// What was proven cannot fail, so that the empty bodies below are never seen.
  private func decode() -> Data {
    source.withUnsafeBytes { raw -> Data in
      let bytes = raw.assumingMemoryBound(to: UInt8.self)
      switch form {
      case .json(let layout): return Data(layout.laidOut(bytes))
      case .text(hasEscapes: false): return Data(bytes.dropFirst().dropLast())
      case .text(hasEscapes: true):
        let read = { (parser: inout JSONParser) throws(JSONParser.Failure) -> [UInt8] in
          try parser.unescaped()
        }
        // It was proven to be a string, so why it might be none does not matter.
        return Data((try? JSONParser.whole(bytes, read).get()) ?? [])
      case .base64: return Data(base64Encoded: Data(bytes)) ?? Data()
      }
    }
  }
}
