public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelHTTP

/// The decision about an attempt: its lane, its key, its ordinal and its faults.
///
/// A report has millions of decisions. Decisions about the same request share their scenario and
/// key in memory, and equal faults exist once.
public struct AttemptDecision: Sendable, Hashable {
  /// The parts that all decisions about a request have in common.
  private struct Place: Sendable, Hashable {
    var scenario: String
    var key: String
  }

  fileprivate enum Faults: Sendable, Hashable {
    case known([Fault])
    /// The text of faults that another version has written, or of a line without four fields.
    case unknown(String)
  }

  private static let places = Distinct<Place, Boxed<Place>> { Boxed($0) }
  private static let faults = Distinct<Faults, Boxed<Faults>> { Boxed($0) }
  private static let texts = Distinct<String, Boxed<Faults>> { text in
    Self.faults(read(text).map { .known($0) } ?? .unknown(text))
  }
  private static let names = Distinct<Faults, [String]> { faults in
    (faults.objects ?? []).compactMap(Observation.Attempt.name)
  }

  private var place: Boxed<Place>
  /// The number of the call, or -1 if the lane is not a call's.
  private let shortCall: Int32
  /// The ordinal, or -1 if the decision is an unknown line.
  private let shortOrdinal: Int32
  /// The faults, or `nil` if there are none.
  private let storedFaults: Boxed<Faults>?

  private init(
    _ lane: Substring,
    _ key: Substring,
    _ ordinal: Int32,
    _ storedFaults: Boxed<Faults>?
  ) {
    let slash = lane.utf8.lastIndex(of: UInt8(ascii: "/"))
    let call = slash.flatMap { lane[lane.utf8.index(after: $0)...].plainNumber }
    let scenario = call == nil ? lane : lane[..<(slash ?? lane.endIndex)]
    place = Self.places(Place(scenario: String(scenario), key: String(key)))
    (shortCall, shortOrdinal, self.storedFaults) = (call ?? -1, ordinal, storedFaults)
  }

  private init(unknown line: String) { self.init("", "", -1, Boxed(.unknown(line))) }

  /// Creates the decision that a deck has made.
  public init(_ decision: FaultDecision) {
    guard let ordinal = Int32(exactly: decision.ordinal), ordinal >= 0 else {
      self.init(unknown: decision.line)
      return
    }
    let storedFaults = decision.faults.isEmpty ? nil : Self.faults(.known(decision.faults))
    self.init(decision.lane.name[...], decision.key[...], ordinal, storedFaults)
  }

  /// Reads a line with tabs between its four fields (``FaultDecision/line``). Any other text is
  /// kept as it is.
  public init(line: String) {
    let fields = line.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    guard fields.count == 4, let ordinal = fields[2].plainNumber else {
      self.init(unknown: line)
      return
    }
    let storedFaults = fields[3] == "[]" ? nil : Self.texts(String(fields[3]))
    self.init(fields[0], fields[1], ordinal, storedFaults)
  }

  /// The line with tabs between its four fields (``FaultDecision/line``).
  public var line: String {
    if shortOrdinal < 0 { return faultsText }
    let lane = shortCall < 0 ? scenario : "\(scenario)/\(shortCall)"
    return "\(lane)\t\(key)\t\(shortOrdinal)\t\(faultsText)"
  }

  /// The key of the request; empty if the decision is an unknown line.
  public var key: String {
    get { place.value.key }
    set { place = Self.places(Place(scenario: scenario, key: newValue)) }
  }

  /// The ordinal of the request in its key and lane, from 1; `nil` if the decision is an unknown
  /// line.
  public var ordinal: Int? { shortOrdinal < 0 ? nil : Int(shortOrdinal) }

  /// The faults, in order, without those that another version has written.
  public var faults: [Fault] {
    if case .known(let faults)? = storedFaults?.value { faults } else { [] }
  }

  /// The name of the scenario, or that of a lane which is not a call's.
  package var scenario: String { place.value.scenario }

  /// The number of the call; `nil` if the lane is not a call's.
  package var call: Int? { shortCall < 0 ? nil : Int(shortCall) }

  /// Whether the attempt met no fault.
  @inline(__always) package var metNothing: Bool { storedFaults == nil }

  /// The faults as JSON, which are the end of the line.
  package var faultsText: String { storedFaults?.value.text ?? "[]" }

  /// The faults as JSON objects; `nil` if the decision is an unknown line.
  package var faultObjects: [JSON]? { storedFaults.map { $0.value.objects } ?? [] }

  /// The names of the faults, in order; a status has its number with it.
  package var faultNames: [String] { storedFaults.map { Self.names($0.value) } ?? [] }
}

extension AttemptDecision.Faults {
  fileprivate var text: String {
    switch self {
    case .known(let faults): "\(JSON.array(faults.map(\.json)))"
    case .unknown(let text): text
    }
  }

  fileprivate var objects: [JSON]? {
    switch self {
    case .known(let faults): return faults.map(\.json)
    case .unknown(let text):
      // A text that is not JSON names no fault.
      guard let json = try? JSON(parsing: text.utf8, source: ""), case .array(let all) = json
      else { return nil }
      return all
    }
  }
}

extension AttemptDecision {
  /// Reads faults; returns `nil` if the text is not exactly what this version writes.
  private static func read(_ text: String) -> [Fault]? {
    // A text that does not parse is kept as it is.
    guard let objects = Faults.unknown(text).objects,
      // So are faults of another version.
      let faults = try? objects.map({ try Fault(reading: ObjectReader($0, source: "", path: "")) }),
      Faults.known(faults).text == text
    else { return nil }
    return faults
  }
}

extension Substring {
  /// The number whose digits the text consists of, without a sign and leading zeros.
  fileprivate var plainNumber: Int32? {
    guard let first = utf8.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= first,
      first != UInt8(ascii: "0") || utf8.count == 1
    else { return nil }
    return Int32(self)
  }
}
