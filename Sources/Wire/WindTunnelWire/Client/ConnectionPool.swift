/// The connections of one loop, by server: the idle ones (RFC 9112 §9.3), and the number of those
/// in use if it is limited.
///
/// On the loop's thread only.
package final class ConnectionPool: @unchecked Sendable {
  private struct Use {
    var count = 0
    var waiting: [ClientExchange] = []
  }

  /// The maximum number of idle connections to one server; further ones are closed.
  ///
  /// Go's `DefaultTransport` keeps two, nginx the number in `keepalive`, often 32.
  static let idlePerServerMax = 64

  private let usedMax: Int
  private let idleMax: Int
  private var used: [String: Use] = [:]
  private var idle: [String: [IdleConnection]] = [:]

  /// Creates a pool with limits for the connections in use to one server and for all idle ones.
  package init(usedMax: Int = .max, idleMax: Int = .max) {
    (self.usedMax, self.idleMax) = (usedMax, idleMax)
  }

  /// The number of idle connections.
  package var count: Int { idle.values.reduce(0) { $0 + $1.count } }

  /// Returns whether an exchange may use a connection now; otherwise it is queued.
  package func enter(_ exchange: ClientExchange, to server: String) -> Bool {
    guard usedMax < .max else { return true }
    if used[server, default: Use()].count < usedMax {
      used[server, default: Use()].count += 1
      return true
    }
    used[server]?.waiting.append(exchange)
    return false
  }

  /// Removes an exchange from the queue.
  package func giveUp(_ exchange: ClientExchange, to server: String) {
    used[server]?.waiting.removeAll { $0 === exchange }
  }

  /// Releases a connection, so that the next exchange may use one.
  package func leave(_ server: String) {
    guard let use = used[server] else { return }
    if !use.waiting.isEmpty {
      used[server]?.waiting.removeFirst().enter()
    } else if use.count > 1 {
      used[server]?.count -= 1
    } else {
      used[server] = nil
    }
  }

  /// Removes and returns the usable connection that was used last, because it is the least likely
  /// to be closed; `nil` if there is none.
  func dequeue(_ server: String, where isUsable: (Channel) -> Bool) -> Channel? {
    guard let entries = idle[server],
      let place = entries.lastIndex(where: { $0.channel.phase == .open && isUsable($0.channel) })
    else { return nil }
    let entry = entries[place]
    idle[server]?.remove(at: place)
    if idle[server]?.isEmpty == true { idle[server] = nil }
    entry.end()
    return entry.channel
  }

  /// Keeps a connection for the next request, for at most `seconds`, unless the limit is reached.
  func enqueue(_ channel: Channel, to server: String, seconds: Double) {
    guard seconds > 0, idleMax == .max || count < idleMax,
      idle[server, default: []].count < Self.idlePerServerMax
    else { return channel.close() }
    let entry = IdleConnection(channel, seconds) { [weak self] entry in
      guard let self else { return }
      idle[server]?.removeAll { $0 === entry }
      if idle[server]?.isEmpty == true { idle[server] = nil }
    }
    idle[server, default: []].append(entry)
    channel.delegate = entry
    channel.resumeReading()
  }
}

/// A connection that waits for its next request.
private final class IdleConnection: ChannelDelegate {
  let channel: Channel
  private var isOver: ((IdleConnection) -> Void)?
  private var timer: Reactor.Timer?

  /// Waits for at most `seconds`; `isOver` is called if the connection ends before its next
  /// request.
  init(_ channel: Channel, _ seconds: Double, _ isOver: @escaping (IdleConnection) -> Void) {
    (self.channel, self.isOver) = (channel, isOver)
    let nanoseconds = Int64(nanosecondsOf: seconds)
    timer = channel.reactor.schedule(after: nanoseconds) { [weak self] _ in self?.drop() }
  }

  /// Ends the wait for the next request.
  func end() {
    if let timer { channel.reactor.cancel(timer) }
    (timer, isOver) = (nil, nil)
  }

  private func drop() {
    isOver?(self)
    end()
    channel.abandon()
  }

  // A server that sends data without a request gets no further requests.
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) { drop() }
  func channelReachedEnd(_ channel: Channel) { drop() }
  func channelClosed(_ channel: Channel, _ error: SocketError?) { drop() }
}
