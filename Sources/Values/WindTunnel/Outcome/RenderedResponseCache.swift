/// The key of a recorded response that nothing changes.
///
/// Each GET for it receives the same bytes, except a GET with a range.
@_spi(WindTunnel) public struct RenderedResponseKey: Sendable, Hashable {
  /// The number of the deck's cassette, in the order in which they were loaded.
  @usableFromInline var cassette: Int
  /// The index of the response on the cassette.
  @usableFromInline var place: Int
  /// The index at which the deck counts the requests of its first receiver.
  var slot = 0
}

/// A cache of responses that a stage has rendered, to be sent again unchanged.
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

  /// Creates an empty cache.
  @inlinable public init(bytesMax: Int = Self.bytesMaxDefault) { self.bytesMax = bytesMax }

  /// Returns the response of a key; `nil` if it is missing or does not meet the condition.
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

  /// Stores a response with its size in bytes, and drops the responses of an earlier cassette.
  @inlinable public mutating func keep(
    _ response: Rendered,
    under key: RenderedResponseKey,
    weighing weight: Int
  ) {
    if key.cassette != cassette { (cassette, responses, bytes) = (key.cassette, [], 0) }
    // Usually adds one element, because cassettes are played in their order.
    while responses.count <= key.place { responses.append(nil) }
    // A replacement needs no or little additional memory.
    let isNew = responses[key.place] == nil
    guard !isNew || bytes + weight <= bytesMax else { return }
    if isNew { bytes += weight }
    responses[key.place] = response
  }
}

@_spi(WindTunnel) extension RenderedResponseCache: Sendable where Rendered: Sendable {}
