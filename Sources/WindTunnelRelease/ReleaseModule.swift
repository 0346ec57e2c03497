/// A module of this package, as its mark in a program says.
package enum ReleaseModule: Sendable, Hashable, Comparable {
  /// A module by its name.
  case known(String)
  /// A number that only a later version of the tool has a name for.
  case later(UInt64)

  /// The modules, at the place of their number less one. A number is never given again.
  package static let names = [
    "WindTunnel", "WindTunnelCassettes", "WindTunnelCommandLine", "WindTunnelComparison",
    "WindTunnelCore", "WindTunnelDrill", "WindTunnelDrillTesting", "WindTunnelFindings",
    "WindTunnelHTTP", "WindTunnelImports", "WindTunnelLink", "WindTunnelNetworkLayer",
    "WindTunnelNetworkLayerDebug", "WindTunnelNetworkLayerSockets", "WindTunnelRedaction",
    "WindTunnelReports", "WindTunnelSearch", "WindTunnelSearchTesting", "WindTunnelServer",
    "WindTunnelSymptoms", "WindTunnelTesting", "WindTunnelURLSession", "WindTunnelVirtualTime",
    "WindTunnelVirtualTimeTesting", "WindTunnelRelease", "CWindTunnelClock", "CWindTunnelFiles",
    "CWindTunnelSystem", "WindTunnelRemote", "CWindTunnelConsole",
    "WindTunnelNetworkLayerConsole",
  ]

  /// The modules that an app may ship: those of the product `NetworkLayer`, and what is between
  /// them and the modules that must not be there.
  package static let shipped: Set = [
    "CWindTunnelSystem", "WindTunnelNetworkLayer", "WindTunnelNetworkLayerSockets",
    "WindTunnelSymptoms",
  ]

  init(number: UInt64) {
    guard number > 0, number <= Self.names.count else {
      self = .later(number)
      return
    }
    self = .known(Self.names[Int(number) - 1])
  }

  /// The name, or the number where there is none.
  package var name: String {
    switch self {
    case .known(let name): name
    case .later(let number): "module \(number)"
    }
  }

  /// Tells whether a release may hold it.
  package var isShipped: Bool {
    switch self {
    case .known(let name): Self.shipped.contains(name)
    case .later: false
    }
  }

  /// The reason why a release must not hold it.
  package var reason: String {
    switch self {
    case .known("WindTunnelNetworkLayerDebug"): "the debug product"
    case .known("WindTunnelNetworkLayerConsole"): "the debug product's page"
    case .known: "a part of the harness"
    case .later: "a module of a later version"
    }
  }
}

extension ReleaseModule {
  /// The two numbers that each mark begins with, which are read from a text: as numbers they would
  /// stand in the tool itself, and look like a mark that is none.
  private static let signs = ["F1D38A6C57E294B0", "9C0EB7A52D41F863"].compactMap {
    UInt64($0, radix: 16)
  }

  /// Returns the modules whose marks stand in the bytes of a program, by name.
  ///
  /// All of its bytes are looked at, and not the section alone: a program whose section table was
  /// taken away has the marks still.
  static func all(in program: ByteWindow) -> [ReleaseModule] {
    var found: Set<ReleaseModule> = []
    for order in [ByteWindow.Order.little, .big] {
      let bytes = signs.flatMap { sign in
        withUnsafeBytes(of: order == .little ? sign.littleEndian : sign.bigEndian, Array.init)
      }
      for place in program.places(of: bytes) {
        if let number = program.number(UInt64.self, at: place + bytes.count, order) {
          found.insert(ReleaseModule(number: number))
        }
      }
    }
    return found.sorted()
  }

  package static func < (one: ReleaseModule, other: ReleaseModule) -> Bool {
    one.name < other.name
  }
}
