#if !canImport(Darwin)
  internal import FoundationNetworking
  internal import WindTunnelNetworkLayer
  internal import WindTunnelNetworkLayerSockets

  /// The engine of all conversations of a drill's reference client: sessions carry none here.
  struct ConversationCarrier: Sendable {
    private let sockets = SocketConversationEngine()

    /// Returns the engine for a call, whose session is not asked for.
    func engine(session: @autoclosure () -> URLSession) -> any ConversationEngine { sockets }
  }
#endif
