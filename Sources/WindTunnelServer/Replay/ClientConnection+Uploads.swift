internal import Foundation
internal import WindTunnel

// Requests that are decided by their heads, since nothing needs their content as a whole.
extension ClientConnection {
  /// Whether more content is refused, now that a request turns out to have so much.
  func refusesContent(_ count: Int) -> Bool {
    // Elsewhere the parser has looked.
    guard house.streamsContent, count > house.options.limits.bodyBytesMax else { return false }
    refuse(.tooLarge(house.options.limits))
    return true
  }

  /// Decides a request whose content is large; false where it has to be read whole first.
  func beginUpload(_ head: RequestHead, _ begun: Spool) -> Bool {
    guard house.streamsContent, isForDeck(head) else { return false }
    // Only a length that is known can be weighed by a link.
    if head.framing == .chunked, house.deck.scenario.link != nil { return false }
    let authority = authority(of: head)
    let request = authority.request(head, Data())
    guard !house.deck.records || house.deck.ignores(request.url) else { return false }
    var outcome = decide(request).outcome
    if case .length(let length) = head.framing { outcome.path?.contentBytes = length }
    let delivery = house.deck.delivery(of: outcome, on: .onTheWire)
    let upload = Upload(head.framing, isPassedOn: delivery.passingContent != nil)
    // A long upload takes its time; whoever waits for it notices a halt.
    if upload.isPassedOn { deadline.begin(.none, on: reactor) }
    var begun = begun
    upload.append(begun.finish())
    self.upload = upload
    perform(head, outcome, authority, delivery.passingContent ?? delivery, upload)
    return true
  }

  /// Whether it is the deck that answers, and not the proxy itself.
  private func isForDeck(_ head: RequestHead) -> Bool {
    if let opened { return head.method != "CONNECT" && !opened.isMisdirected(head) }
    return house.desk == nil || ProxyRoute(head, port: house.port) == .request
  }

  /// Takes what is read of a request that is being answered already.
  func take(_ event: RequestParser.Event, of upload: Upload) {
    switch event {
    case .content(let data):
      upload.append(data)
      if case .forwarding(let exchange) = state { exchange.passContent() }
    case .end:
      self.upload = nil
      upload.isWhole = true
      switch state {
      case .forwarding(let exchange):
        exchange.exchange.watch?.restart()
        tellRequestEnd(of: exchange.exchange.outcome)
        exchange.passContent()
        if channel?.inputEnded == true { exchange.clientEnded() }
      case .answering(let performance):
        performance.exchange?.watch?.restart()
        if let outcome = performance.exchange?.outcome { tellRequestEnd(of: outcome) }
        deadline.begin(.none, on: reactor)
        advance(performance, .arrived(.requestEnd))
      case .idle, .parting, .opening, .receiving, .tunnelling, .relaying, .stalled, .ended: break
      }
    case .failed(let error): breakOff(error)
    case .head, .trailers: break
    }
  }

  /// Ends a request that breaks off while it is being answered.
  func breakOff(_ error: ProtocolError) {
    upload = nil
    switch state {
    case .forwarding(let exchange):
      let hasBegun = exchange.answer != nil
      exchange.clientLeft()
      guard hasBegun else { return refuse(error) }
      state = .ended
      channel?.close()
    case .answering(let performance):
      performance.finished(.clientLeft)
      refuse(error)
    case .idle, .parting, .opening, .receiving, .tunnelling, .relaying, .stalled, .ended:
      refuse(error)
    }
  }
}
