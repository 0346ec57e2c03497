internal import Foundation

/// A gzip body that is small on the wire and decompresses to a thousand times its size.
///
/// The content is an empty JSON array with white space.
struct GzipBomb {
  /// The minimum decompressed size: both brackets and a space.
  static let openedBytesMin = 3
  /// The white space that is compressed once.
  private static let piece = Data(repeating: UInt8(ascii: " "), count: 1 << 20)

  /// The body as it is sent; empty if zlib is missing.
  let data: Data

  /// Creates a body that decompresses to a number of bytes, at least ``openedBytesMin``.
  init(opensTo count: Int) {
    let spaces = max(count, Self.openedBytesMin) - 2
    let (times, rest) = spaces.quotientAndRemainder(dividingBy: Self.piece.count)
    let first = Data("[".utf8) + Self.piece.prefix(rest)
    data = RepeatedGzip.data(first, Self.piece, times: times, Data("]".utf8)) ?? Data()
  }
}
