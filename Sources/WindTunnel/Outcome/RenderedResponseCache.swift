/// The name of a recorded response that nothing changes: whatever asks for it by GET, and not for a
/// part of it, is sent the very same bytes.
@_spi(WindTunnel) public struct RenderedResponseKey: Sendable, Hashable {
  /// The number of the deck's cassette, in the order in which they were loaded.
  @usableFromInline var cassette: Int
  /// The response's place on that.
  @usableFromInline var place: Int
}

/// Responses as a stage has put them together, to be sent again as they are.
@_spi(WindTunnel) public struct RenderedResponseCache<Rendered> {
  @usableFromInline var cassette = 0
  @usableFromInline var responses: [Rendered?] = []
  @usableFromInline var bytes = 0
  @usableFromInline let bytesMax: Int
  /// The number of times that a response was found.
  public var hits: Int { hitCount }
  @usableFromInline var hitCount = 0

  /// The number of bytes beyond which a response is put together each time anew.
  public static var bytesMaxDefault: Int { 32 << 20 }

  /// Makes a cache without responses.
  @inlinable public init(bytesMax: Int = Self.bytesMaxDefault) { self.bytesMax = bytesMax }

  /// Finds what was kept under a key, where that fits.
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

  /// Keeps what takes so many bytes; what is of an older cassette goes.
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
