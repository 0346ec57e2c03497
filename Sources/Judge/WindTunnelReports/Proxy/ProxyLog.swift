/// A log of the events of a proxy's deck and of its user's marks, in order and up to a limit.
public struct ProxyLog: Sendable {
  /// The maximum number of requests and tunnels that are kept. Further ones are counted.
  public static let entriesMax = 100_000

  /// A request that the proxy could read, logged at the end of its response.
  public struct Request: Sendable, Hashable {
    /// The method of the request.
    public let method: String
    /// The URL of the request. A report shows neither its query nor its user information.
    public let url: RequestURL
    /// The end of its response.
    public let end: ExchangeEnd
    /// The number of the segment in which it was decided.
    public let segment: Int
  }

  /// A part of the run, from one change of the scenario to the next.
  public struct Segment: Sendable, Hashable {
    /// The number of the part, counted from 1.
    public let number: Int
    /// The name of the scenario.
    public let scenario: String
    /// The hash of the scenario and the seed. Two parts with the same hash decide the same for the
    /// same requests.
    public let hash: String
    /// The seed of its random draws.
    public let seed: UInt64
    /// The time at which it began, as an offset in the run.
    public let start: Duration
    /// The number of the last decision before it.
    fileprivate let after: Int
  }

  /// A mark that a person enters at the terminal, which states what the device shows.
  public enum Mark: String, Sendable, Hashable, CaseIterable {
    /// The device shows content.
    case shown
    /// The device shows a blank screen.
    case blank
  }

  /// The scenarios in the order in which they ran, each once.
  public private(set) var scenarios: [String] = []
  /// The parts of the run in their order, at most ``segmentsMax``. Everything after that belongs to
  /// the last part.
  public private(set) var segments: [Segment] = []
  /// The requests that the proxy could read, in the order of their ends.
  public private(set) var requests: [Request] = []
  /// The tunnels, of which the proxy observed bytes and times, in the order in which they were
  /// closed.
  public private(set) var tunnels: [TunnelEnd] = []
  /// The number of requests and tunnels that were not kept.
  public private(set) var dropped = 0
  /// The marks, each with the scenario at its time.
  public private(set) var marks: [(scenario: String, mark: Mark)] = []
  /// The addresses of the peers that were rejected.
  public private(set) var turnedAway: Set<String> = []

  /// The exchanges in the form that rules use.
  package var exchanges: [ProxiedExchange] { seen.all }

  /// The maximum number of parts.
  public static let segmentsMax = 1000

  private var lastDecision = 0
  private var seen = ProxiedExchanges()
  private let start = ContinuousClock.now

  private static let turnedAwayMax = 1000

  /// Creates an empty log.
  public init() {}

  /// Logs the beginning of a scenario, which applies from the next decision on.
  public mutating func begin(_ scenario: Scenario, seed: UInt64) {
    if !scenarios.contains(scenario.name) { scenarios.append(scenario.name) }
    guard segments.count < Self.segmentsMax else { return }
    segments.append(
      Segment(
        number: segments.count + 1,
        scenario: scenario.name,
        hash: scenario.hash(seed: seed),
        seed: seed,
        start: .microseconds((ContinuousClock.now - start).wholeMicroseconds),
        after: lastDecision
      )
    )
  }

  /// Logs an event of the proxy's deck. The ends of requests and tunnels are kept.
  public mutating func apply(_ event: ExchangeEvent) { apply(event, nil) }

  /// Logs an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - request: Its parsed request, if it was parsed before a lock was taken.
  ///   - moment: The time of the event as an offset from the log's beginning. `nil` means now.
  package mutating func apply(
    _ event: ExchangeEvent,
    _ request: ProxiedRequest? = nil,
    at moment: Duration? = nil
  ) {
    let moment = moment ?? .microseconds((ContinuousClock.now - start).wholeMicroseconds)
    let isKept = requests.count + tunnels.count < Self.entriesMax
    seen.apply(event, request ?? ProxiedRequest(of: event), at: moment, hasRoom: isKept)
    switch event {
    case .ended(let outcome, let end?):
      guard hasRoom() else { return }
      requests.append(
        Request(
          method: outcome.request.method,
          url: outcome.request.url,
          end: end,
          segment: segments.last { $0.after < outcome.id }?.number ?? 1
        )
      )
    case .tunnelEnded(let end): if hasRoom() { tunnels.append(end) }
    case .decided(let entry): lastDecision = max(lastDecision, entry.id)
    default: break
    }
  }

  private mutating func hasRoom() -> Bool {
    if requests.count + tunnels.count < Self.entriesMax { return true }
    dropped += 1
    return false
  }

  /// Logs the mark of a user.
  public mutating func note(_ mark: Mark, in scenario: String) {
    guard marks.count < Self.entriesMax else { return }
    marks.append((scenario, mark))
  }

  /// Logs a peer that was rejected.
  public mutating func turnAway(_ peer: String) {
    if turnedAway.count < Self.turnedAwayMax { turnedAway.insert(peer) }
  }
}
