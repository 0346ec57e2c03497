import Foundation
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerDebug
import WindTunnelNetworkLayerOffline
import WindTunnelNetworkLayerSockets

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The code of the page about the layer; a test holds the two together.

func showHome(_ client: NetworkClient, _ screen: Screen) async {
  let home = Endpoint(.get, "/home", priority: .critical)
  do {
    for try await page in client.updates(of: home) {
      await screen.show(page.body, isOld: page.isStale)
    }
  } catch {
    await screen.offer((error as? NetworkError)?.kind ?? .tell)
  }
}

func pay(_ order: Order, by client: NetworkClient) async throws -> Receipt {
  let payment = Endpoint(
    .post,
    "/payments",
    headers: ["Idempotency-Key": order.id],
    body: try .json(order),
    priority: .critical,
    limits: CallLimits(attemptTimeout: .seconds(10), deadline: .seconds(90))
  )
  return try await client.value(of: payment, by: .envelope())
}

func saveCover(of film: Int, to file: URL, by client: NetworkClient) async throws {
  let cover = Endpoint(.get, "/films/\(film)/cover", template: "/films/{id}/cover", mostRetries: 2)
  _ = try await client.download(cover, to: file)
}

func send(_ photo: URL, by client: NetworkClient, _ screen: Screen) async throws {
  let body = try RequestBody.multipart([
    .init("title", "A cat"), .init("photo", file: photo, contentType: "image/jpeg"),
  ])
  let upload = Endpoint(.post, "/photos", headers: ["Idempotency-Key": "cat-1"], body: body)
  let progress = TransferProgress()
  async let answer = client.call(upload, progress: progress)
  for await step in progress { await screen.show(step.sentFraction ?? 0) }
  _ = try await answer
}

func listen(to room: Int, by client: NetworkClient, _ screen: Screen) async throws {
  let messages = Endpoint(.get, "/rooms/\(room)/events", template: "/rooms/{id}/events")
  for try await message in client.events(of: messages) {
    await screen.show(Data(message.data.utf8), isOld: false)
  }
}

