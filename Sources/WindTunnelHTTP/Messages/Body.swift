public import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The content of a message as bytes.
///
/// The platforms' clients use `Data`, so that nothing is converted on the way to them. The body of
/// a cassette's interaction stays a slice of the file's text until its bytes are first accessed;
/// that it is well-formed was proven when the file was opened.
public struct Body: Sendable {
  private enum Content: Sendable {
    case bytes(Data)
    case held(StoredBody)
  }

  private var content: Content

  /// The bytes as they are sent, without transfer coding. They are kept once they have been
  /// accessed.
  public var data: Data {
    get {
      switch content {
      case .bytes(let data): data
      case .held(let held): held.data
      }
    }
    set { content = .bytes(newValue) }
  }

  /// The number of bytes. Reading it does not make the bytes stay in memory.
  public var count: Int {
    switch content {
    case .bytes(let data): data.count
    case .held(let held): held.count
    }
  }

  /// Makes a body from bytes.
  public init(_ data: Data = Data()) { content = .bytes(data) }

  /// Makes a body from a text in UTF-8.
  public init(_ text: String) { self.init(Data(text.utf8)) }

  /// Makes a body of what a cassette holds.
  package init(_ held: StoredBody) { content = .held(held) }

  /// A body that is larger than this is never opened, taken apart or copied as a whole: it may lie
  /// in a file.
  package static let openedBytesMax = 128 << 20

  /// A body without any bytes.
  public static let empty = Body()

  /// The body as text; `nil` if it is not valid UTF-8.
  public var text: String? { String(utf8: data) }
}

extension Body: Hashable {
  /// Tells whether the bytes are equal.
  public static func == (left: Body, right: Body) -> Bool {
    if case .held(let one) = left.content, case .held(let other) = right.content, one === other {
      return true
    }
    return left.data == right.data
  }

  /// Hashes all bytes; `Data` hashes its first 80, which many bodies have in common.
  public func hash(into hasher: inout Hasher) {
    data.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

/// A body as it stands in the text of a cassette, proven and not yet decoded.
///
/// It shares the text's bytes; what they mean is worked out when it is first asked for, and kept
/// from then on.
package final class StoredBody: Sendable {
  /// The form in which a body is written.
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

  fileprivate var data: Data {
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

  fileprivate var count: Int {
    let content: Content = withLock { self.content }
    switch content {
    case .decoded(let data): return data.count
    case .held(let source, let form): return Self.decode(source, form).count
    }
  }

  /// Decodes what was proven and cannot fail, so that the empty bodies below are never seen.
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
