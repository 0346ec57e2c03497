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
