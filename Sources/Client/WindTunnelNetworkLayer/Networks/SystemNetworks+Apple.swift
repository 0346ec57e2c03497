#if canImport(Network)
  internal import Dispatch
  internal import Network

  /// The status of the device's network, as the system reports it (`NWPathMonitor`).
  public struct SystemNetworks: Networks {
    private let relay = ScriptedNetworks()
    private let monitor: PathMonitor

    /// Creates a source that observes the system as long as a copy of it exists.
    public init() { monitor = PathMonitor(relay) }

    /// The status that the system reported last.
    public var status: NetworkStatus { relay.status }

    /// The current status and each change of it.
    public var changes: AsyncStream<NetworkStatus> { relay.changes(keeping: monitor) }
  }

  /// A path monitor that is cancelled together with this value.
  private final class PathMonitor: Sendable {
    private let monitor = NWPathMonitor()

    init(_ relay: ScriptedNetworks) {
      monitor.pathUpdateHandler = { path in
        var costs: NetworkCosts = []
        if path.isExpensive { costs.insert(.expensive) }
        if path.isConstrained { costs.insert(.constrained) }
        relay.change(to: path.status == .satisfied ? .online(costs) : .offline)
      }
      monitor.start(queue: DispatchQueue(label: "NetworkLayer.networks"))
    }

    deinit { monitor.cancel() }
  }
#endif
