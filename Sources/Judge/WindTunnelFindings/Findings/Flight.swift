/// The calls of one client in one scenario, with the facts about the run.
public struct ClientRun: Sendable {
  /// The kinds of client, by how they report their results.
  public enum Client: String, Sendable, Hashable, CaseIterable {
    /// A program that is started for each call and reports the result by its exit code.
    case program
    /// A library whose calls share one process.
    case library
    /// A program that is started once, reads a line for each call and reports each result in a
    /// line.
    case service
    /// A client behind a proxy, such as a phone. Its requests are observed, but neither their
    /// purpose nor their result in the client.
    case proxied

    /// The kinds of clients that a drill can run, whose calls the drill makes.
    public static let inDrills: Set<Self> = [.program, .library, .service]
  }

  /// The kind of the client.
  public var client: Client
  /// The stage of the run.
  public var stage: Stage
  /// The calls of the client, in any order.
  public var calls: [Observation]
  /// The observations that do not belong to any call.
  public var traffic: Traffic
  /// The scenario of the run, or `nil` if it is unknown.
  public var scenario: Scenario?
  /// Whether the client's calls without faults take so long that no time of its calls is judged.
  public var isSlowWithoutFaults = false

  /// Creates a run from its calls and the facts about it.
  public init(
    of client: Client,
    on stage: Stage,
    _ calls: [Observation],
    traffic: Traffic = Traffic(),
    in scenario: Scenario? = nil
  ) {
    (self.client, self.stage, self.calls, self.traffic) = (client, stage, calls, traffic)
    self.scenario = scenario
  }

  /// Returns whether the times of a call may be caused by the machine rather than the client.
  func isStarved(_ call: Observation) -> Bool { isSlowWithoutFaults || call.isStarved }

  /// The index of the call with the highest number.
  var lastCall: Int? { calls.indices.max { calls[$0].call < calls[$1].call } }

  /// The maximum number of concurrent calls.
  var mostAtOnce: Int {
    // Twice the time, plus one for a start: a call that begins when another ends does not overlap
    // it.
    let moments = calls.flatMap { call -> [Int64] in
      guard let start = call.start, let end = call.end else { return [] }
      return [2 * start.wholeMicroseconds + 1, 2 * end.wholeMicroseconds]
    }
    var (open, most) = (0, 0)
    for moment in moments.sorted() {
      open += moment.isMultiple(of: 2) ? -1 : 1
      most = max(most, open)
    }
    return most
  }
}
