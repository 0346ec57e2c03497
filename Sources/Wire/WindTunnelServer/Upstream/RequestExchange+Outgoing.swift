internal import WindTunnel

extension RequestExchange {
  /// Returns the request for the upstream.
  ///
  /// - Parameters:
  ///   - upstream: The server that receives it.
  ///   - isKept: Whether its response is recorded.
  ///   - endsConnection: Whether its connection serves no further request.
  /// - Returns: The request.
  func outgoing(to upstream: Upstream, recorded isKept: Bool, endsConnection: Bool)
    -> OutgoingRequest
  {
    let (request, origins) = (outcome.request, mapping.context)
    let asksForUpgrade = head.asksForWebSocket
    var headers = request.headers
    if isKept, !origins.keepsEncodings { headers.acceptOnlyOpenedCodings() }
    if asksForUpgrade {
      if delivery.liveFaults.needPlainMessages {
        headers.remove("Sec-WebSocket-Extensions")
      } else if isKept {
        headers.keepReadExtensions()
      }
      headers.append("Connection", "Upgrade")
      headers.append("Upgrade", "websocket")
    }
    return OutgoingRequest(
      request.method,
      // A recorded request names the recorded origin, so that the upstream uses that name in its
      // response.
      to: (isKept ? origins.recordedOrigin : nil) ?? upstream.url,
      request.url.target,
      headers,
      upload.map { SentContent($0) } ?? SentContent(request.body.data),
      endsConnection: endsConnection && !asksForUpgrade,
      takesTrailers: !asksForUpgrade && head.headers.contains(token: "trailers", in: "TE")
    )
  }
}

extension HeaderFields {
  /// Offers only WebSocket extensions that can be read here (RFC 6455 §9.1).
  fileprivate mutating func keepReadExtensions() {
    let name = "Sec-WebSocket-Extensions"
    let offers = (WebSocketExtension.list(values(name)) ?? []).filter { $0.isRead }
    remove(name)
    if !offers.isEmpty { append(name, offers.map(\.description).joined(separator: ", ")) }
  }
}
