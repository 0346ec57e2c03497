import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelSymptoms
import WindTunnelURLSession

/// A deck on one of the stages, as a client finds it.
///
/// Asked by completion-handler or delegate tasks only: cancelling `data(for:)` can stop a process.
final class Theatre: Sendable {
  static let origin = "http://api.example.test"

  let deck: Deck
  private let server: ReplayServer?
  private let base: String
  let configuration: URLSessionConfiguration

  init(_ deck: Deck, on stage: Stage, timeout: Double = 3600) async throws {
    self.deck = deck
    switch stage {
    case .inProcess:
      server = nil
      base = Self.origin
      configuration = .windTunnel(deck, silenceMax: .seconds(3600))
    case .onTheWire:
      let server = try await ReplayServer(deck, .patient)
      self.server = server
      base = server.url
      configuration = .ephemeral
      configuration.urlCache = nil
    }
    configuration.timeoutIntervalForRequest = timeout
  }

  /// Runs a deck on a stage, and stops it however the body ends.
  static func play<Result>(
    _ deck: Deck,
    on stage: Stage,
    timeout: Double = 3600,
    _ body: (Theatre) async throws -> Result
  ) async throws -> Result {
    let theatre = try await Theatre(deck, on: stage, timeout: timeout)
    do {
      let result = try await body(theatre)
      await theatre.server?.stop(grace: .zero)
      return result
    } catch {
      await theatre.server?.stop(grace: .zero)
      throw error
    }
  }

  /// How long a client waits that shall see this: an hour where it is not to give up, however busy the
  /// machine is.
  static func timeout(for seen: Seen) -> Double { seen.symptom == .timedOut ? 1 : 3600 }

  /// A request for a path as a client of this stage writes it.
  func request(_ path: String, method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: base + path)))
    request.httpMethod = method
    return request
  }

  /// Asks with a delegate, which sees what comes before an end.
  func ask(_ request: URLRequest, follows: Bool = true) async -> Seen {
    await Seen.asking(request, configuration, follows: follows)
  }

  func ask(_ path: String, method: String = "GET") async throws -> Seen {
    await ask(try request(path, method: method))
  }

  /// Asks with a completion handler.
  func handed(_ path: String) async throws -> Seen {
    let request = try request(path)
    let session = URLSession(configuration: configuration)
    defer { session.finishTasksAndInvalidate() }
    let (data, response, error) = await session.result(of: request)
    return Seen(response, data ?? Data(), error)
  }
}
