internal import Foundation
internal import WindTunnel

// Peers of a proxy that have not given its code.
extension ClientConnection {
  /// Tells whether a request goes on: its peer is served, or it brings the code. Every other is
  /// answered here, by its head alone.
  func isLetIn(_ head: RequestHead) -> Bool {
    guard let peer = unknownPeer, let proxy = context.proxy else { return true }
    if proxy.isServed(peer) {
      unknownPeer = nil
      return true
    }
    switch ProxyRoute(head, port: context.port) {
    case .page(let path):
      // The code comes behind the head.
      if path == Proxying.codePath, bringsForm(head) { return true }
      end(with: CodePage(after: .none, isOwnPage: true).response, to: head)
      return false
    case .refusal(let status, let text):
      end(with: .notice(status, text), to: head)
      return false
    case .request, .tunnel: break
    }
    let verdict = proxy.take(GivenCode.inCredentials(head.headers) ?? "", from: peer)
    if verdict == .right {
      unknownPeer = nil
      return true
    }
    end(with: CodePage(after: verdict, isOwnPage: false).response, to: head)
    return false
  }

  /// Takes the code out of the form that an unknown peer has sent; false for every other request.
  func answerForm(_ head: RequestHead, _ body: Data) -> Bool {
    guard let peer = unknownPeer, let proxy = context.proxy else { return false }
    let verdict = proxy.take(GivenCode.inForm(body), from: peer)
    end(with: CodePage(after: verdict, isOwnPage: true).response, to: head)
    return true
  }

  /// Tells whether a request brings a form that is short enough to be read.
  private func bringsForm(_ head: RequestHead) -> Bool {
    guard head.method == "POST", case .length(let length) = head.framing else { return false }
    return length <= GivenCode.formBytesMax
  }

  /// Gives an answer that is the connection's last: a peer that is not served keeps none open.
  private func end(with response: Response, to head: RequestHead) {
    state = .ended
    let framing = AnswerFraming(
      status: response.status,
      to: head,
      length: response.body.data.count,
      keepsAlive: false
    )
    channel?.write { bytes in
      bytes.appendHead(response.head, framed: framing, for: head.version)
      if framing.framing != .none { bytes.append(contentsOf: response.body.data) }
    }
    channel?.close()
  }
}
