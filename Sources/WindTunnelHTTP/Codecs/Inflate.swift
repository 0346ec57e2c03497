package import Foundation

/// A decoder of gzip and deflate bodies by the system's zlib, found at run time.
///
/// Only for reading: what is kept and played is the body as it came.
package enum Inflate {
  /// An opened body is at most this long; the rest is left closed.
  package static let bytesMax = 256 << 20

  /// The content codings that are opened; without zlib none but the content as it is.
  package static var codings: Set<String> {
    ZLib.shared == nil ? ["identity"] : ["gzip", "x-gzip", "deflate", "identity"]
  }

  /// The forms around what deflate packed.
  package enum Form: Sendable {
    /// None, as in a zip archive.
    case raw
    /// That of gzip (RFC 1952), with all its members, one behind the other.
    case gzip
  }

  /// Tells whether there is a zlib to open anything by.
  package static var isThere: Bool { ZLib.shared != nil }

  /// Opens what deflate packed; `nil` if it is damaged, opens to more than the limit, or if there
  /// is no zlib.
  package static func open(_ data: Data, as form: Form, bytesMax: Int) -> Data? {
    ZLib.shared.flatMap { zlib in
      switch form {
      case .raw: run(data, windowBits: -15, bytesMax: bytesMax, by: zlib)
      case .gzip:
        run(data, windowBits: 15 + 16, bytesMax: bytesMax, hasMembers: true, by: zlib)
      }
    }
  }

  /// Opens a body of a content coding (RFC 9110 §8.4.1); `nil` if it is another coding, damaged,
  /// larger than ``bytesMax``, or if there is no zlib.
  package static func open(_ data: Data, coding: String) -> Data? {
    switch coding.lowercased() {
    case "identity", "": data
    case "gzip", "x-gzip", "deflate": ZLib.shared.flatMap { inflate(data, by: $0) }
    default: nil
    }
  }

  /// 32: zlib or gzip, told apart by the first bytes; -15: the raw deflate some servers send.
  private static func inflate(_ data: Data, by zlib: ZLib) -> Data? {
    run(data, windowBits: 15 + 32, bytesMax: bytesMax, by: zlib)
      ?? run(data, windowBits: -15, bytesMax: bytesMax, by: zlib)
  }

  private static func run(
    _ data: Data,
    windowBits: Int32,
    bytesMax: Int,
    hasMembers: Bool = false,
    by zlib: ZLib
  ) -> Data? {
    guard let size = UInt32(exactly: data.count) else { return nil }
    var stream = ZLib.Stream()
    // zlib remembers where it is.
    return withUnsafeMutablePointer(to: &stream) { stream in
      guard zlib.beginInflate(stream, windowBits: windowBits) else { return nil }
      defer { _ = zlib.inflateEnd(stream) }
      var output = Data()
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      let isWhole = data.withUnsafeBytes { input -> Bool in
        stream.pointee.nextIn = input.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.availableIn = size
        while output.count <= bytesMax {
          let (result, count) = ZLib.run(zlib.inflate, stream, into: &buffer)
          Work.read(count)
          output.append(contentsOf: buffer.prefix(count))
          if result == 1, hasMembers, stream.pointee.availableIn > 0 {
            // The stream keeps its place in the bytes. What is no member is refused by its header.
            _ = zlib.inflateEnd(stream)
            guard zlib.beginInflate(stream, windowBits: windowBits) else { return false }
            continue
          }
          // What follows the end is another member or rubbish; neither may stay unseen.
          if result == 1 { return stream.pointee.availableIn == 0 && output.count <= bytesMax }
          if result != 0 || (count == 0 && stream.pointee.availableIn == 0) { return false }
        }
        return false
      }
      return isWhole ? output : nil
    }
  }
}
