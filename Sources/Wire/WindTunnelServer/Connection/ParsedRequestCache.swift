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

  /// The requests, each at the first free place from its hash on. At least half of the places are
  /// free, so that a search reads little memory.
  private var places: [Known?] = []
  private var count = 0
  private var spelledBytes = 0
  /// The bytes of the request that is being searched, whose memory is used again.
  private var spelling: [UInt8] = []
  /// A request that was prepared for the same cassette as all entries.
  private var last: PreparedRequest?

  func find(_ bytes: UnsafeRawBufferPointer, isSecure: Bool) -> Known? {
    guard bytes.count <= Self.bytesMax, count > 0 else { return nil }
    return places[place(of: bytes, isSecure: isSecure)]
  }

  /// Returns the place of a request, which is free if the request is unknown.
  private func place(of bytes: UnsafeRawBufferPointer, isSecure: Bool) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    var place = hasher.finalize() & (places.count - 1)
    while let found = places[place],
      found.isSecure != isSecure || found.bytes.count != bytes.count
        || bytes.baseAddress.map({ memcmp(found.bytes, $0, bytes.count) != 0 }) == true
    { place = (place + 1) & (places.count - 1) }
    return place
  }

  private func place(of request: Known) -> Int {
    request.bytes.withUnsafeBytes { place(of: $0, isSecure: request.isSecure) }
  }

  /// Finds an HTTP/2 request by its fields.
  ///
  /// If it is unknown, also returns the bytes by which it can be kept, unless there are too many.
  func find(_ fields: [HPACKField], isSecure: Bool) -> (known: Known?, bytes: [UInt8]?) {
    var bytes: [UInt8] = []
    swap(&bytes, &spelling)
    defer { swap(&bytes, &spelling) }
    bytes.removeAll(keepingCapacity: true)
    // No request of HTTP/1.1 begins with this byte.
    bytes.append(0)
    for field in fields {
      bytes.append(spelled: field.name)
      bytes.append(spelled: field.value)
      guard bytes.count <= Self.bytesMax else { return (nil, nil) }
    }
    let known = bytes.withUnsafeBytes { find($0, isSecure: isSecure) }
    return (known, known == nil ? bytes : nil)
  }

  func keep(_ request: Known) {
    let isFull =
      count >= Self.countMax || spelledBytes + request.bytes.count > Self.spelledBytesMax
    if isFull || last?.isOfCassette(of: request.prepared) == false { forgetAll() }
    last = request.prepared
    if 2 * count >= places.count {
      let old = places
      places = Array(repeating: nil, count: max(64, 2 * old.count))
      for case let known? in old { places[place(of: known)] = known }
    }
    let place = place(of: request)
    count += places[place] == nil ? 1 : 0
    spelledBytes += request.bytes.count - (places[place]?.bytes.count ?? 0)
    places[place] = request
  }

  func forgetAll() { (places, count, spelledBytes, last) = ([], 0, 0, nil) }
}

extension [UInt8] {
  /// Appends a text after its length, for which two bytes suffice below the limit of a head.
  fileprivate mutating func append(spelled text: String) {
    let count = text.utf8.count
    append(UInt8(truncatingIfNeeded: count))
    append(UInt8(truncatingIfNeeded: count >> 8))
    append(contentsOf: text.utf8)
  }
}
