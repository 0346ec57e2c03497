public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The decision about an attempt: its lane, its key, its ordinal and its faults.
///
/// A report has millions of decisions. Decisions about the same request share their scenario and
/// key in memory, and equal faults exist once.
public struct AttemptDecision: Sendable, Hashable {
  /// The parts that all decisions about a request have in common.
  private struct RequestKey: Sendable, Hashable {
    var scenario: String
    var key: String
  }

  private static let places = Distinct<RequestKey, Boxed<RequestKey>> { Boxed($0) }
  private static let decided = Distinct<[Fault], StoredFaults> { StoredFaults($0) }
  private static let read = Distinct<String, StoredFaults> { StoredFaults(text: $0) }

  private var place: Boxed<RequestKey>
  /// The number of the call, or -1 if the lane is not a call's.
  private let shortCall: Int32
  /// The ordinal, or -1 if the decision is an unknown line.
  private let shortOrdinal: Int32
  /// The faults, or `nil` if there are none.
  private let storedFaults: StoredFaults?

  private init(
    _ lane: Substring,
    _ key: Substring,
    _ ordinal: Int32,
    _ storedFaults: StoredFaults?
  ) {
    let slash = lane.utf8.lastIndex(of: UInt8(ascii: "/"))
    let call = slash.flatMap { lane[lane.utf8.index(after: $0)...].plainNumber }
    let scenario = call == nil ? lane : lane[..<(slash ?? lane.endIndex)]
    place = Self.places(RequestKey(scenario: String(scenario), key: String(key)))
    (shortCall, shortOrdinal, self.storedFaults) = (call ?? -1, ordinal, storedFaults)
  }

  private init(unknown line: String) { self.init("", "", -1, StoredFaults(text: line)) }

  /// Creates the decision of a deck.
  public init(_ decision: FaultDecision) {
    guard let ordinal = Int32(exactly: decision.ordinal), ordinal >= 0 else {
      self.init(unknown: decision.line)
      return
    }
    let storedFaults = decision.faults.isEmpty ? nil : Self.decided(decision.faults)
    self.init(decision.lane.name[...], decision.key[...], ordinal, storedFaults)
  }

  /// Parses a line with tabs between its four fields (`FaultDecision.line`). Any other text is kept
  /// unchanged.
  public init(line: String) {
    let fields = line.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    guard fields.count == 4, let ordinal = fields[2].plainNumber else {
      self.init(unknown: line)
      return
    }
    let storedFaults = fields[3] == "[]" ? nil : Self.read(String(fields[3]))
    self.init(fields[0], fields[1], ordinal, storedFaults)
  }

  /// The line with tabs between its four fields (`FaultDecision.line`).
  public var line: String {
    if shortOrdinal < 0 { return faultsText }
    let lane = shortCall < 0 ? scenario : "\(scenario)/\(shortCall)"
    return "\(lane)\t\(key)\t\(shortOrdinal)\t\(faultsText)"
  }

  /// The key of the request; empty if the decision is an unknown line.
  public var key: String {
    get { place.value.key }
    set { place = Self.places(RequestKey(scenario: scenario, key: newValue)) }
  }

  /// The ordinal of the request in its key and lane, counted from 1. `nil` if the decision is an
  /// unknown line.
  public var ordinal: Int? { shortOrdinal < 0 ? nil : Int(shortOrdinal) }

  /// The faults, in order, without unknown faults of another version.
  public var faults: [Fault] { storedFaults?.parsed.faults ?? [] }

  /// The name of the scenario, or of the lane if that is not a call's.
  package var scenario: String { place.value.scenario }

  /// The number of the call; `nil` if the lane is not a call's.
  package var call: Int? { shortCall < 0 ? nil : Int(shortCall) }

  /// Whether the attempt met no fault.
  @inline(__always) package var metNothing: Bool { storedFaults == nil }

  /// The faults as JSON, which are the end of the line.
  package var faultsText: String { storedFaults?.text ?? "[]" }

  /// The faults as JSON objects, or `nil` if the decision is an unknown line.
  package var faultObjects: [JSON]? { storedFaults.map(\.objects) ?? [] }

  /// The names of the faults, in order. A status includes its number.
  package var faultNames: [String] { storedFaults?.parsed.names ?? [] }
}

/// The faults of a decision, equal if they have the same text.
private final class StoredFaults: Sendable, Hashable {
  struct Parsed: Sendable {
    var faults: [Fault]
    var names: [String]
  }

  /// The faults as JSON, or an unknown line.
  let text: String
  /// The faults as values; `nil` until they are first read.
  private let known = Locked<Parsed?>(nil)

  init(_ faults: [Fault]) {
    let objects = faults.map(\.json)
    text = "\(JSON.array(objects))"
    known.withLock { $0 = Parsed(faults: faults, names: Self.names(of: objects)) }
  }

  init(text: String) { self.text = text }

  /// The faults as JSON objects, or `nil` if the text is an unknown line.
  var objects: [JSON]? {
    // A text that is not JSON names no fault.
    guard let json = try? JSON(parsing: text.utf8, source: ""), case .array(let all) = json
    else { return nil }
    return all
  }

  var parsed: Parsed {
    known.withLock { known in
      if let known { return known }
      let objects = objects ?? []
      let parsed = Parsed(
        // An unknown fault of another version is kept only in the text.
        faults: objects.compactMap { try? Fault(reading: ObjectReader($0, source: "", path: "")) },
        names: Self.names(of: objects)
      )
      known = parsed
      return parsed
    }
  }

  private static func names(of objects: [JSON]) -> [String] {
    objects.compactMap(Observation.Attempt.name)
  }

  static func == (one: StoredFaults, other: StoredFaults) -> Bool {
    one === other || one.text == other.text
  }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }
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
