import Foundation
import Testing
import WindTunnel
import WindTunnelDrill
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerDebug
import WindTunnelURLSession

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The examples of the layer's doc comments; a tidy test holds each against its comment.

@Suite struct DocExamples {
  struct Item: Decodable {
    var name: String
    @Fallback<EmptyText> var note: String
  }

  @Test func `a field has its default`() throws {
    let item = try JSONDecoder().decode(Item.self, from: Data(#"{"name":"a"}"#.utf8))
    #expect(item.note.isEmpty)
  }

  @Test func `a client is answered by a deck`() async throws {
    let baseURL = try #require(URL(string: "https://api.example.test"))
    let deck = Deck([.get("/users/{id}", json: ["id": 7, "name": "Ada"])])
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: baseURL),
      transport: ReplayEngine(deck)
    )
    let endpoint = Endpoint(
      .get,
      "/users/7",
      template: "/users/{id}",
      priority: .critical,
      rules: .json(requiring: "id")
    )
    #expect(try await client.call(endpoint).status == 200)
  }

  @Test func `a client is answered by a closure`() async throws {
    let preview = ClosureClient { _ throws(NetworkError) in
      Answer(status: 200, body: Data(#"{"id":7,"name":"Ada"}"#.utf8))
    }
    #expect(try await preview.call(Endpoint(.get, "/users/7")).status == 200)
  }

  @Test func `a client asks by a session`() async throws {
    let baseURL = try #require(URL(string: "https://api.example.test"))
    let deck = Deck([.get("/users/{id}", json: ["id": 7, "name": "Ada"])])
    let session = URLSession(configuration: .windTunnel(deck))
    let client = NetworkClient(baseURL: baseURL, session: session)
    let answer = try await client.call(Endpoint(.get, "/users/7"))
    #expect(answer.status == 200)
    let hook = WeatherHook(URLSessionTransport(session: session), weather: .offline)
    hook.weather = .calm
    #expect(hook.weather == .calm)
  }

  @Test func `an app changes its environment`() throws {
    let production = try #require(URL(string: "https://api.example.test"))
    let test = try #require(URL(string: "https://test.example.test"))
    let session = URLSession(configuration: .ephemeral)
    let environments = EnvironmentSwitch(from: production, to: ["test": test])
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: production),
      middleware: [environments],
      transport: URLSessionTransport(session: session)
    )
    let isKnown = environments.fly(to: "test")
    #expect(isKnown && environments.environment == "test")
    _ = client
  }
}
