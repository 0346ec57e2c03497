/// The result of a search: what was flown, what was not, and what was found.
public struct SearchReport: Sendable {
  /// A kind of fault that no flow was flown with.
  public struct NotCarried: Sendable, Hashable {
    /// The kind's name in the catalogue.
    public var kind: String
    /// The reason in a sentence.
    public var reason: String

    init(_ kind: String, _ reason: String) { (self.kind, self.reason) = (kind, reason) }
  }

  /// A kind of fault that stands for others, of which a client is handed the same.
  public struct Equals: Sendable, Hashable {
    /// The request that meets them.
    public var request: String
    /// The kind that was flown.
    public var kind: String
    /// The kinds that it stands for.
    public var others: [String]
  }

  /// The name of the flow.
  public var flow: String
  /// The seed of all draws.
  public var seed: UInt64
  /// The requests of the flow in calm, with their times.
  public internal(set) var calm: [String] = []
  /// The number of things that go wrong at once up to which every fault set was flown.
  public internal(set) var depth = 0
  /// The number of fault sets by the number of things that go wrong in them, from 1.
  public internal(set) var faultSets: [Int] = []
  /// The fault sets by the requests and layers of their faults.
  public internal(set) var coverage = FaultSetCoverage()
  /// The number of flights in a drawn order of turns.
  public internal(set) var orders = 0
  /// The number of fault sets of which a part met nothing, so that they were smaller ones.
  public internal(set) var withoutEffect = 0
  /// The number of single things that the client took as it took another, so that the other stands
  /// for it in fault sets of several.
  public internal(set) var alike = 0
  /// Tells whether the budget was used up before all fault sets of a depth were flown.
  public internal(set) var isCutShort = false
  /// Tells whether two flights in calm were the same to the microsecond.
  public internal(set) var isRepeatable = true
  /// Tells whether results could be compared with that of calm.
  public internal(set) var comparesResults = true
  /// The kinds that no flow was flown with.
  public internal(set) var notCarried: [NotCarried] = []
  /// The fault sets in which the client had no virtual time, each in words, with the reason.
  public internal(set) var notVirtual: [NotCarried] = []
  /// The kinds that stand for others, by request.
  public internal(set) var equals: [Equals] = []
  /// The finds, in the order in which they were found.
  public internal(set) var finds: [Find] = []
  /// The machine's time that it took.
  public internal(set) var time = Duration.zero

  init(flow: String, seed: UInt64) { (self.flow, self.seed) = (flow, seed) }

  /// The number of fault sets that were flown.
  public var runs: Int { faultSets.reduce(0, +) }

  mutating func count(_ elements: [FaultSetElement]) {
    while faultSets.count < elements.count { faultSets.append(0) }
    faultSets[elements.count - 1] += 1
    coverage.add(elements)
  }
}
