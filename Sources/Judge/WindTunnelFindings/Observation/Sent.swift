extension Observation {
  /// The parts of an attempt's request that rules compare.
  ///
  /// No value is stored, not even as its hash: equal values of a call have the same number, and the
  /// number means nothing else. Only the numbers of ``marks`` are the same from call to call.
  public struct Sent: Sendable, Hashable {
    /// The number of the method, target and body, for a POST or PATCH whose body was seen.
    public var content: Int?
    /// The numbers of the `Authorization` fields and the cookies, in their order.
    public var credentials: [Int] = []
    /// The numbers of credentials in fields that an API has invented for them, such as `X-Api-Key`,
    /// which no library recognises.
    public var apiKeys: [Int] = []
    /// Tells whether the request went to another host than the first of its call.
    public var isElsewhere = false
    /// Tells whether it came by TLS, where nobody on the way can read it.
    public var isSecure = false
    /// Tells whether it asked if an answer is still the same, by a validator.
    public var isConditional = false
    /// The number of the `Idempotency-Key` of a POST or PATCH.
    public var key: Int?
    /// The numbers of values of a POST or PATCH that the recorded request does not have. A value
    /// that is the same in all attempts of a call, and in no other call, lets a server recognise
    /// them as one.
    public var marks: [Int] = []
    /// Tells whether the query has parameters that no recorded request for the same path has.
    public var addsParameters = false
    /// The names of those additional parameters that look like a secret's.
    public var secretParameters: [String] = []
    /// The first byte that it asks for by `Range`, where it takes up what broke off.
    public var resumesAt: Int?
    /// Tells whether it asks for that only if the body is still the same, by `If-Range`.
    public var isResumedConditionally = false
    /// Tells whether it went to another machine without TLS; only a proxy's client chooses that.
    public var isInClear = false
    /// The places in which a secret went there so, such as `Authorization`.
    public var secretsInClear: [String] = []

    /// Makes a value without any part.
    public init() {}
  }
}

extension Observation.Sent: JSONPart {
  package static let blank = Self()
  private static let numbers = 0...(1 << 52)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.int("content", &content, in: Self.numbers)
    try fields.numbers("credentials", &credentials, "number of a value")
    try fields.numbers("apiKeys", &apiKeys, "number of a value")
    try fields.flag("elsewhere", &isElsewhere)
    try fields.flag("secure", &isSecure)
    try fields.flag("conditional", &isConditional)
    try fields.int("key", &key, in: Self.numbers)
    try fields.numbers("marks", &marks, "number of a value")
    try fields.flag("addsParameters", &addsParameters)
    try fields.names("secretParameters", &secretParameters)
    try fields.int("resumesAt", &resumesAt, in: 1...Int.max)
    try fields.flag("ifRange", &isResumedConditionally)
    try fields.flag("inClear", &isInClear)
    try fields.names("secretsInClear", &secretsInClear)
  }
}
