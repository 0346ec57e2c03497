/// The fault sets that a search has flown, by request and layer.
public struct FaultSetCoverage: Sendable, Hashable {
  /// A request and the faults of one layer that it met, or was to meet.
  public struct Row: Sendable, Hashable {
    /// The request, such as `GET /home`; `nil`: whatever the host was asked for.
    public var request: String?
    /// The layer of the faults.
    public var layer: FaultKind.Layer
    /// The number of kinds of fault, each of which may stand for others.
    public var kinds: Int
    /// The number of fault sets with one of them at that request.
    public var faultSets: Int
  }

  private struct Place: Hashable {
    var request: String?
    var layer: FaultKind.Layer
  }

  private var kinds: [Place: Set<String>] = [:]
  private var faultSets: [Place: Int] = [:]
  /// The number of fault sets in which the user left, or the process ended.
  public private(set) var interruptions = 0

  private static let layers = Dictionary(
    FaultKind.all.map { ($0.name, $0.layer) },
    uniquingKeysWith: { first, _ in first }
  )

  /// Counts a fault set of these things.
  mutating func add(_ elements: [FaultSetElement]) {
    var places: Set<Place> = []
    for element in elements {
      switch element {
      case .interruption: interruptions += 1
      case .fault(let fault):
        let layer = Self.layers[fault.kind] ?? .http
        let place = Place(request: fault.key, layer: layer)
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
