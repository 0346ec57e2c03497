#if canImport(Network)
  internal import Dispatch
  internal import Network

  /// The state of the device's network, as the system sees it.
  public struct SystemReachability: Reachability {
    /// Asks the system as long as somebody listens.
    public init() {}

    /// The state now and each change of it.
    public var states: AsyncStream<ReachabilityState> {
      AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
        let monitor = NWPathMonitor()
        monitor.pathUpdateHandler = { path in
          let isDear = path.isExpensive || path.isConstrained
          listener.yield(path.status == .satisfied ? (isDear ? .constrained : .online) : .offline)
        }
        listener.onTermination = { _ in monitor.cancel() }
        monitor.start(queue: DispatchQueue(label: "NetworkLayer.reachability"))
      }
    }
  }
#endif
