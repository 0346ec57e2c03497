public import WindTunnel

/// The real server that a recording server stands in front of.
public struct Upstream: Sendable {
  /// The URL of the server.
  public private(set) var url: RequestURL
  /// Tells whether requests to other ports of an ignored host are forwarded to it, too, at those
  /// ports.
  public var isAnyPort = false
  private(set) var addresses: [SocketAddress]
  /// The TLS settings of a server by `https`.
  private let tls: (context: TLSContext, host: HostName)?

  /// The server of any URL, whose addresses are found when they are needed; `nil` for one by
  /// `https` where there is nothing to speak it by.
  init?(of url: RequestURL, by context: TLSContext?) {
    var origin = url
    (origin.userInfo, origin.path, origin.query) = (nil, "/", nil)
    (self.url, addresses) = (origin, [])
    guard url.scheme == "https" else {
      tls = nil
      return
    }
    guard let context, let name = url.host.flatMap({ HostName($0.withoutBrackets) }) else {
      return nil
    }
    tls = (context, name)
  }

  /// Resolves the upstream's host and, for `https`, reads the trusted certificates; takes as long
  /// as the resolver does.
  ///
  /// - Parameters:
  ///   - url: The upstream's URL, without a path.
  ///   - trust: The authorities that are trusted about a server by `https`.
  /// - Throws: `ServerError.upstream` for a URL that is not `http://HOST[:PORT]` or
  ///   `https://HOST[:PORT]`, for a host without an address, or for certificates that cannot be
  ///   parsed; `ServerError.tlsUnavailable` for `https` where there is no OpenSSL 3.
  public init(_ url: RequestURL, trusting trust: Trust = .system) throws(ServerError) {
    self.url = url
    guard let scheme = url.scheme, let host = url.host, !host.isEmpty else {
      throw .upstream("\(url) is no URL such as http://127.0.0.1:8000")
    }
    guard scheme == "http" || scheme == "https" else {
      throw .upstream("\(url) is spoken to neither by http:// nor by https://")
    }
    guard url.path == "/", url.query == nil else {
      throw .upstream(
        "\(url) has a path; an upstream is a whole server, such as \(url.origin ?? "")"
      )
    }
    do {
      addresses = try SocketAddress.resolve(host, port: url.effectivePort ?? 80)
    } catch {
      throw .upstream("\(host): \(error)")
    }
    tls = scheme == "http" ? nil : try Self.tls(host, trust)
  }

  /// Returns the same host at another port.
  func at(port: Int) -> Upstream {
    var other = self
    other.url.port = port == (url.scheme == "https" ? 443 : 80) ? nil : port
    other.addresses = addresses.map { $0.at(port: port) }
    return other
  }

  private static func tls(
    _ host: String,
    _ trust: Trust
  ) throws(ServerError) -> (context: TLSContext, host: HostName) {
    guard let name = HostName(host) else {
      throw .upstream("\(host) is no name that a certificate can be made out to")
    }
    return (try TLSContext(trusting: trust, try OpenSSL.shared()), name)
  }

  /// Returns an end of TLS for one connection to it; `nil` for plain HTTP.
  func engine() throws(SocketError) -> TLSEngine? {
    guard let tls else { return nil }
    do throws(ServerError) { return try TLSEngine(tls.context, host: tls.host) } catch {
      throw SocketError(
        TLSFailure(kind: .unusable, text: "\(error)", role: .client),
        addresses.first
      )
    }
  }
}

/// Connections to upstreams that are open and have nothing to do (RFC 9112 §9.3).
///
/// On one loop's thread only.
final class UpstreamPool: @unchecked Sendable {
  /// The count of those that wait for one upstream; what is beyond is closed.
  ///
  /// Go's `DefaultTransport` keeps two, nginx as many as `keepalive` says, often 32.
  static let idleMax = 64

  private var idle: [String: [IdleUpstream]] = [:]

  /// The count of those that wait.
  var count: Int { idle.values.reduce(0) { $0 + $1.count } }

  /// Removes the connection that was used last of those that will do: it is the least likely to be
  /// dead.
  func dequeue(_ upstream: String, where willDo: (Channel) -> Bool) -> Channel? {
    guard let entries = idle[upstream], let place = entries.lastIndex(where: { willDo($0.channel) })
    else { return nil }
    let entry = entries[place]
    idle[upstream]?.remove(at: place)
    entry.end()
    return entry.channel
  }

  /// Keeps a connection on which everything was said and answered, for so long.
  func enqueue(_ channel: Channel, to upstream: String, seconds: Double) {
    guard idle[upstream, default: []].count < Self.idleMax else { return channel.close() }
    let entry = IdleUpstream(channel, seconds)
    idle[upstream, default: []].append(entry)
    entry.isOver = { [weak self, weak entry] in
      guard let self, let entry else { return }
      idle[upstream]?.removeAll { $0 === entry }
      if idle[upstream]?.isEmpty == true { idle[upstream] = nil }
    }
    channel.delegate = entry
    channel.resumeReading()
  }
}

/// A connection that waits for its next request.
private final class IdleUpstream: ChannelDelegate {
  let channel: Channel
  var isOver: (() -> Void)?
  private var timer: Reactor.Timer?

  init(_ channel: Channel, _ seconds: Double) {
    self.channel = channel
    let nanoseconds = Int64(nanosecondsOf: seconds)
    timer = channel.reactor.schedule(after: nanoseconds) { [weak self] _ in self?.drop() }
  }

  /// Ends the wait for the next request.
  func end() {
    if let timer { channel.reactor.cancel(timer) }
    (timer, isOver) = (nil, nil)
  }

  private func drop() {
    isOver?()
    end()
    channel.abandon()
  }

  // Who speaks without being asked is not asked again.
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) { drop() }
  func channelReachedEnd(_ channel: Channel) { drop() }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    isOver?()
    end()
  }
}
