internal import WindTunnel

// Requests that follow each other on one connection (RFC 9112 §9.3).
extension UpstreamExchange {
  /// Whether the connection may have been another request's and may become one's.
  ///
  /// What is recorded has a connection of its own, so that how one ends says nothing about another.
  var isShared: Bool { ticket == nil && upload == nil }

  /// RFC 9110 §9.2.2: what may be sent once more if nobody knows whether it came through.
  private var isIdempotent: Bool {
    ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(outcome.request.method)
  }

  private var place: String {
    let url = upstream.url
    return "\(url.scheme ?? "http")://\(url.host ?? ""):\(url.effectivePort ?? 80)"
  }

  /// Sends the request on a connection that is there; false where there is none.
  func beginReusing() -> Bool {
    // A connection may be dead without anybody knowing, and the others cannot be tried again.
    // One that another client has opened may lead to where this one is not connected to.
    guard isShared, isIdempotent, let client,
      let channel = client.context.upstreams.take(
        place,
        where: { $0.target.map { client.refusal(of: $0) == nil } ?? false }
      )
    else { return false }
    self.channel = channel
    isUntried = true
    channel.delegate = self
    send(to: channel)
    awaitAnswer()
    return true
  }

  /// Whether the connection was dead before the request came, so that another is tried; once, since
  /// that one is new.
  func triesAgain() -> Bool {
    guard isUntried, !isOver else { return false }
    isUntried = false
    drop()
    restart()
    return true
  }

  /// Leaves the connection to the next request, if it can take one.
  func giveBack(_ channel: Channel) {
    guard isShared, let answer, answer.keepsAlive, answer.framing != .untilClose,
      answer.head.status != 101, hasReadAll, channel.phase == .open, !channel.inputEnded,
      channel.queuedBytes == 0, unsent.isEmpty, let client
    else { return channel.close() }
    let seconds = client.context.options.limits.upstreamIdleSeconds
    client.context.upstreams.put(channel, to: place, seconds: seconds)
  }
}
