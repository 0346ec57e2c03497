#if !canImport(Darwin)
  public import FoundationNetworking
  internal import WindTunnelSymptoms

  /// The engine of a `URLSession`, which carries no conversations on this platform: the libcurl
  /// that it stands on has no WebSockets, or hands over each read as a message
  /// (swift-corelibs-foundation #5255).
  public struct URLSessionConversationEngine: ConversationEngine {
    /// Makes an engine of a session, which opens nothing.
    public init(session: URLSession, messageBytesMax: Int = 64 << 20) {}

    /// Fails, and says what to use in its place.
    public func open(_ request: URLRequest) async throws(TransportError) -> ConversationOpening {
      throw .failed(
        .unsupportedURL,
        text: "URLSession carries no WebSocket on this platform; use SocketConversationEngine of "
          + "the module WindTunnelNetworkLayerSockets."
      )
    }
  }
#endif
