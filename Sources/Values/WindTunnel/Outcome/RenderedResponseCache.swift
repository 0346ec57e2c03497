/// The key of a recorded response that nothing changes: each GET for it, but for one of a part, is
/// sent the very same bytes.
@_spi(WindTunnel) public struct RenderedResponseKey: Sendable, Hashable {
  /// The number of the deck's cassette, in the order in which they were loaded.
  @usableFromInline var cassette: Int
  /// The response's place on that.
  @usableFromInline var place: Int
}

/// A cache of responses as a stage has rendered them, to be sent again unchanged.
@_spi(WindTunnel) public struct RenderedResponseCache<Rendered> {
  @usableFromInline var cassette = 0
  @usableFromInline var responses: [Rendered?] = []
  @usableFromInline var bytes = 0
  @usableFromInline let bytesMax: Int
  /// The number of times that a response was found in the cache.
  public var hits: Int { hitCount }
  @usableFromInline var hitCount = 0

  /// The default limit of the cache, in bytes: responses beyond it are rendered each time.
  public static var bytesMaxDefault: Int { 32 << 20 }

  /// Makes an empty cache.
  @inlinable public init(bytesMax: Int = Self.bytesMaxDefault) { self.bytesMax = bytesMax }

  /// Returns the response of a key, where that fits.
  @inlinable public mutating func find(
    _ key: RenderedResponseKey,
    where fits: (Rendered) -> Bool = { _ in true }
  ) -> Rendered? {
    guard key.cassette == cassette, key.place < responses.count,
      let response = responses[key.place], fits(response)
    else { return nil }
    hitCount &+= 1
    return response
  }

  /// Keeps a response of a number of bytes; those of an older cassette are dropped.
  @inlinable public mutating func keep(
    _ response: Rendered,
    under key: RenderedResponseKey,
    weighing weight: Int
  ) {
    if key.cassette != cassette { (cassette, responses, bytes) = (key.cassette, [], 0) }
    // Mostly by one, since cassettes are played in their order.
    while responses.count <= key.place { responses.append(nil) }
    // One in place of another takes no more room, or little.
    let isNew = responses[key.place] == nil
    guard !isNew || bytes + weight <= bytesMax else { return }
    if isNew { bytes += weight }
    responses[key.place] = response
  }
}

@_spi(WindTunnel) extension RenderedResponseCache: Sendable where Rendered: Sendable {}
