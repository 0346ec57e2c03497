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
    /// The first so many bytes of a file.
    case filed(SpoolFile, count: Int)
  }

  private var content: Content

  /// The bytes as they are sent, without transfer coding. They are kept once they have been
  /// accessed; those of a body in a file stay there, and are the system's own pages.
  public var data: Data {
    get {
      switch content {
      case .bytes(let data): data
      case .held(let held): held.data
      case .filed(let file, let count): file.pages(count) ?? Data()
      }
    }
    set { content = .bytes(newValue) }
  }

  /// The number of bytes. Reading it does not make the bytes stay in memory.
  public var count: Int {
    switch content {
    case .bytes(let data): data.count
    case .held(let held): held.count
    case .filed(_, let count): count
    }
  }

  /// Makes a body from bytes.
  public init(_ data: Data = Data()) { content = .bytes(data) }

  /// Makes a body from a text in UTF-8.
  public init(_ text: String) { self.init(Data(text.utf8)) }

  /// Makes a body of what a cassette holds.
  package init(_ held: StoredBody) { content = .held(held) }

  /// Makes a body of the first bytes of a file.
  init(_ file: SpoolFile, count: Int) { content = .filed(file, count: count) }

  /// The number of bytes that are read at once where a body is read in pieces.
  package static let pieceBytes = 1 << 20

  /// Returns a copy of some bytes, counted from 0. Of a body in a file no others are read.
  package func bytes(_ range: Range<Int>) -> Data {
    if case .filed(let file, _) = content, let bytes = file.bytes(range) { return bytes }
    let data = data
    let start = data.startIndex
    return data.subdata(in: start + range.lowerBound..<start + range.upperBound)
  }

  /// Calls a function with all bytes in order, in pieces of ``pieceBytes`` and a last one that may
  /// be shorter, until it returns false.
  ///
  /// - Returns: False where the function has.
  package func forEachPiece(_ take: (UnsafeRawBufferPointer) throws -> Bool) rethrows -> Bool {
    let (count, held) = (count, isFiled ? nil : data)
    for start in stride(from: 0, to: count, by: Self.pieceBytes) {
      let range = start..<min(start + Self.pieceBytes, count)
      let piece = held.map { $0.dropFirst(start).prefix(range.count) } ?? bytes(range)
      guard try piece.withUnsafeBytes(take) else { return false }
    }
    return true
  }

  private var isFiled: Bool { if case .filed = content { true } else { false } }

  /// Returns the SHA-256 of its bytes as 64 hexadecimal digits.
  package var digest: String {
    var digest = SHA256()
    _ = forEachPiece { piece in
      digest.update(piece)
      return true
    }
    return digest.hexadecimal()
  }

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
    switch (left.content, right.content) {
    case (.filed(let one, let length), .filed(let other, let otherLength))
    where one === other && length == otherLength: return true
    case (.filed, _), (_, .filed):
      guard left.count == right.count else { return false }
      var place = 0
      return left.forEachPiece { piece in
        let other = right.bytes(place..<place + piece.count)
        place += piece.count
        return other.withUnsafeBytes { other in
          guard let one = piece.baseAddress, let two = other.baseAddress else { return true }
          return memcmp(one, two, piece.count) == 0
        }
      }
    default: return left.data == right.data
    }
  }

  /// Hashes all bytes; `Data` hashes its first 80, which many bodies have in common.
  public func hash(into hasher: inout Hasher) {
    Work.read(count)
    _ = forEachPiece { piece in
      hasher.combine(bytes: piece)
      return true
    }
  }
}

/// A body as it stands in the text of a cassette, proven and not yet decoded.
///
/// It shares the text's bytes; what they mean is worked out when it is first asked for, and kept
/// from then on.
package final class StoredBody: Sendable {
  /// The form in which a body is written.
  package indirect enum Form: Sendable, Hashable {
    /// A value, and the layout that gives the body's bytes.
    case json(JSON.Layout)
    /// A string with its quotes.
    case text(hasEscapes: Bool)
    /// A string without its quotes, of nothing but RFC 4648 §4.
    case base64
    /// A text that is sent in gzip.
    case gzip(GzipForm, Form)
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
    case .held(_, .gzip): return data.count
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
      case .gzip(let gzip, let form): return gzip.coded(decode(source, form))
      }
    }
  }
}
