#if !canImport(Darwin)
  internal import WindTunnelNetworkLayer
  internal import WindTunnelSymptoms

  /// The carrier of a background `URLSession`, which carries nothing on this platform: there is no
  /// process of the system's that goes on without the app
  /// (`URLSessionConfiguration.background(withIdentifier:)` is unavailable).
  public struct BackgroundSession: TransferCarrier {

    private struct WeakListener {
      weak var listener: (any TransferListener)?
    }

    private let held = Locked(WeakListener())

    /// Makes a carrier that begins nothing.
    public init(identifier: String) {}

    /// The name of the type.
    public var name: String { "BackgroundSession" }

    /// Takes the listener of its transfers.
    public func connect(_ listener: any TransferListener) {
      held.withLock { $0.listener = listener }
    }

    /// Ends the transfer at once, and says what to use in its place.
    public func start(_ order: TransferOrder) {
      let text =
        "URLSession has no background sessions on this platform; use InProcessCarrier, whose "
        + "transfers the next process begins anew."
      let listener = held.withLock { $0.listener }
      listener?.ended(order.id, .failure(.failed(.unsupportedURL, text: text)))
    }

    /// Does nothing, since nothing is carried.
    public func cancel(_ id: String) {}

    /// Returns no ids, since nothing is carried.
    public func carried() async -> Set<String> { [] }
  }
#endif
