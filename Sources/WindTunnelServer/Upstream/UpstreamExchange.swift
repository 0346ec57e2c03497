internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// One request passed to the upstream, its answer passed back while it comes, and both kept.
///
/// On the loop's thread only.
final class UpstreamExchange {
  let exchange: ResponseWriter.Exchange
  let upstream: Upstream
  /// Whose player says what passes when; `nil`: everything at once.
  let metered: ResponseWriter?
  weak var client: ClientConnection?
  var channel: Channel?
  private var addresses: [SocketAddress]
  /// Why the first address was left out that the client is not connected to.
  private var refusal: AddressRefusal?
  private var parser = ResponseParser()
  let start = Moment.now()

  var answer: ResponseStart?
  var framing: AnswerFraming?
  var body = Spool()
  /// What of the request's content, where it is kept, has not been written.
  var unsent = Data()
  var timing = Timing(firstByte: .zero, lastByte: .zero)
  var isOver = false
  /// What waits for the player, as it will stand on the wire.
  var waiting = ByteQueue()
  var isHeld = false
  /// Tells whether the answer is being written down, and the client waits for the end of it.
  var isWritten = false
  /// Tells whether the recording ends before the answer does.
  var isStopped = false
  /// The time at which the client was seen to send no more, which may be its leaving.
  var clientEnd: Duration?
  /// The connection was another request's before, and nothing has come over it since.
  var isUntried = false
  /// What ends the waiting for the upstream.
  var patience: Reactor.Timer?
  /// When something moved last.
  var lastMove = Moment.now()

  /// Under which number the answer is kept; `nil`: it only passes.
  var ticket: Int? { if case .forward(let ticket) = outcome.source { ticket } else { nil } }
  /// Whether the upstream said nothing beyond the answer.
  var hasReadAll: Bool { parser.bufferedBytes == 0 }

  /// Whether the request's head is with the connection.
  var isHeadSent = false
  /// The request's content, where it is not kept.
  var upload: Upload? { exchange.upload }
  var outcome: Outcome { exchange.outcome }
  var head: RequestHead { exchange.head }
  var authority: Authority { exchange.authority }

  /// The deck that hears of the end, also when the client has gone by then.
  let deck: Deck

  init(
    _ exchange: ResponseWriter.Exchange,
    _ upstream: Upstream,
    for client: ClientConnection,
    metered: ResponseWriter?
  ) {
    (self.exchange, self.metered) = (exchange, metered)
    (self.upstream, self.client) = (upstream, client)
    deck = client.context.deck
    addresses = upstream.addresses
    parser.expectAnswer(to: exchange.head.method)
  }

  /// Connects; the request goes out as soon as the connection is there.
  func begin() {
    if !beginReusing() { beginAnew() }
  }

  /// Sends the request once more, as if it had not been sent.
  func restart() {
    parser = ResponseParser()
    parser.expectAnswer(to: head.method)
    beginAnew()
  }

  private func beginAnew() {
    guard addresses.isEmpty, let lookups = client?.context.proxy?.lookups,
      let host = upstream.url.host
    else {
      return connect()
    }
    lookups.resolve(host.withoutBrackets, port: upstream.url.effectivePort ?? 80) {
      [weak self] answer in
      guard let self, !isOver else { return }
      switch answer {
      case .success(let found):
        addresses = found
        connect()
      case .failure(let error): failed(error)
      }
    }
  }

  private func connect() {
    guard let client else { return }
    while !addresses.isEmpty {
      let address = addresses.removeFirst()
      if let refusal = client.refusal(of: address) {
        self.refusal = self.refusal ?? refusal
        continue
      }
      do throws(SocketError) {
        let engine = try upstream.engine()
        channel = try Channel(
          connectingTo: address,
          on: client.reactor,
          tls: engine,
          delegate: self
        )
        return awaitConnect(to: address)
      } catch {
        return connectFailed(error)
      }
    }
    if let refusal { forbidden(refusal) } else { failed(.connectionRefused, "no address") }
  }

  func connectFailed(_ error: SocketError) {
    if !addresses.isEmpty { return connect() }
    if let refusal { return forbidden(refusal) }
    failed(error)
  }

  /// Takes what the upstream said in another protocol.
  func takeRemainder() -> Data { parser.takeRemainder() }

  var elapsed: Duration { .microseconds((Moment.now() - start) / 1000) }
}

extension UpstreamExchange: ChannelDelegate {
  func channelConnected(_ channel: Channel) {
    send(to: channel)
    lastMove = Moment.now()
    awaitAnswer()
  }

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    isUntried = false
    lastMove = channel.reactor.now
    parser.feed(bytes)
    read()
  }

  func channelReachedEnd(_ channel: Channel) {
    if triesAgain() { return }
    // RFC 9112 §9.8: content that only an end delimits is whole where TLS has ended, too.
    if channel.isInputTruncated, answer?.framing == .untilClose {
      return failed(
        .truncated,
        "the upstream closed the connection without ending TLS (close_notify), so a part may be missing"
      )
    }
    parser.feedEnd()
    read()
  }

  func channelDrained(_ channel: Channel) { contentDrained() }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    self.channel = nil
    stopPatience()
    guard !isOver, !triesAgain() else { return }
    guard let error else { return failed(.emptyAnswer, "the upstream closed the connection") }
    if error.operation == .connect { return connectFailed(error) }
    if case .insecure(let failure) = error.kind { return failed(failure.symptom, failure.text) }
    failed(error.kind == .reset ? .connectionLost : .timedOut, "\(error)")
  }

  private func read() {
    while !isOver, let event = parser.next() {
      switch event {
      case .head(let start): if !start.isInterim { began(start) }
      case .content(let data): came(data)
      case .trailers: break
      case .end: ended()
      case .failed(let error):
        switch error.kind {
        case .truncated(.beforeHead): failed(.emptyAnswer, error.sentence)
        case .truncated(.inHead): failed(.connectionLost, error.sentence)
        case .truncated: failed(.truncated, error.sentence)
        default: failed(.malformedResponse, error.sentence)
        }
      }
    }
  }
}
