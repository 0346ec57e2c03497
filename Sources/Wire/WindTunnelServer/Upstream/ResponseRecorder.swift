internal import Foundation
internal import WindTunnel

/// A recorder of the response of an origin to one request, for the cassette and for observers.
///
/// Use it on the loop's thread only.
final class ResponseRecorder {
  private let exchange: RequestExchange
  private let origins: OriginContext
  private let reactor: Reactor
  private let start = Moment.now()
  /// The head as it arrived; `nil` before that.
  private(set) var head: ResponseStart?
  /// The interim responses so far, as they arrived.
  private var informational: [ResponseHead] = []
  /// Whether the response has an invalid head and is passed on unchanged, so that it is not kept.
  var isUnread = false
  private var body = Spool()
  private var trailers: HeaderFields = [:]
  private var timing = Timing(firstByte: .zero, lastByte: .zero)
  private var pieces = ArrivingPieces()
  private var shown: LiveContent
  /// The journal of the part that arrived; `nil` while the response may still arrive at once.
  private var parts: PartJournal?

  /// Begins before the connection is made.
  init(of exchange: RequestExchange, on reactor: Reactor) {
    (self.exchange, origins, self.reactor) = (exchange, exchange.mapping.context, reactor)
    shown = LiveContent(bytesMax: origins.shows(exchange.outcome) ? origins.toldBytesMax : 0)
  }

  /// The time since the exchange began.
  var elapsed: Duration { .microseconds((Moment.now() - start) / 1000) }

  /// Whether the response is kept for the cassette. Otherwise it is only passed on.
  var isKept: Bool { if case .forward(_?) = exchange.outcome.source { true } else { false } }

  /// The maximum number of interim responses that are kept for one response.
  private static let informationalMax = 100

  /// Records an interim response.
  func preceded(by start: ResponseStart) {
    if isKept, informational.count < Self.informationalMax { informational.append(start.head) }
  }

  func began(_ start: ResponseStart) { (head, timing.firstByte) = (start, elapsed) }

  func take(_ data: Data) {
    shown.take(data)
    guard isKept else { return }
    pieces.append(data.count, at: elapsed)
    body.append(data)
  }

  func ended(_ trailers: HeaderFields) {
    self.trailers = trailers
    show(isWhole: true)
  }

  /// Shows the part of the response that arrived to observers.
  func show(isWhole: Bool) {
    guard let head,
      let shown = shown.answer(exchange.mapping.recorded(head.head), isWhole: isWhole)
    else { return }
    origins.deck.tell(.passed(exchange.outcome, shown), of: exchange.outcome)
  }

  /// The part of the response that arrived; `nil` before its head.
  var response: Response? {
    guard let start = head else { return nil }
    var head = exchange.mapping.recorded(start.head)
    head.headers.removeConnectionFields(keepingCoding: start.framing == .chunked)
    // HTTP/2 has no reason phrase (RFC 9113 §8.3.2).
    if start.version != .http2 { head.keep(reason: start.reason) }
    head.trailers = trailers
    head.informational = informational.map { interim in
      var interim = exchange.mapping.recorded(interim)
      interim.headers.removeConnectionFields()
      return interim
    }
    return Response(head, body.body())
  }

  /// Returns the part that arrived of a response that ended with a failure.
  ///
  /// - Parameters:
  ///   - failure: The reason for the end.
  ///   - keepsEncoded: Whether content in a content coding is kept, which may be undecodable.
  /// - Returns: The result.
  func result(endedBy failure: Failure, keepsEncoded: Bool) -> RecordedResult {
    guard var response else { return .failure(failure) }
    if !keepsEncoded, response.headers["Content-Encoding"] != nil { response.body = .empty }
    return .cut(response, failure)
  }

  /// Returns the interaction whose result arrived at this time.
  func interaction(_ result: RecordedResult, at time: Duration) -> Interaction {
    var timing = timing
    timing.lastByte = time
    // A single piece is not a stream, and neither are the pieces of a body of known length.
    let hasLength = if case .length = head?.framing { true } else { false }
    if pieces.chunks.count > 1, !hasLength { timing.chunks = pieces.chunks }
    return exchange.mapping.recorded(Interaction(exchange.outcome.request, result, timing: timing))
  }

  /// Journals the part of the response that arrived.
  func journalPart() {
    guard isKept, head != nil, !isUnread else { return }
    parts =
      parts
      ?? PartJournal(of: exchange.outcome, origins, on: reactor) { [weak self] in
        guard let self, head != nil else { return nil }
        let cut = result(endedBy: Interaction.cut, keepsEncoded: false)
        let part = interaction(cut, at: elapsed)
        return { part.inWholeLines }
      }
    parts?.grew(to: exchange.outcome.request.body.count + body.count + 1)
  }

  /// Stops the journalling of parts.
  func endParts() { parts = nil }
}

/// The content of a live response for observers.
private struct LiveContent {
  /// The maximum number of bytes that are kept; 0 if there are no observers.
  private let bytesMax: Int
  private var content = Data()
  private var count = 0

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// Adds a piece. Content that is too large is not kept in part, because a part cannot be searched
  /// for secrets.
  mutating func take(_ piece: Data) {
    count += piece.count
    if count <= bytesMax { content.append(piece) } else { content = Data() }
  }

  /// Returns the response with the kept content; `nil` if there are no observers.
  func answer(_ head: ResponseHead, isWhole: Bool) -> LiveResponse? {
    guard bytesMax > 0 else { return nil }
    let isKept = isWhole && count <= bytesMax
    return LiveResponse(head: head, content: isKept ? Body(content) : nil, bytes: count)
  }
}
