#if !canImport(Darwin)
  internal import WindTunnelNetworkLayer
  internal import WindTunnelSymptoms

  /// A carrier with a background `URLSession`, which does not exist on this platform.
  ///
  /// No system process continues transfers without the app, and
  /// `URLSessionConfiguration.background(withIdentifier:)` is unavailable.
  public struct BackgroundSession: TransferCarrier {

    private struct WeakListener {
      weak var listener: (any TransferListener)?
    }

    private let held = Locked(WeakListener())

    /// Creates a carrier that starts no transfers.
    public init(identifier: String) {}

    /// The name of the carrier's type.
    public var name: String { "BackgroundSession" }

    /// Sets the listener of its transfers.
    public func connect(_ listener: any TransferListener) {
      held.withLock { $0.listener = listener }
    }

    /// Ends the transfer immediately with an error that names the carrier to use instead.
    public func start(_ order: TransferOrder) {
      let text =
        "URLSession has no background sessions on this platform; use InProcessCarrier. Its "
        + "transfers start again in the next process."
      let listener = held.withLock { $0.listener }
      listener?.ended(order.id, .failure(.failed(.unsupportedURL, text: text)))
    }

    /// Does nothing, because there are no transfers.
    public func cancel(_ id: String) {}

    /// Returns no ids, because there are no transfers.
    public func transfersInProgress() async -> Set<String> { [] }
  }
#endif
