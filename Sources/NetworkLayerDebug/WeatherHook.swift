internal import Foundation
public import NetworkLayer
internal import Symptoms

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Stands in front of a transport and makes its weather; inert until somebody changes that.
public final class WeatherHook: Transport, @unchecked Sendable {
  private let transport: any Transport
  private let time: any TimeSource
  private let lock = NSLock()
  private var current: DebugWeather

  /// Stands in front of a transport.
  public init(
    _ transport: any Transport,
    weather: DebugWeather = .calm,
    time: any TimeSource = SystemTime()
  ) {
    self.transport = transport
    self.time = time
    current = weather
  }

  /// The weather of the requests to come.
  public var weather: DebugWeather {
    get { lock.withLock { current } }
    set { lock.withLock { current = newValue } }
  }

  /// Sends in calm weather, and fails as the weather says.
  public func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer {
    switch weather {
    case .calm: return try await transport.send(request)
    case .offline: throw .failed(.offline, text: "The debug weather is offline.")
    case .timeout:
      do { try await time.sleep(for: .seconds(request.timeoutInterval)) } catch { throw .cancelled }
      throw .failed(.timedOut, text: "The debug weather is a time-out.")
    case .failure(let status): return HTTPAnswer(status: status)
    }
  }

  /// The transport's, with the weather where there is one.
  public func engine(for request: URLRequest) -> String {
    let engine = transport.engine(for: request)
    return weather == .calm ? engine : "\(engine) in \(weather)"
  }
}
