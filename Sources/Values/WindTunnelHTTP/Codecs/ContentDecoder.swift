package import Foundation

/// A decoder of a body's content codings (RFC 9110 §8.4.1) in the pieces in which it arrives, by
/// the system's zlib.
///
/// One reader uses it, piece after piece, and asks at the end whether the body was whole.
package final class ContentDecoder {
  /// The reasons why a body cannot be decoded.
  package enum Failure: Error, Sendable, Hashable {
    /// A coding that is none of ``Inflate/codings``, or more of them than ``codingsMax``.
    case unknownCoding(String)
    /// Bytes that are not what the coding makes.
    case damaged
    /// A body that is larger than the reader wants it, when it is decoded.
    case tooLarge
  }

  /// The most codings of one body; curl takes as many.
  package static let codingsMax = 5

  /// The most bytes that a piece decodes to, also of a body without a limit: deflate makes 1,032 of
  /// one (zlib, Technical Details), and pieces are as large as one reading of a socket.
  package static let pieceBytesMax = 80 << 20

  /// The stages, the last coding first; none where the body is as it is.
  private let stages: [InflatingStage]
  private let bytesMax: Int
  private var count = 0

  /// Makes a decoder of the values of `Content-Encoding`, in their order.
  ///
  /// - Parameters:
  ///   - values: The field's values; an empty list and `identity` mean a body as it is.
  ///   - bytesMax: The most bytes of the decoded body.
  /// - Throws: ``Failure/unknownCoding(_:)``.
  package init(_ values: [String], bytesMax: Int) throws(Failure) {
    let codings = values.flatMap { $0.split(separator: ",") }
      .map { $0.trimmingOptionalWhitespace().lowercased() }
      .filter { !$0.isEmpty && $0 != "identity" }
    guard codings.count <= Self.codingsMax else {
      throw .unknownCoding(codings.joined(separator: ", "))
    }
    var stages: [InflatingStage] = []
    for coding in codings.reversed() {
      guard Inflate.codings.contains(coding), let zlib = ZLib.shared else {
        throw .unknownCoding(coding)
      }
      stages.append(InflatingStage(zlib))
    }
    (self.stages, self.bytesMax) = (stages, bytesMax)
  }

  /// Returns what a piece of the body decodes to; it may be empty.
  package func decode(_ piece: Data) throws(Failure) -> Data {
    var piece = piece
    for stage in stages {
      // A stage holds no more than the body may have, nor than one coding makes of a piece, so that
      // no bomb fills the memory.
      piece = try stage.decode(piece, bytesMax: min(bytesMax - count, Self.pieceBytesMax))
    }
    count += piece.count
    guard count <= bytesMax else { throw .tooLarge }
    return piece
  }

  /// Whether the received body is complete according to its codings.
  package var isWhole: Bool { stages.allSatisfy(\.isWhole) }
}

/// One coding of a body on its way through zlib.
final class InflatingStage {
  private enum State {
    /// The bytes received so far, too few to recognise the form.
    case begins(Data)
    case inflates
    /// A stream has ended; another member of gzip may follow.
    case ended
  }

  private let zlib: ZLib
  private let stream = UnsafeMutablePointer<ZLib.Stream>.allocate(capacity: 1)
  private var state = State.begins(Data())
  private var isOpen = false
  private var isGzip = false
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)
  /// The form as zlib's `windowBits`; `nil` if the first bytes determine it.
  private let windowBits: Int32?
  /// The bytes after the end of the coded data; `nil` if such bytes are an error.
  private(set) var surplus: Data?

  /// Creates a stage for a form, which keeps surplus bytes. Without a form, the first bytes
  /// determine it, and surplus bytes are an error.
  init(_ zlib: ZLib, _ windowBits: Int32? = nil) {
    (self.zlib, self.windowBits, surplus) = (zlib, windowBits, windowBits.map { _ in Data() })
    stream.initialize(to: ZLib.Stream())
  }

  deinit {
    close()
    stream.deallocate()
  }

  /// A body of no bytes is whole, too: there was nothing to encode.
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
      try begin(with: input)
    }
    return try inflate(input, bytesMax: bytesMax)
  }

  /// The first bytes of a member of gzip (RFC 1952 §2.3.1).
  static let member: [UInt8] = [0x1F, 0x8B]

  /// Opens the form, or recognises it by its first bytes: gzip (RFC 1952 §2.3.1), zlib (RFC 1950
  /// §2.2), or the raw deflate that some servers send.
  private func begin(with bytes: Data) throws(ContentDecoder.Failure) {
    isGzip = windowBits ?? 31 > 15 && bytes.starts(with: Self.member)
    if let windowBits { return try open(windowBits) }
    let (first, second) = (Int(bytes[bytes.startIndex]), Int(bytes[bytes.startIndex + 1]))
    let isZLib = first & 0x0F == 8 && (first << 8 | second) % 31 == 0
    try open(isGzip ? 15 + 16 : isZLib ? 15 : -15)
  }

  private func open(_ windowBits: Int32) throws(ContentDecoder.Failure) {
    close()
    stream.pointee = ZLib.Stream()
    guard zlib.beginInflate(stream, windowBits: windowBits) else { throw .damaged }
    (isOpen, state) = (true, .inflates)
  }

  private func close() {
    if isOpen { _ = zlib.inflateEnd(stream) }
    isOpen = false
  }

  private func inflate(_ input: Data, bytesMax: Int) throws(ContentDecoder.Failure) -> Data {
    var output = Data()
    let failure = input.withUnsafeBytes { bytes -> ContentDecoder.Failure? in
      guard let size = UInt32(exactly: bytes.count) else { return .tooLarge }
      stream.pointee.nextIn = bytes.bindMemory(to: UInt8.self).baseAddress
      stream.pointee.availableIn = size
      defer { stream.pointee.nextIn = nil }
      do throws(ContentDecoder.Failure) {
        try run(into: &output, bytesMax: bytesMax)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
    return output
  }

  private func run(into output: inout Data, bytesMax: Int) throws(ContentDecoder.Failure) {
    while true {
      if case .ended = state {
        let (start, count) = (stream.pointee.nextIn, Int(stream.pointee.availableIn))
        if count == 0 { return }
        let rest = UnsafeBufferPointer(start: start, count: count)
        // What follows the end is another member or rubbish, which its header tells.
        guard isGzip, surplus == nil || rest.starts(with: Self.member) else {
          if surplus == nil { throw .damaged }
          surplus?.append(rest)
          return
        }
        try reopen()
      }
      let (result, count) = ZLib.run(zlib.inflate, stream, into: &buffer)
      Work.read(count)
      output.append(contentsOf: buffer.prefix(count))
      guard output.count <= bytesMax else { throw .tooLarge }
      switch result {
      // Z_STREAM_END.
      case 1: state = .ended
      case 0:
        // A full buffer may have more behind it.
        if count < buffer.count, stream.pointee.availableIn == 0 { return }
      // Z_BUF_ERROR: there is nothing more to do.
      case -5 where count == 0 && stream.pointee.availableIn == 0: return
      default: throw .damaged
      }
    }
  }

  /// Begins the next member of gzip where the last one ended.
  private func reopen() throws(ContentDecoder.Failure) {
    let (rest, count) = (stream.pointee.nextIn, stream.pointee.availableIn)
    try open(15 + 16)
    (stream.pointee.nextIn, stream.pointee.availableIn) = (rest, count)
  }
}
