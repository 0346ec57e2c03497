/// The fault sets that a search ran, by request and layer.
public struct FaultSetCoverage: Sendable, Hashable {
  /// A request and the faults of one layer that were selected for it.
  public struct Row: Sendable, Hashable {
    /// The request, such as `GET /home`. `nil` means every request to the host.
    public var request: String?
    /// The layer of the faults.
    public var layer: FaultKind.Layer
    /// The number of kinds of faults, each of which may represent others.
    public var kinds: Int
    /// The number of fault sets with any of these kinds at that request.
    public var faultSets: Int
  }

  private struct FaultSite: Hashable {
    var request: String?
    var layer: FaultKind.Layer
  }

  private var kinds: [FaultSite: Set<String>] = [:]
  private var faultSets: [FaultSite: Int] = [:]
  /// The number of fault sets in which the user left, or the process ended.
  public private(set) var interruptions = 0

  private static let layers = Dictionary(
    FaultKind.all.map { ($0.name, $0.layer) },
    uniquingKeysWith: { first, _ in first }
  )

  /// Counts a fault set with these elements.
  mutating func add(_ elements: [FaultSetElement]) {
    var places: Set<FaultSite> = []
    for element in elements {
      switch element {
      case .interruption: interruptions += 1
      case .fault(let fault):
        let layer = Self.layers[fault.kind] ?? .http
        let place = FaultSite(request: fault.key, layer: layer)
        kinds[place, default: []].insert(fault.kind)
        if places.insert(place).inserted { faultSets[place, default: 0] += 1 }
      }
    }
  }

  /// The rows, by request and then by layer.
  public var rows: [Row] {
    faultSets.map {
      Row(
        request: $0.key.request,
        layer: $0.key.layer,
        kinds: kinds[$0.key]?.count ?? 0,
        faultSets: $0.value
      )
    }
    .sorted { one, other in
      let layers = FaultKind.Layer.allCases
      return (one.request ?? "", layers.firstIndex(of: one.layer) ?? 0)
        < (other.request ?? "", layers.firstIndex(of: other.layer) ?? 0)
    }
  }
}
