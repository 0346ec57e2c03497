extension Observation {
  /// The parts of an attempt's request that rules compare.
  ///
  /// No value is stored, not even as its hash. Equal values of a call have the same number, which
  /// has no other meaning. Only the numbers of ``marks`` are the same in different calls.
  public struct Sent: Sendable, Hashable {
    /// The number of the method, target and body, for a POST or PATCH whose body was observed.
    public var content: Int?
    /// The same number without times and random values in the body, if it has any.
    public var deed: Int?
    /// The numbers of the `Authorization` fields and the cookies, in their order.
    public var credentials: [Int] = []
    /// The numbers of credentials in an API's own fields, such as `X-Api-Key`, which no library
    /// recognises.
    public var apiKeys: [Int] = []
    /// Whether the request was sent to another host than the first of its call.
    public var isElsewhere = false
    /// Whether it was sent over TLS, which prevents others from reading it.
    public var isSecure = false
    /// The protocol of the request; `nil` for HTTP/1.1.
    public var httpProtocol: HTTPProtocol?
    /// Whether it has a validator, to check whether a response is unchanged.
    public var isConditional = false
    /// The number of the `Idempotency-Key` of a POST or PATCH.
    public var key: Int?
    /// The numbers of values of a POST or PATCH that the recorded request does not have. A value
    /// that is the same in all attempts of a call, and in no other call, allows a server to
    /// recognise them as one request.
    public var marks: [Int] = []
    /// Whether the query has parameters that no recorded request for the same path has.
    public var addsParameters = false
    /// The names of those additional parameters that look like secrets.
    public var secretParameters: [String] = []
    /// The first byte of its `Range`, if it resumes an interrupted response.
    public var resumesAt: Int?
    /// Whether it resumes only if the body is unchanged, by `If-Range`.
    public var isResumedConditionally = false
    /// Whether it was sent to another machine without TLS. Only the client of a proxy chooses that.
    public var isInClear = false
    /// The parts of that request that contain a secret, such as `Authorization`.
    public var secretsInClear: [String] = []

    /// A protocol other than HTTP/1.1, by its name in ALPN.
    public enum HTTPProtocol: String, Sendable, Hashable, CaseIterable {
      /// HTTP/2, over TLS or in clear (RFC 9113).
      case h2
    }

    /// Creates a value without any part.
    public init() {}
  }
}

extension Observation.Sent: JSONPart {
  package static let blank = Self()
  private static let numbers = 0...(1 << 52)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.int("content", &content, in: Self.numbers)
    try fields.int("deed", &deed, in: Self.numbers)
    try fields.numbers("credentials", &credentials, "number of a value")
    try fields.numbers("apiKeys", &apiKeys, "number of a value")
    try fields.flag("elsewhere", &isElsewhere)
    try fields.flag("secure", &isSecure)
    try fields.choice("protocol", &httpProtocol)
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
