import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

extension ReplayServer {
  /// Starts a proxy for the length of a test, and hands over what it saw.
  static func proxying<Result>(
    _ scenario: Scenario = .calm,
    tape: Cassette = Cassette(),
    mode: RecordMode = .none,
    as proxy: Proxying = Proxying(),
    limits: Limits = .patient,
    at host: String = "127.0.0.1",
    _ body: (ReplayServer, Deck, Events<EndedExchange>) async throws -> Result
  ) async throws -> Result {
    let seen = Events<EndedExchange>()
    let deck = Deck(
      tape,
      scenario: scenario,
      options: PlaybackOptions(then: .repeat, mode: mode, isProxied: true),
      observe: { event in if let ended = EndedExchange(event) { seen(ended) } }
    )
    var options = Options()
    options.proxy = proxy
    options.host = host
    options.limits = limits
    return try await serving(deck, options) { server in try await body(server, deck, seen) }
  }

  /// A client with a tunnel to an address.
  func tunnel(to address: SocketAddress, early: String = "") async throws -> RawClient {
    let client = try client()
    await client.send("CONNECT \(address) HTTP/1.1\r\nHost: \(address)\r\n\r\n\(early)")
    let established = "HTTP/1.1 200 Connection Established\r\n\r\n"
    let head = await client.receive(exactly: established.utf8.count)
    expectEqual(String(decoding: head, as: UTF8.self), established)
    return client
  }
}

extension RawClient {
  /// Receives so many bytes and leaves the rest, fewer only where the connection ends before.
  func receive(exactly count: Int) async -> [UInt8] {
    await blocking {
      var bytes: [UInt8] = []
      while bytes.count < count {
        var buffer = [UInt8](repeating: 0, count: count - bytes.count)
        guard case .bytes(let read) = buffer.withUnsafeMutableBytes({ socket.read(into: $0) })
        else { break }
        bytes += buffer[..<read]
      }
      return bytes
    }
  }
}

/// The exchanges that came to their end on a proxy, as its deck tells of them.
enum EndedExchange: Equatable {
  case request(EndedRequest)
  case tunnel(TunnelEnd)

  init?(_ event: ExchangeEvent) {
    switch event {
    case .ended(let outcome, let end?):
      let isLive = if case .forward = outcome.source { true } else { false }
      let (method, url) = (outcome.request.method, outcome.request.url)
      self = .request(EndedRequest(method: method, url: url, end: end, isFromTape: !isLive))
    case .tunnelEnded(let end): self = .tunnel(end)
    case .decided, .undone, .requestEnd, .firstByte, .passed, .said, .notAsked, .ended(_, nil),
      .left,
      .conversed,
      .strayed:
      return nil
    }
  }

  /// The same without its times.
  var timeless: EndedExchange {
    switch self {
    case .request(var request):
      request.end.latency = .zero
      return .request(request)
    case .tunnel(var tunnel):
      tunnel.duration = .zero
      tunnel.connect = tunnel.connect.map { _ in .zero }
      return .tunnel(tunnel)
    }
  }
}

extension EndedExchange {
  /// A request in calm weather as its deck tells of it, without its times.
  static func request(
    _ url: String,
    _ status: Int,
    bytes: Int,
    _ ending: ExchangeEnd.Reason = .whole,
    location: String? = nil,
    isFromTape: Bool = false
  ) -> EndedExchange {
    var end = ExchangeEnd(status: status, bytes: bytes, latency: .zero, ending: ending)
    (end.scenario, end.location) = ("calm", location)
    let url = RequestURL(url)
    return .request(EndedRequest(method: "GET", url: url, end: end, isFromTape: isFromTape))
  }

  /// A tunnel that carried so many bytes each way, as its deck tells of it, without its times.
  static func tunnel(
    to authority: String,
    in scenario: String = "calm",
    bytes: Int,
    _ reason: TunnelEnd.Reason
  ) -> EndedExchange {
    .tunnel(
      TunnelEnd(
        scenario: scenario,
        authority: authority,
        connect: .zero,
        bytesUp: bytes,
        bytesDown: bytes,
        duration: .zero,
        reason: reason
      )
    )
  }
}

struct EndedRequest: Equatable {
  var method: String
  var url: RequestURL
  var end: ExchangeEnd
  var isFromTape: Bool
}

/// A server that sends everything back, half-closes after its client did, and knows what it got.
struct Echo: Sendable {
  let address: SocketAddress

  init() async throws {
    address = try await EventLoop.serve { script in
      script.received = { channel, bytes in channel.write(bytes) }
      script.ended = { $0.close() }
    }
  }
}
