extension Observation {
  /// The terms on which an answer may be shown again (RFC 9111).
  public struct CacheTerms: Sendable, Hashable {
    /// The time for which it may be shown without asking.
    public var fresh = Duration.zero
    /// Tells whether it has a validator, by which a client can ask if it is still the same.
    public var hasValidator = false
    /// Tells whether it may be shown beyond that time where its server cannot be asked.
    public var allowsStale = false

    /// Makes terms by which nothing may be shown again.
    public init() {}
  }
}

extension Observation.CacheTerms {
  package var json: JSON {
    [
      "freshMilliseconds": .milliseconds(fresh),
      "validator": .bool(hasValidator), "stale": .bool(allowsStale),
    ]
  }

  init(reading object: consuming ObjectReader) throws(FormatError) {
    self.init()
    fresh = try object.offset("freshMilliseconds") ?? .zero
    hasValidator = try object.bool("validator") ?? false
    allowsStale = try object.bool("stale") ?? false
    try object.refuseUnknownKeys()
  }
}
