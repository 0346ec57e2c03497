package import Foundation
internal import WindTunnelCore
package import WindTunnelHTTP
internal import WindTunnelSymptoms

/// One request of a client and its answer (RFC 9110), over a connection that is kept where both
/// ends agree (RFC 9112 §9.3).
///
/// What is package may be called on any thread; all else runs on the client's.
package final class HTTPExchange: @unchecked Sendable {
  /// The things that happen in an exchange.
  package enum Event: Sendable {
    /// So many bytes of the content are with the system, of how many.
    case sent(Int64, of: Int64)
    /// The head of the final answer.
    case head(ResponseHead)
    /// Content without its framing, as it was encoded; never empty.
    case content(Data)
    /// The answer is whole. Nothing follows.
    case end(HTTPStages)
    /// The file of the content cannot be read, for this reason. Nothing follows.
    case unreadable(String)
    /// There is no answer, or no more of it. Nothing follows.
    case failed(DialFailure)
  }

  private let client: HTTPClient
  private let question: HTTPClient.Question
  /// Forgotten with the end: whoever hears has the exchange.
  private var hear: @Sendable (Event) -> Void
  private weak var exchange: ClientExchange?
  /// The bytes that may still be read of what nobody wants; `nil`: it is wanted.
  private var discarding: Int?

  package init(
    _ client: HTTPClient,
    _ question: HTTPClient.Question,
    _ hear: @escaping @Sendable (Event) -> Void
  ) {
    (self.client, self.question, self.hear) = (client, question, hear)
  }

  // MARK: From any thread

  /// Ends it at once, without a word.
  package func cancel() { run { exchange, _ in exchange.end() } }

  /// Reads no more, or reads on: what a server sends waits in the system's buffers.
  package func pauseReading(_ pauses: Bool) {
    run { exchange, _ in exchange.exchange?.pauseReading(pauses) }
  }

  /// Says nothing more, and reads what is left of a short answer, so that its connection serves the
  /// next request.
  package func discard() {
    run { exchange, reactor in
      guard exchange.exchange?.hasResponse == true else { return exchange.end() }
      exchange.hear = { _ in }
      exchange.discarding = exchange.client.limits.discardedBytesMax
      exchange.exchange?.pauseReading(false)
      // However it trickles: a new connection is had sooner.
      let limit = Int64(nanosecondsOf: exchange.client.limits.discardSeconds)
      reactor.schedule(after: limit) { [weak exchange] _ in exchange?.end() }
    }
  }

  private func run(_ job: @escaping @Sendable (HTTPExchange, Reactor) -> Void) {
    // A loop that has stopped has ended it.
    client.loop.execute { [self] reactor in job(self, reactor) }
  }

  // MARK: On the loop

  package func begin(by reactor: Reactor) {
    let url = question.proxy ?? question.request.url
    guard url.scheme == "http" || url.scheme == "https" else {
      return failed(.unsupportedURL, "The URL is neither by http nor by https.")
    }
    guard url.host?.isEmpty == false else {
      return failed(.unsupportedURL, "The URL names no host.")
    }
    let exchange = ClientExchange(
      outgoing,
      to: client.destination(url),
      on: client.terms(question.silenceSeconds),
      by: reactor
    ) { [self] in take($0) }
    self.exchange = exchange
    exchange.begin()
  }

  private var outgoing: OutgoingRequest {
    let request = question.request
    var fields = request.headers
    // RFC 9112 §9.6.
    let endsConnection = fields.contains(token: "close", in: "Connection")
    fields.removeConnectionFields()
    for name in ["Content-Length", "Expect"] { fields.remove(name) }
    let loop = client.loop
    return OutgoingRequest(
      request.method,
      to: request.url,
      question.proxy == nil ? request.url.target : "\(request.url)",
      fields,
      question.file.map { file in
        SentContent(file.handle, bytes: file.bytes) { job in loop.execute { _ in job() } }
      } ?? SentContent(request.body.data),
      endsConnection: endsConnection
    )
  }

  private func take(_ event: ClientExchange.Event) {
    switch event {
    case .sent(let count):
      hear(.sent(Int64(count), of: Int64(question.file?.bytes ?? question.request.body.data.count)))
    case .head(let start): hear(.head(start.head))
    case .content(let data): take(data)
    case .end(_, let stages): end(.end(stages))
    case .failed(.unreadable(let reason)): end(.unreadable(reason))
    case .failed(let failure): end(.failed(DialFailure(failure)))
    case .caughtUp, .malformed, .bytes, .upgraded: break
    }
  }

  private func take(_ data: Data) {
    guard let rest = discarding else { return hear(.content(data)) }
    discarding = rest - data.count
    if rest < data.count { end() }
  }

  private func failed(_ symptom: Symptom, _ text: String) {
    end(.failed(DialFailure(symptom, text)))
  }

  /// Ends it at once.
  private func end() {
    exchange?.cancel()
    failed(.cancelled, "The request was ended here.")
  }

  private func end(_ event: Event) {
    let hear = hear
    self.hear = { _ in }
    hear(event)
  }
}
