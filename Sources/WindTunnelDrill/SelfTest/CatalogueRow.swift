package import WindTunnel

/// One kind of trouble that is listed and looked at: a fault of a scenario, or a look-up that a name
/// server's script leads astray.
package enum CatalogueRow: Sendable, Hashable {
  case fault(FaultKind)
  case lookUp(DNSExample)

  /// All of them.
  package static let all = FaultKind.all.map { fault($0) } + DNSExample.all.map { lookUp($0) }

  /// The one of a name.
  package static func named(_ name: String) -> CatalogueRow? { all.first { $0.name == name } }

  /// The name that it has in lists.
  package var name: String {
    switch self {
    case .fault(let kind): kind.name
    case .lookUp(let example): example.faultName
    }
  }

  /// Where in the stack it happens.
  package var layer: FaultKind.Layer {
    switch self {
    case .fault(let kind): kind.layer
    case .lookUp: .dns
    }
  }

  /// What clients make of it.
  package var expected: FaultExpectation {
    switch self {
    case .fault(let kind): kind.expected
    case .lookUp(let example): example.expected
    }
  }
}
