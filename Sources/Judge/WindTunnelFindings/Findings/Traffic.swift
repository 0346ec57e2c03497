extension ClientRun {
  /// The observations of a run that do not belong to any call.
  public struct Traffic: Sendable, Hashable {
    /// The connections of each process that made a part of the calls, as far as they were counted.
    public var connections: [Connections] = []
    /// The arrival times of requests whose calls had already ended.
    public var lateRequests: [Duration] = []

    /// Creates traffic without any observation.
    public init() {}
  }

  /// The connections of a client, counted by a server that keeps them open after each response.
  public struct Connections: Sendable, Hashable {
    /// The number of calls during the count.
    public var calls: Int
    /// The number of connections that were opened.
    public var opened: Int
    /// The maximum number of connections open at once.
    public var mostOpen: Int
    /// The number of connections still open some seconds after the last call had ended.
    public var leftOpen: Int
    /// The number of open connections with a part of a response that the client did not read in
    /// that time. `nil` if this was not checked.
    public var leftUnread: Int?

    /// Creates connections from their counts.
    public init(calls: Int, opened: Int, mostOpen: Int, leftOpen: Int) {
      (self.calls, self.opened) = (calls, opened)
      (self.mostOpen, self.leftOpen) = (mostOpen, leftOpen)
    }
  }
}

extension ClientRun.Connections {
  /// The time after the last call in which a client may close connections that it does not need.
  package static let patience = Duration.seconds(5)
  /// The number of calls that distinguishes a pool being filled from one that grows without limit.
  static let leastCalls = 50

  /// The number of error responses that distinguishes a leak after errors from a pool.
  static let leastErrors = 20

  /// Whether enough connections are open for a leak to be possible.
  package var mayLeak: Bool {
    growsWithCalls || leftOpen >= Self.leastErrors
  }

  /// Whether nearly every call has left a connection open.
  package var growsWithCalls: Bool {
    calls >= Self.leastCalls && Double(leftOpen) >= 0.9 * Double(calls)
  }
}

extension ClientRun.Traffic {
  /// Whether there are no observations.
  package var isEmpty: Bool { connections.isEmpty && lateRequests.isEmpty }

  /// Adds the observations of another part of the same run.
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
    lateRequests = try fields.object.values(name, "time in milliseconds") { json in
      json.doubleValue.flatMap { 0...1e12 ~= $0 ? Duration(milliseconds: $0) : nil }
    }
  }
}

extension ClientRun.Connections: JSONObject {
  package static let blank = Self(calls: 0, opened: 0, mostOpen: 0, leftOpen: 0)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let counts = 0...(1 << 40)
    let missing: JSONFields.Missing = ("calls", "calls, opened, mostOpen and leftOpen are required")
    try fields.int("calls", &calls, in: counts, missing)
    try fields.int("opened", &opened, in: counts, missing)
    try fields.int("mostOpen", &mostOpen, in: counts, missing)
    try fields.int("leftOpen", &leftOpen, in: counts, missing)
    try fields.int("leftUnread", &leftUnread, in: counts)
  }
}
