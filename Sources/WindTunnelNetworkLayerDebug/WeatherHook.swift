internal import WindTunnel
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Stands in front of a transport and makes its weather; inert until somebody changes that.
///
/// In the weather of a scenario, requests go by a session of the tunnel's in place of the transport:
/// what the transport does beside carrying, such as pinning, is not done then.
/// That session is ephemeral and made anew each time a scenario is set: it has neither the cookies nor the
/// additional header fields, credentials and time-outs of the session that the transport wraps, so set
/// on the request what the server must see.
public final class WeatherHook: Transport, @unchecked Sendable {
  private let transport: any Transport
  private let time: any TimeSource
  private let lock = NSLock()
  private var current: DebugWeather
  /// What carries requests in the weather of a scenario.
  private var tunnel: URLSessionTransport?

  /// Stands in front of a transport.
  public init(
    _ transport: any Transport,
    weather: DebugWeather = .calm,
    time: any TimeSource = SystemTime()
  ) {
    self.transport = transport
    self.time = time
    current = weather
    tunnel = Self.tunnel(in: weather)
  }

  /// The weather of the requests to come.
  ///
  /// A scenario begins anew each time it is set, and stays in memory for as long as the process.
  public var weather: DebugWeather {
    get { lock.withLock { current } }
    set {
      let tunnel = Self.tunnel(in: newValue)
      lock.withLock { (current, self.tunnel) = (newValue, tunnel) }
    }
  }

  /// Sends in calm weather, and fails as the weather says.
  public func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer {
    let (weather, tunnel) = lock.withLock { (current, self.tunnel) }
    switch weather {
    case .calm: return try await transport.send(request)
    case .offline: throw .failed(.offline, text: "The debug weather is offline.")
    case .timeout:
      do { try await time.sleep(for: .seconds(request.timeoutInterval)) } catch { throw .cancelled }
      throw .failed(.timedOut, text: "The debug weather is a time-out.")
    case .failure(let status): return HTTPAnswer(status: status)
    case .scenario: return try await (tunnel ?? transport).send(request)
    }
  }

  /// The transport's, with the weather where there is one.
  public func engine(for request: URLRequest) -> String {
    let (engine, weather) = (transport.engine(for: request), weather)
    return weather == .calm ? engine : "\(engine) in \(weather)"
  }

  private static func tunnel(in weather: DebugWeather) -> URLSessionTransport? {
    guard case .scenario(let scenario, let seed) = weather else { return nil }
    let deck = Deck(
      Cassette([]),
      scenario: scenario,
      seed: seed,
      options: PlaybackOptions(passesOthers: true)
    )
    return URLSessionTransport(session: URLSession(configuration: .windTunnel(deck)))
  }
}
