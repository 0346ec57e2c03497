import Foundation
import NetworkLayer
import Testing
import WindTunnel
import WindTunnelServer
import WindTunnelURLSession

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The client on a deck, in process or on the wire, with a clock that the test moves: between
/// attempts no time passes by itself.
struct FlightStand {
  static let origin = "http://api.example.test"

  let deck: Deck
  let time = ManualTime()
  let session: URLSession
  let observer = RecordingObserver()
  let base: URL
  let client: NetworkClient

  /// Runs a deck on a stage, and stops it however the body ends.
  static func fly<Result>(
    _ deck: Deck,
    on stage: Stage,
    _ rules: Governor.Rules = Governor.Rules(),
    cache: ResponseCache? = nil,
    _ body: (FlightStand) async throws -> Result
  ) async throws -> Result {
    var server: ReplayServer?
    if stage == .onTheWire {
      var options = ReplayServer.Options()
      // A library re-sends by itself on a connection that it kept.
      options.closesConnections = true
      server = try await ReplayServer(deck, options)
    }
    do {
      let stand = try FlightStand(deck, server?.url, rules, cache)
      let result = try await body(stand)
      stand.session.finishTasksAndInvalidate()
      await server?.stop(grace: .zero)
      return result
    } catch {
      await server?.stop(grace: .zero)
      throw error
    }
  }

  private init(
    _ deck: Deck,
    _ serverURL: String?,
    _ rules: Governor.Rules,
    _ cache: ResponseCache?
  ) throws {
    self.deck = deck
    let configuration: URLSessionConfiguration =
      serverURL == nil ? .windTunnel(deck) : .ephemeral
    configuration.urlCache = nil
    session = URLSession(configuration: configuration)
    base = try #require(URL(string: serverURL ?? Self.origin))
    client = NetworkClient(
      builder: RequestBuilder(baseURL: base),
      policy: RetryPolicy(backoff: Backoff(jitter: .none)),
      transport: URLSessionTransport(session: session),
      cache: cache,
      observer: observer,
      limits: CallLimits(deadline: nil),
      governor: Governor(rules, time: time),
      time: time
    )
  }

  /// Makes a call, lets each wait of it pass, and tells how it ended and how long it waited.
  func call(
    _ endpoint: Endpoint
  ) async -> (result: Result<NetworkLayer.Answer, NetworkError>, gaps: [Duration]) {
    let clock = Task { [time] in
      while let wait = await time.nextSleep() { time.advance(by: wait) }
    }
    let before = observer.events.count
    let result: Result<NetworkLayer.Answer, NetworkError>
    do throws(NetworkError) { result = .success(try await client.call(endpoint)) } catch {
      result = .failure(error)
    }
    clock.cancel()
    await clock.value
    let gaps = observer.events.dropFirst(before).compactMap { event -> Duration? in
      if case .retryScheduled(_, let delay) = event.kind { delay } else { nil }
    }
    return (result, gaps)
  }
}
