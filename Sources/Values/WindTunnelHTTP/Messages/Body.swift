public import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The content of a message as bytes.
///
/// The platforms' clients use `Data`, so no conversion is necessary. The body of a cassette's
/// interaction stays a slice of the file's text until its bytes are first accessed. The text was
/// validated when the file was opened.
public struct Body: Sendable, Hashable {
  private enum Content: Sendable {
    case bytes(Data)
    case held(StoredBody)
    /// The first `count` bytes of a file.
    case filed(SpoolFile, count: Int)
  }

  private var content: Content

  /// The bytes as they are sent, without transfer coding.
  ///
  /// They are kept in memory after the first access. Bytes of a body in a file are memory-mapped
  /// instead.
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

  /// The number of bytes. Reading it does not keep the bytes in memory.
  public var count: Int {
    switch content {
    case .bytes(let data): data.count
    case .held(let held): held.count
    case .filed(_, let count): count
    }
  }

  /// Creates a body from bytes.
  public init(_ data: Data = Data()) { content = .bytes(data) }

  /// Creates a body from a text in UTF-8.
  public init(_ text: String) { self.init(Data(text.utf8)) }

  /// Creates a body from a stored body of a cassette.
  package init(_ held: StoredBody) { content = .held(held) }

  /// Creates a body from the first `count` bytes of a file.
  init(_ file: SpoolFile, count: Int) { content = .filed(file, count: count) }

  /// The number of bytes in each piece when a body is read in pieces.
  package static let pieceBytes = 1 << 20

  /// Returns a copy of a range of bytes, counted from 0. For a body in a file, only this range is
  /// read.
  package func bytes(_ range: Range<Int>) -> Data {
    if case .filed(let file, _) = content, let bytes = file.bytes(range) { return bytes }
    let data = data
    let start = data.startIndex
    return data.subdata(in: start + range.lowerBound..<start + range.upperBound)
  }

  /// Calls a function with all bytes in order until it returns `false`. Each piece has
  /// ``pieceBytes`` bytes, except the last.
  ///
  /// - Returns: `false` if the function returned `false`.
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

  /// The SHA-256 of the bytes as 64 hexadecimal digits.
  package var digest: String {
    var digest = SHA256()
    _ = forEachPiece { piece in
      digest.update(piece)
      return true
    }
    return digest.hexadecimal()
  }

  /// The maximum size of a body that is decoded, parsed or copied as a whole; a larger body may be
  /// in a file.
  package static let openedBytesMax = 128 << 20

  /// A body without bytes.
  public static let empty = Body()

  /// The body as text; `nil` if it is not valid UTF-8.
  public var text: String? { String(utf8: data) }

  /// Whether two bodies have the same bytes.
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

  /// Hashes all bytes, because `Data` hashes only its first 80, which many bodies share.
  public func hash(into hasher: inout Hasher) {
    Work.read(count)
    _ = forEachPiece { piece in
      hasher.combine(bytes: piece)
      return true
    }
  }
}

/// The body of an interaction as a slice of the cassette's text, validated but not yet decoded.
///
/// It shares the text's memory. The bytes are decoded on first access and kept.
package final class StoredBody: Sendable {
  /// The form in which a cassette stores a body.
  package indirect enum Form: Sendable, Hashable {
    /// A JSON value, with the layout that restores the body's bytes.
    case json(JSON.Layout)
    /// A string with its quotes.
    case text(hasEscapes: Bool)
    /// A string of base64 (RFC 4648 §4) without its quotes.
    case base64
    /// A text that is sent as gzip.
    case gzip(GzipForm, Form)
  }

  private enum Content: Sendable {
    case held(Data, Form)
    case decoded(Data)
  }

  /// Guarded by one of ``locks``.
  private nonisolated(unsafe) var content: Content

  /// Locks shared by all bodies, because a lock for each body would need more memory than a small
  /// body.
  private static let locks = (0..<16).map { _ in Locked(()) }

  /// Creates a body from a slice of a cassette's text, which must be valid for this form.
  package init(_ source: Data, _ form: Form) { content = .held(source, form) }

  private func withLock<Result: Sendable>(_ body: () -> Result) -> Result {
    // Objects are aligned to 16 bytes.
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

  /// Decodes validated text. Decoding cannot fail, so the empty fallbacks are never used.
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
        // The text was validated as a string, so this cannot fail.
        return Data((try? JSONParser.whole(bytes, read).get()) ?? [])
      case .base64: return Data(base64Encoded: Data(bytes)) ?? Data()
      case .gzip(let gzip, let form): return gzip.coded(decode(source, form))
      }
    }
  }
}
