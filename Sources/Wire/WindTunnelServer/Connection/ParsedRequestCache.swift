internal import Foundation
@_spi(WindTunnel) internal import WindTunnel

/// Requests that came before, by the bytes that they came in.
///
/// Clients ask for the same again in the same words, and whoever has read a head once knows what it
/// says. Only heads without content are kept, of connections that lead to the cassette and to
/// nobody else.
///
/// On one loop's thread only.
final class ParsedRequestCache: @unchecked Sendable {
  /// A request and what it comes to.
  final class Known {
    let bytes: [UInt8]
    let head: RequestHead
    let prepared: PreparedRequest
    /// The response that was sent to it last.
    var rendered: (key: RenderedResponseKey, response: RenderedResponse)?
    /// Tells whether it came by TLS, which is a part of its address.
    let isSecure: Bool

    init(_ bytes: [UInt8], _ head: RequestHead, _ prepared: PreparedRequest, isSecure: Bool) {
      (self.bytes, self.head, self.prepared, self.isSecure) = (bytes, head, prepared, isSecure)
    }
  }

  /// A longer head is read each time.
  static let bytesMax = 1024
  /// The bounds of the table, in requests and bytes; then all are forgotten, and those that are
  /// asked for most are soon back.
  static let (countMax, spelledBytesMax) = (16_384, 4 << 20)

  private var known: [Int: Known] = [:]
  private var spelledBytes = 0
  /// The cassette that they were prepared for.
  private var last: PreparedRequest?

  func find(_ bytes: UnsafeRawBufferPointer, isSecure: Bool) -> Known? {
    guard bytes.count <= Self.bytesMax, let found = known[Self.hash(bytes)],
      found.isSecure == isSecure, found.bytes.count == bytes.count,
      let base = bytes.baseAddress, memcmp(found.bytes, base, bytes.count) == 0
    else { return nil }
    return found
  }

  func keep(_ request: Known) {
    let isFull =
      known.count >= Self.countMax || spelledBytes + request.bytes.count > Self.spelledBytesMax
    if isFull || last?.isOfCassette(of: request.prepared) == false { forgetAll() }
    last = request.prepared
    spelledBytes += request.bytes.count
    let old = known.updateValue(request, forKey: request.bytes.withUnsafeBytes { Self.hash($0) })
    spelledBytes -= old?.bytes.count ?? 0
  }

  func forgetAll() {
    known.removeAll(keepingCapacity: true)
    (spelledBytes, last) = (0, nil)
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    return hasher.finalize()
  }
}
