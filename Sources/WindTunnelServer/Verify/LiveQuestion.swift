internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// One request to a live server, on a connection of its own, and its whole answer.
///
/// On the loop's thread only. The channel keeps it until that is closed.
final class LiveQuestion {
  /// The result of the question.
  enum Reply: Sendable {
    case answer(RecordedResult)
    /// The server cannot be connected to.
    case unreached(String)
    /// The process may have no further connection.
    case unasked(String)
    /// The answer is larger than is read.
    case tooLarge(String)
  }

  private let request: Request
  private let reactor: Reactor
  private let done: (Reply) -> Void
  private let upstream: Upstream
  private var addresses: [SocketAddress]
  private var channel: Channel?
  private let limits: Limits
  private let timeout: Duration
  private var parser: ResponseParser
  private var head: ResponseHead?
  private var framing: Framing?
  private var body = Data()
  private var timer: Reactor.Timer?
  private var isOver = false

  /// Asks; `done` is called once, on the loop.
  static func ask(
    _ request: Request,
    of upstream: Upstream,
    within timeout: Duration,
    _ limits: Limits,
    on reactor: Reactor,
    _ done: @escaping (Reply) -> Void
  ) {
    LiveQuestion(request, upstream, timeout, limits, reactor, done)
      .connect(otherwise: "it has no address")
  }

  private init(
    _ request: Request,
    _ upstream: Upstream,
    _ timeout: Duration,
    _ limits: Limits,
    _ reactor: Reactor,
    _ done: @escaping (Reply) -> Void
  ) {
    (self.request, self.upstream, self.reactor, self.done) = (request, upstream, reactor, done)
    (self.timeout, self.limits) = (timeout, limits)
    parser = ResponseParser(limits: limits)
    addresses = upstream.addresses
    parser.expectAnswer(to: request.method)
  }

  private func connect(otherwise reason: String) {
    guard !addresses.isEmpty else { return end(.unreached(reason)) }
    let address = addresses.removeFirst()
    do throws(SocketError) {
      let engine = try upstream.engine()
      channel = try Channel(connectingTo: address, on: reactor, tls: engine, delegate: self)
      wait(Int64(nanosecondsOf: limits.connectSeconds)) { question in
        let dead = question.channel
        question.channel = nil
        dead?.delegate = nil
        dead?.abandon()
        question.connect(otherwise: "\(SocketError(.connect, ETIMEDOUT, address))")
      }
    } catch {
      if error.isOwn { return end(.unasked("\(error)")) }
      connect(otherwise: "\(error)")
    }
  }

  private func wait(_ nanoseconds: Int64, _ isLate: @escaping (LiveQuestion) -> Void) {
    if let timer { reactor.cancel(timer) }
    timer = reactor.schedule(after: nanoseconds) { [weak self] _ in
      guard let self else { return }
      timer = nil
      isLate(self)
    }
  }

  private func end(_ reply: Reply) {
    guard !isOver else { return }
    isOver = true
    if let timer { reactor.cancel(timer) }
    done(reply)
    channel?.abandon()
    channel = nil
  }

  private func failed(_ symptom: Symptom) {
    let failure = Failure(symptom)
    end(.answer(head == nil ? .failure(failure) : .cut(response, failure)))
  }

  private var response: Response {
    Response(head ?? ResponseHead(status: 0), Body(body))
  }
}

extension LiveQuestion: ChannelDelegate {
  func channelConnected(_ channel: Channel) {
    wait(timeout.inNanoseconds) { $0.failed(.timedOut) }
    var headers = request.headers
    // RFC 9110 §10.1.4: TE belongs to one connection.
    headers["Connection"] = headers["TE"] == nil ? "close" : "close, TE"
    let data = request.body.data
    // RFC 9110 §8.6: a request that could have content says that it has none.
    if !data.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
      headers["Content-Length"] = String(data.count)
    }
    channel.write { bytes in
      bytes.appendHead(method: request.method, target: request.url.target, headers: headers)
      bytes.append(contentsOf: data)
    }
  }

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    parser.feed(bytes)
    read()
  }

  func channelReachedEnd(_ channel: Channel) {
    // RFC 9112 §9.8: content that only an end delimits is whole where TLS has ended, too.
    if channel.isInputTruncated, framing == .untilClose { return failed(.truncated) }
    parser.feedEnd()
    read()
  }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    self.channel = nil
    guard !isOver else { return }
    guard let error else { return failed(.emptyAnswer) }
    if error.operation == .connect { return connect(otherwise: "\(error)") }
    // The next address of the server shows the same certificate.
    if case .insecure = error.kind { return end(.unreached("\(error)")) }
    failed(error.kind == .reset ? .connectionLost : .timedOut)
  }

  private func read() {
    while !isOver, let event = parser.next() {
      switch event {
      case .head(let start):
        if !start.isInterim { (head, framing) = (start.head, start.framing) }
      case .content(let data): body.append(data)
      case .trailers(let fields): head?.trailers = fields.passedTrailers
      case .end: if head != nil { end(.answer(.response(response))) }
      case .failed(let error):
        switch error.kind {
        case .contentTooLarge, .fieldsTooLarge: end(.tooLarge(error.sentence))
        default: failed(error.symptom)
        }
      }
    }
  }
}
