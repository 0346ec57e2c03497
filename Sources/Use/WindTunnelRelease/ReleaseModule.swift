/// A module of this package, identified by its mark in a program.
package struct ReleaseModule: Sendable, Hashable {
  /// The name, or the number if only a later version of the tool has a name for it.
  package let name: String

  /// The names of the modules, at the index of their number minus one. Numbers are never reused.
  package static let names = [
    "WindTunnel", "WindTunnelCassettes", "WindTunnelCommandLine", "WindTunnelComparison",
    "WindTunnelCore", "WindTunnelDrill", "WindTunnelDrillTesting", "WindTunnelFindings",
    "WindTunnelHTTP", "WindTunnelHAR", "WindTunnelLink", "WindTunnelNetworkLayer",
    "WindTunnelNetworkLayerDebug", "WindTunnelNetworkLayerSockets", "WindTunnelRedaction",
    "WindTunnelReports", "WindTunnelSearch", "WindTunnelSearchTesting", "WindTunnelServer",
    "WindTunnelSymptoms", "WindTunnelTesting", "WindTunnelURLSession", "WindTunnelVirtualTime",
    "WindTunnelVirtualTimeTesting", "WindTunnelRelease", "CWindTunnelClock", "CWindTunnelFiles",
    "CWindTunnelSystem", "WindTunnelRemote", "CWindTunnelConsole",
    "WindTunnelNetworkLayerConsole", "CWindTunnelVirtual", "WindTunnelWire",
    "WindTunnelReferenceSubject", "WindTunnelNetworkLayerOffline", "WindTunnelMutants",
  ]

  /// The modules that became parts of others. Programs of earlier versions have their marks.
  package static let retired: Set = ["WindTunnelComparison", "WindTunnelSearchTesting"]

  /// The modules that an app may ship: the client with its sockets, and the modules that they use.
  package static let shipped: Set = [
    "CWindTunnelSystem", "WindTunnelCore", "WindTunnelHTTP", "WindTunnelNetworkLayer",
    "WindTunnelNetworkLayerOffline", "WindTunnelNetworkLayerSockets", "WindTunnelSymptoms",
    "WindTunnelWire",
  ]

  init(number: UInt64) {
    let isKnown = number > 0 && number <= Self.names.count
    name = isKnown ? Self.names[Int(number) - 1] : "module \(number)"
  }

  /// Whether a release may contain the module.
  package var isShipped: Bool { Self.shipped.contains(name) }

  /// The reason why a release must not hold the module.
  package var reason: String {
    switch name {
    case "WindTunnelNetworkLayerDebug": "the debug product"
    case "WindTunnelNetworkLayerConsole": "the debug product's page"
    case _ where Self.names.contains(name): "a part of the harness"
    default: "a module of a later version"
    }
  }
  /// The two numbers at the beginning of each mark.
  ///
  /// They are parsed from a text. As integer constants they would be part of the tool itself, and
  /// look like a mark.
  private static let signs = ["F1D38A6C57E294B0", "9C0EB7A52D41F863"].compactMap {
    UInt64($0, radix: 16)
  }

  /// Returns the modules whose marks are in the bytes of a file, sorted by name.
  ///
  /// All bytes are searched, not only a section, because a program without a section table has
  /// marks too.
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
    return found.sorted { $0.name < $1.name }
  }
}
