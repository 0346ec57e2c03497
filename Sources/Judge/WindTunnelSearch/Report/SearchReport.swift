/// The result of a search: the fault sets that ran, the skipped ones, and the finds.
public struct SearchReport: Sendable {
  /// A kind of fault that no flow runs with.
  public struct NotCarried: Sendable, Hashable {
    /// The kind's name in the catalogue.
    public var kind: String
    /// The reason, in a sentence.
    public var reason: String

    init(_ kind: String, _ reason: String) { (self.kind, self.reason) = (kind, reason) }
  }

  /// A kind of fault that represents others with the same effect on a client.
  public struct Equals: Sendable, Hashable {
    /// The request that meets them.
    public var request: String
    /// The kind that ran.
    public var kind: String
    /// The kinds that it represents.
    public var others: [String]
  }

  /// The name of the flow.
  public var flow: String
  /// The seed of all random draws.
  public var seed: UInt64
  /// The requests of the flow without faults, with their times.
  public internal(set) var calm: [String] = []
  /// The number of elements up to which every fault set ran.
  public internal(set) var depth = 0
  /// The numbers of fault sets with one element, with two, and so on.
  public internal(set) var faultSets: [Int] = []
  /// The fault sets by the requests and layers of their faults.
  public internal(set) var coverage = FaultSetCoverage()
  /// The number of runs in a drawn task order.
  public internal(set) var orders = 0
  /// The number of fault sets in which an element had no effect, so that they equal smaller ones.
  public internal(set) var withoutEffect = 0
  /// The number of single faults with the same effect on the client as another fault. The other
  /// fault represents them in larger fault sets.
  public internal(set) var alike = 0
  /// Whether the budget was used up before all fault sets of a depth ran.
  public internal(set) var isCutShort = false
  /// Whether two runs without faults were the same to the microsecond.
  public internal(set) var isRepeatable = true
  /// Whether results could be compared with the result without faults.
  public internal(set) var comparesResults = true
  /// The kinds that no flow ran with.
  public internal(set) var notCarried: [NotCarried] = []
  /// The fault sets in which the client had no virtual time, each as text with the reason.
  public internal(set) var notVirtual: [NotCarried] = []
  /// The kinds that represent others, by request.
  public internal(set) var equals: [Equals] = []
  /// The finds, in the order in which they were found.
  public internal(set) var finds: [Find] = []
  /// The real time that the search took.
  public internal(set) var time = Duration.zero

  init(flow: String, seed: UInt64) { (self.flow, self.seed) = (flow, seed) }

  /// The number of fault sets that ran.
  public var runs: Int { faultSets.reduce(0, +) }

  mutating func count(_ elements: [FaultSetElement]) {
    while faultSets.count < elements.count { faultSets.append(0) }
    faultSets[elements.count - 1] += 1
    coverage.add(elements)
  }
}