func follow(
  _ pair: String,
  by client: NetworkClient,
  over engine: any ConversationEngine,
  _ screen: Screen
) async throws {
  try await client.conversation(with: Endpoint(.get, "/prices"), over: engine) { prices in
    try await prices.send(.text(#"{"subscribe":"\#(pair)"}"#), .onEachConnection)
    for try await case .text(let price) in prices {
      await screen.show(Data(price.utf8), isOld: false)
    }
  }
}

func makeOutbox(in folder: URL) throws -> (Outbox, telemetry: OutboxEndpoint) {
  let telemetry = OutboxEndpoint(
    Endpoint(.post, "/telemetry"),
    mostCalls: 100,
    waitsFor: .unrestricted
  )
  let outbox = try Outbox(at: folder, endpoints: [telemetry], limits: .init(mostCalls: 20_000)) {
    if case .fellOut(let calls) = $0 { print("lost: \(calls.numbers) by \(calls.reason)") }
  }
  return (outbox, telemetry)
}

func note(_ screen: String, in outbox: Outbox, _ telemetry: OutboxEndpoint) async throws {
  try await outbox.enqueue(json: ["screen": screen], to: telemetry)
}

func makeTransfers(
  in folder: URL,
  by carrier: any TransferCarrier,
  _ builder: RequestBuilder
) async throws -> BackgroundTransfers {
  let transfers = try BackgroundTransfers(at: folder, by: carrier, builder: builder) {
    if case .ended(let transfer) = $0 { print(transfer.label, transfer.record.state) }
  }
  try await transfers.takeUp()
  return transfers
}

func fetchFile(of film: Int, by transfers: BackgroundTransfers) throws {
  let label = "film-\(film)"
  guard !transfers.all.contains(where: { $0.label == label }) else { return }
  try transfers.download(Endpoint(.get, "/films/\(film)/file"), label: label)
}

func collect(from transfers: BackgroundTransfers, into folder: URL) throws {
  for transfer in transfers.all where transfer.result != nil {
    let result = try transfers.take(transfer.id, to: folder.appending(path: transfer.label))
    if case .failure(let error) = result { print(transfer.label, error.kind) }
  }
}

func makePatientClient(_ baseURL: URL, session: URLSession) -> NetworkClient {
  NetworkClient(
    builder: RequestBuilder(baseURL: baseURL),
    transport: URLSessionTransport(session: session),
    networks: SystemNetworks()
  )
}

func loadFilm(_ id: Int, by client: NetworkClient) async throws -> Data {
  let film = Endpoint(
    .get,
    "/films/\(id)",
    template: "/films/{id}",
    waitsForNetwork: .inexpensive
  )
  return try await client.call(film).body
}

struct User: Decodable, Equatable {
  var id: Int
  @Fallback<EmptyText> var name: String
}

struct UserAPI {
  let client: any Calling

  func user(_ id: Int) async throws(NetworkError) -> User {
    try await client.value(
      of: Endpoint(
        .get,
        "/users/\(id)",
        template: "/users/{id}",
        priority: .critical,
        rules: .json(requiring: "data.id")
      ),
      by: .envelope()
    )
  }
}

func makeClient(
  _ configuration: NetworkConfiguration,
  session: URLSession,
  cacheFolder: URL
) throws -> NetworkClient {
  NetworkClient(
    builder: configuration.builder,
    authenticator: BearerTokens { try await fetchToken() },
    transport: URLSessionTransport(session: session),
    cache: ResponseCache(
      disk: try DiskStore(directory: cacheFolder),
      rules: .init(staleIfError: .seconds(86_400))
    ),
    observer: Observers(CallJournal(), CallCounters()),
    limits: configuration.limits,
    endpoints: configuration.endpoints,
    admission: AdmissionController(.init(caps: configuration.caps)),
    environment: configuration.environment
  )
}

func start(
  _ session: URLSession,
  publicKey: Data,
  servers: [URL],
  network: String,
  in folder: URL
) async throws -> NetworkClient {
  guard let source = URL(string: "https://config.example.test/v1") else { throw URLError(.badURL) }
  let counters = CallCounters()
  let transport = URLSessionTransport(session: session)
  let bootstrap = Bootstrap(
    builtIn: ConfigurationLayer(baseURL: "https://api.example.test"),
    facts: LaunchFacts(place: Locale.current.region?.identifier, network: network),
    fetching: .init(url: source, publicKeys: [publicKey], budget: .seconds(1)),
    keptIn: folder.appending(path: "configuration"),
    keysAt: try FileKeyPlace(directory: folder.appending(path: "keys")),
    dialTest: DialTest(
      candidates: servers,
      path: "/probe",
      expecting: Data("pong".utf8),
      remembering: DialMemory(file: folder.appending(path: "servers"))
    ),
    observer: counters
  )
  let startup = try await bootstrap.launch(by: transport)
  let client = NetworkClient(
    builder: startup.configuration.builder,
    transport: transport,
    observer: counters,
    limits: startup.configuration.limits,
    endpoints: startup.configuration.endpoints,
    environment: startup.configuration.environment
  )
  client.apply(startup)
  // While the app runs, for instance on another network; an older one changes nothing.
  let now = LaunchFacts(place: Locale.current.region?.identifier, network: network)
  client.apply(try await bootstrap.refresh(by: transport, facts: now))
  return client
}

func makeSealedClient(
  _ baseURL: URL,
  session: URLSession,
  sharedKey: Data,
  in folder: URL
) throws -> NetworkClient {
  let place = try FileKeyPlace(directory: folder.appending(path: "keys"))
  let disk = try DiskStore(
    directory: folder.appending(path: "answers"),
    sealedBy: try AES256GCM(key: try place.key(named: "answers"))
  )
  return NetworkClient(
    builder: RequestBuilder(baseURL: baseURL),
    middleware: [
      SealingMiddleware(try AES256GCM(key: sharedKey), key: "2026-1", paths: ["/payments"]),
      RequestSigner { text in signature(of: text) },
    ],
    authenticator: try BearerTokens(in: TokenStore(place)) { try await fetchToken() },
    transport: URLSessionTransport(session: session),
    cache: ResponseCache(disk: disk)
  )
}

func show(_ id: Int, by api: UserAPI) async -> String {
  do throws(NetworkError) {
    return try await api.user(id).name
  } catch {
    if case .business(_, let message) = error { return message }
    switch error.kind {
    case .silent: return ""
    case .wait: return "There is no way through at the moment. It is tried again in a while."
    case .retry: return "That did not work. Try again."
    case .signIn: return "Sign in again."
    case .tell: return "That cannot be shown."
    }
  }
}

let preview = UserAPI(
  client: ClosureClient { _ throws(NetworkError) in
    CallResponse(status: 200, body: Data(#"{"retcode":0,"data":{"id":7,"name":"Ada"}}"#.utf8))
  }
)

func makeTransport(session: URLSession, installID: String) throws -> EngineShares {
  try EngineShares(
    ["urlsession": URLSessionTransport(session: session), "sockets": SocketTransport()],
    shares: ["urlsession": 95, "sockets": 5],
    of: installID
  )
}

func debugTransport(
  _ configuration: NetworkConfiguration,
  session: URLSession
) throws -> FaultHook {
  FaultHook(
    URLSessionTransport(session: session),
    faults: try DebugFaults(configuration, in: Bundle.main.resourceURL)
  )
}

func fetchToken() async throws -> String { "an invented one" }
func signature(of text: Data) -> String { "of \(text.count) bytes" }

// What the page takes for granted.

struct Order: Encodable {
  var id: String
}

struct Receipt: Decodable {
  var number: Int
}

actor Screen {
  private(set) var shown: [Data] = []
  private(set) var fraction = 0.0
  private(set) var offered: NetworkError.Kind?

  func show(_ content: Data, isOld: Bool) { shown.append(content) }
  func show(_ fraction: Double) { self.fraction = fraction }
  func offer(_ kind: NetworkError.Kind) { offered = kind }
}
