extension Observation {
  /// The terms on which a response may be reused (RFC 9111).
  public struct CacheTerms: Sendable, Hashable {
    /// The time for which it may be shown without revalidation.
    public var fresh = Duration.zero
    /// Whether it has a validator, by which a client can check whether it is unchanged.
    public var hasValidator = false
    /// Whether it may be shown after that time if its server is unreachable.
    public var allowsStale = false

    /// Creates terms that allow no reuse.
    public init() {}
  }
}

extension Observation.CacheTerms: JSONObject {
  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    var (length, validator, stale): (Duration?, Bool?, Bool?) = (fresh, hasValidator, allowsStale)
    try fields.time("freshMilliseconds", &length)
    try fields.bool("validator", &validator)
    try fields.bool("stale", &stale)
    (fresh, hasValidator, allowsStale) = (length ?? .zero, validator ?? false, stale ?? false)
  }
}
