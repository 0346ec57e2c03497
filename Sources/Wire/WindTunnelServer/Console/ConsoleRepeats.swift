internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// Requests that a console sends to the server beside it, each once more.
final class ConsoleRepeats: Sendable {
  /// The time that each may take: an endless answer keeps nobody's place.
  private static let seconds = 60.0

  /// The most that are under way.
  static let underWayMax = 64

  private let base: RequestURL
  private let isProxy: Bool
  private let client: HTTPClient
  /// The number of those under way.
  private let underWay = Locked(0)

  /// Makes a sender to a server at an address, or through it where that is a proxy.
  init(to url: String, isProxy: Bool) throws(DialFailure) {
    (base, self.isProxy) = (RequestURL(url), isProxy)
    var limits = HTTPClient.Limits()
    limits.connectionsPerServer = Self.underWayMax
    client = try HTTPClient(limits)
  }

  /// Sends a request; false where as many as may be are under way.
  func send(_ request: Request) -> Bool {
    let hasRoom = underWay.withLock { count in
      guard count < Self.underWayMax else { return false }
      count += 1
      return true
    }
    guard hasRoom else { return false }
    var request = request
    if !isProxy {
      (request.url.scheme, request.url.host, request.url.port) = (base.scheme, base.host, base.port)
    }
    request.url.userInfo = nil
    for name in ["Host", "Content-Length", "Connection", "Transfer-Encoding"] {
      request.headers[name] = nil
    }
    var question = HTTPClient.Question(request, silenceSeconds: Self.seconds)
    if isProxy { question.proxy = base }
    let exchange = client.send(question) { [underWay] event in
      switch event {
      case .end, .unreadable, .failed: underWay.withLock { $0 -= 1 }
      case .sent, .head, .content: break
      }
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.seconds) { [weak exchange] in
      exchange?.cancel()
    }
    return true
  }
}
