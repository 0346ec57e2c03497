import TestSupport
import WindTunnelDrill
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerDebug
import WindTunnelNetworkLayerOffline
import WindTunnelNetworkLayerSockets
import WindTunnelReferenceSubject
import WindTunnelServer
import WindTunnelURLSession

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
      CallResponse(status: 200, body: Data(#"{"id":7,"name":"Ada"}"#.utf8))
    }
    #expect(try await preview.call(Endpoint(.get, "/users/7")).status == 200)
  }

  private static func client(_ deck: Deck) throws -> NetworkClient {
    let baseURL = try #require(URL(string: "https://api.example.test"))
    return NetworkClient(
      builder: RequestBuilder(baseURL: baseURL),
      transport: ReplayEngine(deck)
    )
  }

  @Test func `an upload has its progress`() async throws {
    let client = try Self.client(Deck([.post("/up") { _ in Response(status: 200) }]))
    let upload = Endpoint(.post, "/up", body: .data(Data("film".utf8)))
    final class Bar { var value = 0.0 }
    let bar = Bar()
    let progress = TransferProgress()
    async let answer = client.call(upload, progress: progress)
    for await step in progress { bar.value = step.sentFraction ?? 0 }
    #expect(try await answer.status == 200)
  }

  @Test func `a screen is shown what there is and what is new`() async throws {
    let client = try Self.client(Deck([.get("/home", json: ["page": 1])]))
    let home = Endpoint(.get, "/home")
    var shown: [Bool] = []
    func show(_ answer: WindTunnelNetworkLayer.CallResponse, isOld: Bool) { shown.append(isOld) }
    for try await answer in client.updates(of: home) { show(answer, isOld: answer.isStale) }
    #expect(shown == [false])
  }

  @Test func `all requests have a user's id`() async throws {
    struct Session { var userID = "7" }
    let session = Session()
    let base = BaseParameters(in: .query) { [Headers.Field("uid", session.userID)] }
    let request = URLRequest(url: try #require(URL(string: "https://api.example.test/a?b=1")))
    #expect(try await base.outgoing(request).url?.query == "b=1&uid=7")
  }

  @Test func `a download is suspended`() async throws {
    let client = try Self.client(Deck([.get("/film") { _ in Response(status: 200) }]))
    let film = Endpoint(.get, "/film")
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    // It is there only if the download was quicker than its suspension.
    defer { try? FileManager.default.removeItem(at: file) }
    let pause = CallPause()
    let saving = Task { try await client.download(film, to: file, pausedBy: pause) }
    pause.suspend()
    pause.resume()
    #expect(try await saving.value.status == 200)
  }

  @Test func `a client asks by a session`() async throws {
    let baseURL = try #require(URL(string: "https://api.example.test"))
    let deck = Deck([.get("/users/{id}", json: ["id": 7, "name": "Ada"])])
    let session = URLSession(configuration: .windTunnel(deck))
    let client = NetworkClient(baseURL: baseURL, session: session)
    let answer = try await client.call(Endpoint(.get, "/users/7"))
    #expect(answer.status == 200)
    let hook = FaultHook(URLSessionTransport(session: session), faults: .offline)
    hook.faults = .calm
    #expect(hook.faults == .calm)
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
    let isKnown = environments.change(to: "test")
    #expect(isKnown && environments.environment == "test")
    _ = client
  }

  @Test func `an app starts with what it has`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Nobody misses what stays behind in the system's temporary directory.
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = try #require(URL(string: "https://config.example.test/v1"))
    let publicKey = Data(count: 32)
    let session = URLSession(configuration: .windTunnel(Deck([Stub]())))
    let bootstrap = Bootstrap(
      builtIn: ConfigurationLayer(baseURL: "https://api.example.test"),
      fetching: .init(url: source, publicKeys: [publicKey]),
      keptIn: folder.appending(path: "configuration"),
      keysAt: try FileKeyPlace(directory: folder)
    )
    let startup = try await bootstrap.launch(by: URLSessionTransport(session: session))
    #expect(startup.record.source == .builtIn)
  }

  @Test func `telemetry waits in an outbox`() async throws {
    let client = try Self.client(Deck([.post("/telemetry") { _ in Response(status: 201) }]))
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    // Nobody misses what stays behind in the system's temporary directory.
    defer { try? FileManager.default.removeItem(at: folder) }
    let telemetry = OutboxEndpoint(Endpoint(.post, "/telemetry"), waitsFor: .unrestricted)
    let outbox = try Outbox(at: folder, endpoints: [telemetry])
    try await outbox.enqueue(Data(#"{"screen":"home"}"#.utf8), to: telemetry)
    await outbox.send(by: client, until: .empty)
    #expect(outbox.count == 0)
  }

  @Test func `a client holds a conversation`() async throws {
    var tape = Interaction(Request("GET", "/prices"), Response(status: 101))
    tape.messages = [
      WebSocketMessage(
        from: .client,
        Body(#"{"subscribe":"EURUSD"}"#),
        isText: true,
        offset: .zero
      ),
      WebSocketMessage(from: .server, Body("1.08"), isText: true, offset: .zero),
      WebSocketMessage(from: .server, closing: 1000, offset: .zero),
    ]
    let server = try await ReplayServer(Deck(Cassette([tape])))
    let client = NetworkClient(
      baseURL: try #require(URL(string: server.url)),
      session: URLSession(configuration: .ephemeral)
    )
    let (shown, showing) = AsyncStream.makeStream(of: ConversationMessage.self)
    try await Self.converse(client) { showing.yield($0) }
    for await message in shown {
      #expect(message == .text("1.08"))
      break
    }
    await server.stop()
  }

  @Test func `a transport on sockets is a client's, and one of several engines`() async throws {
    let server = try await ReplayServer(Deck([.get("/a") { _ in .text(Body("1")) }]))
    let baseURL = try #require(URL(string: server.url))
    let (session, installID) = (URLSession(configuration: .ephemeral), "1")
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: baseURL),
      transport: SocketTransport()
    )
    #expect(try await client.call(Endpoint(.get, "/a")).body == Data("1".utf8))
    let transport = try EngineShares(
      ["urlsession": URLSessionTransport(session: session), "sockets": SocketTransport()],
      shares: ["urlsession": 95, "sockets": 5],
      of: installID
    )
    #expect(["urlsession", "sockets"].contains(transport.engine()))
    await server.stop()
  }

  private static func program() async {
    await DrillMain(subject: .reference).run()
  }

  private static func converse(
    _ client: NetworkClient,
    _ show: @escaping @Sendable (ConversationMessage) -> Void
  ) async throws {
    let engine = SocketConversationEngine()
    try await client.conversation(with: Endpoint(.get, "/prices"), over: engine) { prices in
      try await prices.send(.text(#"{"subscribe":"EURUSD"}"#), .onEachConnection)
      for try await message in prices { show(message) }
    }
  }
}
