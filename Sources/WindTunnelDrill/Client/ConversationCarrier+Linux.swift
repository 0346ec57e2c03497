#if !canImport(Darwin)
  internal import WindTunnelNetworkLayer
  internal import WindTunnelNetworkLayerSockets

  /// The engine of all conversations of a drill's reference client: sessions carry none here.
  struct ConversationCarrier: Sendable {
    private let sockets = SocketConversationEngine()

    /// Returns the engine for a call.
    func engine(of call: DrillCall) -> any ConversationEngine { sockets }
  }
#endif
