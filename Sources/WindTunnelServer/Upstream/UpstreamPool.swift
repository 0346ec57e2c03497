/// Connections to upstreams that are open and have nothing to do (RFC 9112 §9.3).
///
/// On one loop's thread only.
final class UpstreamPool: @unchecked Sendable {
  /// How many wait for one upstream; what is beyond is closed.
  ///
  /// Go's `DefaultTransport` keeps two, nginx as many as `keepalive` says, often 32.
  static let idleMax = 64

  private var idle: [String: [IdleUpstream]] = [:]

  /// How many wait.
  var count: Int { idle.values.reduce(0) { $0 + $1.count } }

  /// The connection that was used last of those that will do: it is the least likely to be dead.
  func take(_ upstream: String, where willDo: (Channel) -> Bool) -> Channel? {
    guard let entries = idle[upstream], let place = entries.lastIndex(where: { willDo($0.channel) })
    else { return nil }
    let entry = entries[place]
    idle[upstream]?.remove(at: place)
    entry.end()
    return entry.channel
  }

  /// Keeps a connection on which everything was said and answered, for so long.
  func put(_ channel: Channel, to upstream: String, seconds: Double) {
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

  /// It waits no more.
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
