internal import Foundation
internal import WindTunnelHTTP
internal import WindTunnelNetworkLayer
internal import WindTunnelSymptoms
internal import WindTunnelWire

/// A response that arrives on a socket, and the task that waits for it.
final class IncomingResponse: Sendable {
  /// The number of bytes that are read ahead of a slow reader. Beyond it the socket is not read.
  private static let aheadBytesMax = 1 << 20

  private enum Completion {
    case whole(HTTPStages)
    case failed(TransportError)
  }

  private struct State {
    var exchange: HTTPExchange?
    var head: ResponseHead?
    var pieces: Inbox<Data>
    var bytes = 0
    var end: Completion?
  }

  private let state: Awaited<State>
  private let bytesMax: Int
  private let sent: @Sendable (Int64, Int64) -> Void

  /// Creates a value that waits for its exchange.
  ///
  /// - Parameters:
  ///   - bytesMax: The maximum number of bytes of encoded content. More is an error.
  ///   - readsAhead: Whether reading is limited to the reader's pace, apart from a fixed amount.
  ///   - sent: Receives the number of bytes of the request's content that were sent, and the total.
  init(bytesMax: Int, readsAhead: Bool, sent: @escaping @Sendable (Int64, Int64) -> Void) {
    (self.bytesMax, self.sent) = (bytesMax, sent)
    let ahead = readsAhead ? Self.aheadBytesMax : .max
    state = Awaited(State(pieces: Inbox(countMax: .max, bytesMax: ahead)))
  }

  /// Sets the exchange. If the request was cancelled before, the exchange is cancelled.
  func begin(_ exchange: HTTPExchange) {
    let isOver = state.withLock { state in
      state.exchange = exchange
      state.pieces.pause = { exchange.pauseReading($0) }
      return state.end != nil
    }
    if isOver { exchange.cancel() }
  }

  /// The durations of the exchange's stages; `nil` before its end.
  var stages: HTTPStages? {
    state.withLock { if case .whole(let stages) = $0.end { stages } else { nil } }
  }

  // MARK: Events of the exchange

  func hear(_ event: HTTPExchange.Event) {
    switch event {
    case .sent(let count, let all): sent(count, all)
    case .head(let head): state.change { $0.head = head }
    case .content(let data): take(data)
    case .end(let stages): end(.whole(stages))
    case .unreadable(let reason):
      end(.failed(.file("The file of the request cannot be read: \(reason)")))
    case .failed(let failure): end(.failed(TransportError(failure)))
    }
  }

  private func take(_ data: Data) {
    let isTooMuch = state.change { state in
      state.bytes += data.count
      guard state.bytes <= bytesMax else { return true }
      // Within the lock, so that pauses and resumptions are in order.
      state.pieces.append(data, bytes: data.count)
      return false
    }
    guard isTooMuch else { return }
    let text = "The content is larger than \(bytesMax) bytes: the transport's limit."
    end(.failed(.failed(.undecodableBody, text: text)))
    state.withLock { $0.exchange }?.cancel()
  }

  private func end(_ end: Completion) {
    state.change { state in
      if state.end == nil { state.end = end }
    }
  }

  // MARK: Calls of the reader

  /// Waits for the head of the final response. Cancelling the task ends the exchange.
  func head() async throws(TransportError) -> ResponseHead {
    await wait { $0.head != nil }
    let (head, end) = state.withLock { ($0.head, $0.end) }
    if let head, !Task.isCancelled { return head }
    if case .failed(let error) = end { throw error }
    throw .cancelled
  }

  /// Waits for the next piece of content; `nil` at the end of a complete response.
  func next() async throws(TransportError) -> Data? {
    await wait { !$0.pieces.isEmpty }
    let (piece, end) = state.withLock { ($0.pieces.take(), $0.end) }
    if let piece { return piece }
    switch end {
    case .whole: return nil
    case .failed(let error): throw error
    case nil: throw .cancelled
    }
  }

  /// Waits for a state or the end. Cancelling the task ends the exchange.
  private func wait(until isReached: @Sendable (State) -> Bool) async {
    await withTaskCancellationHandler {
      await state.wait(ignoringCancellation: true) { $0.end != nil || isReached($0) }
    } onCancel: {
      cancel()
    }
  }

  /// Ends the exchange at once. A waiting task fails as cancelled, unless the exchange was over
  /// before.
  func cancel() {
    let exchange = state.change { state in
      if state.end != nil { return nil as HTTPExchange? }
      state.end = .failed(.cancelled)
      return state.exchange
    }
    exchange?.cancel()
  }

  /// Discards the content, a little of which is read so that the connection can be reused.
  func discard() {
    let exchange = state.withLock { state in
      if state.end == nil { state.end = .failed(.cancelled) }
      return state.exchange
    }
    exchange?.discard()
  }
}
