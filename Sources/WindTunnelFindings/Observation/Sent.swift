extension Observation {
  /// The parts of what an attempt sent that rules compare.
  ///
  /// No value stands here, not even as a hash of it: values of a call that are the same have the same number,
  /// and the number says nothing else. Only those of ``marks`` are the same from call to call.
  public struct Sent: Sendable, Hashable {
    /// The number of its method, target and body, where it is a POST or PATCH whose body was seen.
    public var content: Int?
    /// The numbers of its `Authorization` and its cookies, in their order.
    public var credentials: [Int] = []
    /// The numbers of what it bears in fields that an API has made up for credentials, such as
    /// `X-Api-Key`: no library knows them for what they are.
    public var apiKeys: [Int] = []
    /// Tells whether it came to another host than the first request of its call.
    public var isElsewhere = false
    /// Tells whether it came by TLS, where nobody on the way can read it.
    public var isSecure = false
    /// The number of the `Idempotency-Key` that a POST or PATCH bears.
    public var key: Int?
    /// The numbers of what a POST or PATCH bears and the recorded request does not: one that stays over
    /// the attempts of a call, and that no other call bears, lets a server tell that they are one.
    public var marks: [Int] = []
    /// Tells whether its query has parameters that no recorded request for the same path has.
    public var addsParameters = false
    /// The names of those of them that look like a secret's.
    public var secretParameters: [String] = []

    /// Makes one that says nothing.
    public init() {}
  }
}

extension Observation.Sent {
  /// The parts that say something; `nil` where none does.
  package var json: JSON? {
    var members: [JSON.Member] = []
    func numbers(_ numbers: [Int]) -> JSON { .array(numbers.map { .number($0) }) }
    if let content { members.append(JSON.Member("content", .number(content))) }
    if !credentials.isEmpty { members.append(JSON.Member("credentials", numbers(credentials))) }
    if !apiKeys.isEmpty { members.append(JSON.Member("apiKeys", numbers(apiKeys))) }
    if isElsewhere { members.append(JSON.Member("elsewhere", true)) }
    if isSecure { members.append(JSON.Member("secure", true)) }
    if let key { members.append(JSON.Member("key", .number(key))) }
    if !marks.isEmpty { members.append(JSON.Member("marks", numbers(marks))) }
    if addsParameters { members.append(JSON.Member("addsParameters", true)) }
    if !secretParameters.isEmpty {
      let names = JSON.array(secretParameters.map { .text($0) })
      members.append(JSON.Member("secretParameters", names))
    }
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
    credentials = try Self.numbers(&object, "credentials")
    apiKeys = try Self.numbers(&object, "apiKeys")
    isElsewhere = try object.bool("elsewhere") ?? false
    isSecure = try object.bool("secure") ?? false
    key = try object.int("key", in: range)
    marks = try Self.numbers(&object, "marks")
    addsParameters = try object.bool("addsParameters") ?? false
    for json in try object.array("secretParameters") ?? [] {
      guard let name = json.stringValue else {
        throw object.error("secretParameters", "\(json) is no name")
      }
      secretParameters.append(name)
    }
    try object.refuseUnknownKeys()
  }

  private static func numbers(
    _ object: inout ObjectReader,
    _ name: String
  ) throws(FormatError) -> [Int] {
    var numbers: [Int] = []
    for json in try object.array(name) ?? [] {
      guard let number = json.intValue, number >= 0 else {
        throw object.error(name, "\(json) is no number of a value")
      }
      numbers.append(number)
    }
    return numbers
  }
}
