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

extension Observation.Sent {
  /// The parts that say something; `nil` where none does.
  package var json: JSON? {
    var members: [JSON.Member] = []
    func numbers(_ numbers: [Int]) -> JSON { .array(numbers.map { .number($0) }) }
    func names(_ names: [String]) -> JSON { .array(names.map { .text($0) }) }
    if let content { members.append(JSON.Member("content", .number(content))) }
    if !credentials.isEmpty { members.append(JSON.Member("credentials", numbers(credentials))) }
    if !apiKeys.isEmpty { members.append(JSON.Member("apiKeys", numbers(apiKeys))) }
    if isElsewhere { members.append(JSON.Member("elsewhere", true)) }
    if isSecure { members.append(JSON.Member("secure", true)) }
    if isConditional { members.append(JSON.Member("conditional", true)) }
    if let key { members.append(JSON.Member("key", .number(key))) }
    if !marks.isEmpty { members.append(JSON.Member("marks", numbers(marks))) }
    if addsParameters { members.append(JSON.Member("addsParameters", true)) }
    if !secretParameters.isEmpty { members.add("secretParameters", names(secretParameters)) }
    if let resumesAt { members.append(JSON.Member("resumesAt", .number(resumesAt))) }
    if isResumedConditionally { members.append(JSON.Member("ifRange", true)) }
    if isInClear { members.append(JSON.Member("inClear", true)) }
    if !secretsInClear.isEmpty { members.add("secretsInClear", names(secretsInClear)) }
    return members.isEmpty ? nil : .object(members)
  }

  /// Reads them by themselves.
  package init(_ json: JSON) throws(FormatError) {
    try self.init(reading: ObjectReader(json, source: "a subject's process", path: "sent"))
  }

  init(reading object: ObjectReader) throws(FormatError) {
    self.init()
    var object = object
    let range = 0...(1 << 52)
    content = try object.int("content", in: range)
    credentials = try object.values("credentials", "number of a value", Self.number)
    apiKeys = try object.values("apiKeys", "number of a value", Self.number)
    isElsewhere = try object.bool("elsewhere") ?? false
    isSecure = try object.bool("secure") ?? false
    isConditional = try object.bool("conditional") ?? false
    key = try object.int("key", in: range)
    marks = try object.values("marks", "number of a value", Self.number)
    addsParameters = try object.bool("addsParameters") ?? false
    secretParameters = try object.values("secretParameters", "name", \.stringValue)
    resumesAt = try object.int("resumesAt", in: 1...Int.max)
    isResumedConditionally = try object.bool("ifRange") ?? false
    isInClear = try object.bool("inClear") ?? false
    secretsInClear = try object.values("secretsInClear", "name", \.stringValue)
    try object.refuseUnknownKeys()
  }

  private static func number(_ json: JSON) -> Int? {
    json.intValue.flatMap { $0 >= 0 ? $0 : nil }
  }
}
