#if !canImport(Darwin)
  internal import WindTunnelNetworkLayer
  internal import WindTunnelNetworkLayerSockets

  /// The engine of all conversations of a drill's reference client, because sessions support none
  /// here.
  struct ConversationCarrier: Sendable {
    private let sockets = SocketConversationEngine()

    /// Returns the engine for a call, whose session is not used.
    func engine(session: @autoclosure () -> URLSession) -> any ConversationEngine { sockets }
  }
#endif
