#if canImport(Darwin)
  internal import WindTunnelNetworkLayer

  /// The engine of all conversations of a drill's reference client: that of each call's session.
  struct ConversationCarrier: Sendable {
    /// Returns the engine for a call.
    func engine(of call: DrillCall) -> any ConversationEngine {
      URLSessionConversationEngine(session: call.session)
    }
  }
#endif
