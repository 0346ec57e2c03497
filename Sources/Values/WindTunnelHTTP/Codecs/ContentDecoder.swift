package import Foundation

/// An incremental decoder of a body's content codings (RFC 9110 §8.4.1), based on the system's
/// zlib.
///
/// A reader passes the pieces in order. At the end it checks ``isWhole``.
package final class ContentDecoder {
  /// The reasons why a body cannot be decoded.
  package enum Failure: Error, Sendable, Hashable {
    /// A coding that is not in ``Inflate/codings``, or more than ``codingsMax`` codings.
    case unknownCoding(String)
    /// Bytes that are invalid in the coding.
    case damaged
    /// The decoded body exceeds the reader's limit.
    case tooLarge
  }

  /// The maximum number of codings of one body, the same as in curl.
  package static let codingsMax = 5

  /// The maximum decoded size of one piece in bytes; it also applies to a body without a limit.
  ///
  /// Deflate expands by a factor of up to 1,032 (zlib, Technical Details). A piece is as large as
  /// one read of a socket.
  package static let pieceBytesMax = 80 << 20

  /// The decoding stages, the last coding first; empty if the body has no coding.
  private let stages: [InflatingStage]
  private let bytesMax: Int
  private var count = 0

  /// Creates a decoder from the values of `Content-Encoding`, in their order.
  ///
  /// - Parameters:
  ///   - values: The field's values; an empty list and `identity` mean an unencoded body.
  ///   - bytesMax: The maximum size of the decoded body in bytes.
  /// - Throws: ``Failure/unknownCoding(_:)``.
  package init(_ values: [String], bytesMax: Int) throws(Failure) {
    let codings = values.flatMap(\.listElements).map { $0.lowercased() }
      .filter { $0 != "identity" }
    guard codings.count <= Self.codingsMax else {
      throw .unknownCoding(codings.joined(separator: ", "))
    }
    var stages: [InflatingStage] = []
    for coding in codings.reversed() {
      guard Inflate.codings.contains(coding), ZLib.shared != nil else {
        throw .unknownCoding(coding)
      }
      stages.append(InflatingStage())
    }
    (self.stages, self.bytesMax) = (stages, bytesMax)
  }

  /// Decodes a piece of the body and returns the decoded bytes, which may be empty.
  package func decode(_ piece: Data) throws(Failure) -> Data {
    var piece = piece
    for stage in stages {
      // Limits each stage to the rest of the body's limit and to the maximum of one piece, so that
      // a decompression bomb cannot fill the memory.
      piece = try stage.decode(piece, bytesMax: min(bytesMax - count, Self.pieceBytesMax))
    }
    count += piece.count
    guard count <= bytesMax else { throw .tooLarge }
    return piece
  }

  /// Whether the received body is complete according to its codings.
  package var isWhole: Bool { stages.allSatisfy(\.isWhole) }
}

/// One coding of a body, decoded by zlib.
final class InflatingStage {
  private enum State {
    /// The bytes received so far, too few to recognise the form.
    case begins(Data)
    case inflates
    /// A stream has ended; another member of gzip may follow.
    case ended
  }

  private var stream: ZLibStream?
  private var state = State.begins(Data())
  private var isGzip = false
  /// The format as zlib's `windowBits`; `nil` if the first bytes determine it.
  private let windowBits: Int32?
  /// The bytes after the end of the coded data; `nil` if such bytes are an error.
  private(set) var surplus: Data?
  /// The number of decoded bytes, also of data that later turned out to be damaged.
  private(set) var decodedBytes = 0

  /// Creates a stage for a format, which keeps surplus bytes. Without a format, the first bytes
  /// determine it, and surplus bytes are an error.
  init(_ windowBits: Int32? = nil) {
    (self.windowBits, surplus) = (windowBits, windowBits.map { _ in Data() })
  }

  /// Whether the coded data is complete. An empty body is complete, because there was nothing to
  /// encode.
  var isWhole: Bool {
    switch state {
    case .begins(let data): data.isEmpty
    case .inflates: false
    case .ended: true
    }
  }

  func decode(_ piece: Data, bytesMax: Int) throws(ContentDecoder.Failure) -> Data {
    guard !piece.isEmpty else { return Data() }
    var input = piece
    if case .begins(let early) = state {
      input = early.isEmpty ? piece : early + piece
      guard input.count >= 2 else {
        state = .begins(input)
        return Data()
      }
      begin(with: input)
    }
    return try inflate(input, bytesMax: bytesMax)
  }

  /// The first bytes of a member of gzip (RFC 1952 §2.3.1).
  static let member: [UInt8] = [0x1F, 0x8B]

  /// Starts the given format, or detects it by the first bytes: gzip (RFC 1952 §2.3.1), zlib (RFC
  /// 1950 §2.2), or the raw deflate that some servers send.
  private func begin(with bytes: Data) {
    isGzip = windowBits ?? 31 > 15 && bytes.starts(with: Self.member)
    let (first, second) = (Int(bytes[bytes.startIndex]), Int(bytes[bytes.startIndex + 1]))
    let isZLib = first & 0x0F == 8 && (first << 8 | second) % 31 == 0
    let found: Int32 = isGzip ? 15 + 16 : isZLib ? 15 : -15
    stream = ZLibStream(inflatingWithin: windowBits ?? found, room: 64 << 10)
    state = .inflates
  }

  private func inflate(_ input: Data, bytesMax: Int) throws(ContentDecoder.Failure) -> Data {
    guard let stream else { throw .damaged }
    var output = Data()
    let failure = stream.feed(input) { () -> ContentDecoder.Failure? in
      do throws(ContentDecoder.Failure) {
        try run(stream, into: &output, bytesMax: bytesMax)
        return nil
      } catch {
        return error
      }
    }
    if let failure = failure ?? .tooLarge { throw failure }
    return output
  }

  private func run(
    _ stream: ZLibStream,
    into output: inout Data,
    bytesMax: Int
  ) throws(ContentDecoder.Failure) {
    while true {
      if case .ended = state {
        let rest = stream.rest
        if rest.isEmpty { return }
        // After the end follows another gzip member or garbage. The member's header decides.
        guard isGzip, surplus == nil || rest.starts(with: Self.member) else {
          if surplus == nil { throw .damaged }
          surplus?.append(rest)
          return
        }
        stream.reset()
        state = .inflates
      }
      let (result, count) = stream.next()
      Work.read(count)
      decodedBytes += count
      output.append(contentsOf: stream.buffer.prefix(count))
      guard output.count <= bytesMax else { throw .tooLarge }
      switch result {
      // Z_STREAM_END.
      case 1: state = .ended
      case 0:
        // If the buffer is full, more output may be pending.
        if count < stream.buffer.count, stream.rest.isEmpty { return }
      // Z_BUF_ERROR: no progress is possible without more input.
      case -5 where count == 0 && stream.rest.isEmpty: return
      default: throw .damaged
      }
    }
  }
}
