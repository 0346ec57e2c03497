package import Foundation

/// A body as it stands in the text of a cassette, proven and not yet decoded.
///
/// It shares the text's bytes; what they mean is worked out when it is first asked for, and kept
/// from then on.
package final class StoredBody: Sendable {
  /// How a body is written.
  package enum Form: Sendable, Hashable {
    /// A value, and the layout that gives the body's bytes.
    case json(JSON.Layout)
    /// A string with its quotes.
    case text(hasEscapes: Bool)
    /// A string without its quotes, of nothing but RFC 4648 §4.
    case base64
  }

  private enum Content: Sendable {
    case held(Data, Form)
    case decoded(Data)
  }

  /// Behind one of ``locks``.
  private nonisolated(unsafe) var content: Content

  /// A lock of its own would be most of what a small body takes.
  private static let locks = (0..<16).map { _ in Locked(()) }

  /// Makes a body of a slice of a cassette's text that was proven to be of this form.
  package init(_ source: Data, _ form: Form) { content = .held(source, form) }

  private func withLock<Result: Sendable>(_ body: () -> Result) -> Result {
    // Objects stand in steps of sixteen bytes.
    let number = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) >> 4
    return Self.locks[Int(number % UInt(Self.locks.count))].withLock { _ in body() }
  }

  var data: Data {
    withLock { () -> Data in
      switch content {
      case .decoded(let data): return data
      case .held(let source, let form):
        let data = Self.decode(source, form)
        content = .decoded(data)
        return data
      }
    }
  }

  var count: Int {
    let content: Content = withLock { self.content }
    switch content {
    case .decoded(let data): return data.count
    case .held(let source, let form): return Self.decode(source, form).count
    }
  }

  /// What was proven cannot fail, so that the empty bodies below are never seen.
  private static func decode(_ source: Data, _ form: Form) -> Data {
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
