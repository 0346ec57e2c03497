import Foundation
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerDebug

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The code of the page about the layer; a test holds the two together.

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
    admission: AdmissionController(.init(caps: configuration.caps)),
    sendsTraces: true,
    environment: configuration.environment
  )
}

func debugTransport(
  _ configuration: NetworkConfiguration,
  session: URLSession
) throws -> WeatherHook {
  WeatherHook(
    URLSessionTransport(session: session),
    weather: try DebugWeather(configuration, in: Bundle.main.resourceURL)
  )
}

func show(_ id: Int, by api: UserAPI) async -> String {
  do throws(NetworkError) {
    return try await api.user(id).name
  } catch {
    switch error {
    case .cancelled: return ""
    case .offline: return "You are offline."
    case .rateLimited, .circuitOpen: return "Too many people want this. Try again in a while."
    case .business(_, let message): return message
    default: return "That did not work."
    }
  }
}

let preview = UserAPI(
  client: ClosureClient { _ throws(NetworkError) in
    Answer(status: 200, body: Data(#"{"retcode":0,"data":{"id":7,"name":"Ada"}}"#.utf8))
  }
)

func fetchToken() async throws -> String { "an invented one" }
