internal import Foundation
@_spi(WindTunnel) internal import WindTunnel

/// A cache of parsed requests, by the bytes of their heads.
///
/// Clients repeat requests in the same bytes, which then need not be parsed again. The cache keeps
/// only requests without content, and only on ports that respond from the cassette alone.
///
/// Used only on one loop's thread.
final class ParsedRequestCache: @unchecked Sendable {
  /// A parsed request, with its prepared form for the deck.
  final class Known {
    let bytes: [UInt8]
    let head: RequestHead
    let prepared: PreparedRequest
    /// The last rendered response to this request.
    var rendered: (key: RenderedResponseKey, response: RenderedResponse)?
    /// Whether the request arrived over TLS, which is a part of its URL.
    let isSecure: Bool

    init(_ bytes: [UInt8], _ head: RequestHead, _ prepared: PreparedRequest, isSecure: Bool) {
      (self.bytes, self.head, self.prepared, self.isSecure) = (bytes, head, prepared, isSecure)
    }
  }

  /// The maximum size of a cached head. A longer head is parsed each time.
  static let bytesMax = 1024
  /// The maximum number of requests and of their bytes. At the limit all entries are removed;
  /// frequent requests soon return.
  static let (countMax, spelledBytesMax) = (16_384, 4 << 20)

  private var known: [Int: Known] = [:]
  private var spelledBytes = 0
  /// A request that was prepared for the same cassette as all entries.
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
