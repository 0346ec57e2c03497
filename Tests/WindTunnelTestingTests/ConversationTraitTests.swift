import TestSupport
import WindTunnel
import WindTunnelTesting

/// Cassettes that hold a conversation, which no `URLProtocol` can play.
@Suite(.timeLimit(.minutes(5))) struct ConversationTraitTests {
  @Test(.cassette("chat")) func `they are played on the wire by themselves`() async throws {
    #expect(Deck.current.url.hasPrefix("http://127.0.0.1:"))
    // This session speaks no WebSocket, and is told so by the server.
    let text = try await URLSession.windTunnel.text("\(Deck.current.url)/chat")
    #expect(text.contains("The recording is a WebSocket"), "\(text)")
  }
}
