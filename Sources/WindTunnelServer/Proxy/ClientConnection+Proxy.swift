internal import Foundation
internal import WindTunnel

// What a forward proxy's connection does beside answering requests.
extension ClientConnection {
  /// Answers what only a proxy is asked; false for a request that goes on as any other does.
  func answerAsProxy(_ head: RequestHead) -> Bool {
    guard let proxy = context.proxy, let channel else { return false }
    if let opened { return answerWithin(opened, head) }
    switch ProxyRoute(head, port: context.port) {
    case .request: return false
    case .page(let path):
      let page = ProxyPage(path, proxy.settings, context.deck)
      answer(page.response, to: head)
    case .refusal(let status, let text):
      answer(.notice(status, text), to: head)
    case .tunnel(let host, let port):
      let decision = context.deck.openTunnel(
        to: "\(host):\(port)",
        lane: context.lane,
        isOpened: proxy.contexts != nil,
        at: Date()
      )
      if decision.isOnTape, !decision.isOpened, decision.failure == nil {
        let text =
          "\(host) is on the cassette, and what is in a closed tunnel cannot be answered from it: "
          + "nobody can read it (proxy --open-tls can). The live \(host) is not asked either."
        answer(.notice(501, text), to: head)
        break
      }
      let tunnel = Tunnel(decision, to: host, port: port, for: channel, in: context, on: reactor)
      if let contexts = proxy.contexts {
        tunnel.handOver = { [weak self, context] early, handshake in
          let opened = OpenedTunnel(to: host, port: port, in: decision.scenario, context)
          self?.open(opened, by: contexts, early: early, showing: handshake)
        }
      }
      state = .tunnelling(tunnel)
      tunnel.begin(parser.takeRemainder())
    }
    return true
  }

  /// Gives an answer that is the server's own.
  func answer(_ response: Response, to head: RequestHead) {
    let framing = AnswerFraming(
      status: response.status,
      to: head,
      length: response.body.data.count
    )
    channel?.write { bytes in
      bytes.appendHead(response.head, framed: framing, for: head.version)
      if framing.framing != .none { bytes.append(contentsOf: response.body.data) }
    }
    next(keeps: framing.keepsAlive)
  }

  /// Says no to a peer and ends its connection.
  func turnAway(_ text: String) {
    state = .ended
    channel?.writeNotice(403, text)
    channel?.close()
  }
}

extension Response {
  /// An answer in words.
  static func notice(_ status: Int, _ text: String) -> Response {
    Response(
      status: status,
      headers: ["Content-Type": "text/plain; charset=utf-8"],
      body: Body(text + "\n")
    )
  }
}

extension Channel {
  /// Writes an answer in words that is the connection's last.
  func writeNotice(_ status: Int, _ text: String) {
    let notice = Array("\(text)\n".utf8)
    write { bytes in
      bytes.appendHead(
        ResponseHead(
          status: status,
          headers: [
            "Content-Type": "text/plain; charset=utf-8", "Content-Length": String(notice.count),
            "Connection": "close",
          ]
        )
      )
      bytes.append(contentsOf: notice)
    }
  }
}

extension String {
  /// An address literal as it is looked up (RFC 3986 §3.2.2).
  var withoutBrackets: String {
    hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
  }
}
