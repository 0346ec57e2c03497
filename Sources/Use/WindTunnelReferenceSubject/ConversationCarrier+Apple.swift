#if canImport(Darwin)
  internal import Foundation
  internal import WindTunnelNetworkLayer

  /// The engine of all conversations of a drill's reference client: the engine of each call's
  /// session.
  struct ConversationCarrier: Sendable {
    /// Returns the engine for a call.
    func engine(session: @autoclosure () -> URLSession) -> any ConversationEngine {
      URLSessionConversationEngine(session: session())
    }
  }
#endif
