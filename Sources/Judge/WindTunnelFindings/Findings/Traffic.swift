extension ClientRun {
  /// The observations of a flight that belong to no call.
  public struct Traffic: Sendable, Hashable {
    /// The connections of each process that made a part of the calls, as far as they were counted.
    public var connections: [Connections] = []
    /// The arrival times of requests whose calls had already ended.
    public var lateRequests: [Duration] = []

    /// Makes traffic without any observation.
    public init() {}
  }

  /// The connections of a client that a server counted while it kept them alive after each answer.
  public struct Connections: Sendable, Hashable {
    /// The number of calls that were made meanwhile.
    public var calls: Int
    /// The number of connections that were opened.
    public var opened: Int
    /// The greatest number of connections open at once.
    public var mostOpen: Int
    /// The number of connections still open some seconds after the last call had ended.
    public var leftOpen: Int
    /// The number of those that held a part of an answer all that time, which nobody read; `nil`
    /// where it was not looked for.
    public var leftUnread: Int?

    /// Makes connections of their counts.
    public init(calls: Int, opened: Int, mostOpen: Int, leftOpen: Int) {
      (self.calls, self.opened) = (calls, opened)
      (self.mostOpen, self.leftOpen) = (mostOpen, leftOpen)
    }
  }
}

extension ClientRun.Connections {
  /// The time after the last call in which a client may close what it does not need.
  package static let patience = Duration.seconds(5)
  /// The number of calls that distinguishes a pool that is filled from one that grows for ever.
  static let leastCalls = 50

  /// The number of error responses that distinguishes a leak behind them from a pool.
  static let leastErrors = 20

  /// Whether so many connections are open that some may be left behind by mistake.
  package var mayLeak: Bool {
    growsWithCalls || leftOpen >= Self.leastErrors
  }

  /// Tells whether nearly every call has left a connection open.
  package var growsWithCalls: Bool {
    calls >= Self.leastCalls && Double(leftOpen) >= 0.9 * Double(calls)
  }
}

extension ClientRun.Traffic {
  /// Tells whether nothing was seen.
  package var isEmpty: Bool { connections.isEmpty && lateRequests.isEmpty }

  /// Takes what was seen of another part of the same flight.
  package mutating func merge(_ other: Self) {
    connections = (connections + other.connections).sorted {
      ($0.calls, $0.opened, $0.mostOpen, $0.leftOpen, $0.leftUnread ?? -1)
        < ($1.calls, $1.opened, $1.mostOpen, $1.leftOpen, $1.leftUnread ?? -1)
    }
    lateRequests = (lateRequests + other.lateRequests).sorted()
  }

}

extension ClientRun.Traffic: JSONObject {
  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let name = "lateRequestsMilliseconds"
    try fields.list("connections", &connections)
    guard fields.isReading else {
      return fields.write(name, .array(lateRequests.map { .milliseconds($0) }))
    }
    lateRequests = try fields.object.values(name, "moment in milliseconds") { json in
      json.doubleValue.flatMap { 0...1e12 ~= $0 ? Duration(milliseconds: $0) : nil }
    }
  }
}

extension ClientRun.Connections: JSONObject {
  package static let blank = Self(calls: 0, opened: 0, mostOpen: 0, leftOpen: 0)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let counts = 0...(1 << 40)
    let missing: JSONFields.Missing = ("calls", "it needs calls, opened, mostOpen and leftOpen")
    try fields.int("calls", &calls, in: counts, missing)
    try fields.int("opened", &opened, in: counts, missing)
    try fields.int("mostOpen", &mostOpen, in: counts, missing)
    try fields.int("leftOpen", &leftOpen, in: counts, missing)
    try fields.int("leftUnread", &leftUnread, in: counts)
  }
}
