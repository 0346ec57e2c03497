#if canImport(Network)
  internal import Dispatch
  internal import Network

  /// The state of the device's network, as the system reports it.
  public struct SystemReachability: Reachability {
    /// Makes a source that observes the system for as long as its states are iterated.
    public init() {}

    /// The current state and each change of it.
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
