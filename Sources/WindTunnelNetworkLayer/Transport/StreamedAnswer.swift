public import Foundation
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// An answer whose content is still arriving.
public struct StreamedAnswer: Sendable {
  /// The answer's status code.
  public let status: Int
  /// The answer's header fields.
  public let headers: Headers
  /// The content in the pieces in which it arrives; fails with a ``TransportError``.
  public let pieces: AsyncThrowingStream<Data, any Error>
}

/// Hears what a session says of one task and passes it on.
final class StreamListener: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  typealias Head = Result<StreamedAnswer, TransportError>

  /// The session of the app.
  let session: URLSession
  private let failure: @Sendable (any Error) -> TransportError
  private let lock = NSLock()
  private var waiter: CheckedContinuation<Head, Never>?
  private var isCancelled = false
  private var stop: @Sendable () -> Void = {}
  private let pieces: AsyncThrowingStream<Data, any Error>
  private let piece: AsyncThrowingStream<Data, any Error>.Continuation

  init(of session: URLSession, failure: @escaping @Sendable (any Error) -> TransportError) {
    (self.session, self.failure) = (session, failure)
    (pieces, piece) = AsyncThrowingStream<Data, any Error>.makeStream(
      bufferingPolicy: .bufferingOldest(URLSessionTransport.streamedPiecesMax)
    )
  }

  func stopsWith(_ stop: @escaping @Sendable () -> Void) {
    lock.withLock { self.stop = stop }
    piece.onTermination = { if case .cancelled = $0 { stop() } }
  }

  /// False where the cancellation came first.
  func wait(_ waiter: CheckedContinuation<Head, Never>) -> Bool {
    let isCancelled = lock.withLock {
      if !self.isCancelled { self.waiter = waiter }
      return self.isCancelled
    }
    if isCancelled { waiter.resume(returning: .failure(.cancelled)) }
    return !isCancelled
  }

  func cancel() {
    let stop = lock.withLock {
      isCancelled = true
      return self.stop
    }
    land(.failure(.cancelled))
    stop()
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse {
      land(response)
      completionHandler(.allow)
    } else {
      land(.failure(.failed(.malformedResponse, text: "The answer is not HTTP.")))
      completionHandler(.cancel)
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard case .dropped = piece.yield(data) else { return }
    let text = "More than \(URLSessionTransport.streamedPiecesMax) pieces came and were not taken."
    piece.finish(throwing: TransportError.failed(.unknown, text: text))
    lock.withLock { stop }()
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    guard let error else {
      land(.failure(.failed(.emptyAnswer, text: "The answer ended before its head.")))
      return piece.finish()
    }
    let failure = failure(error)
    land(.failure(failure))
    piece.finish(throwing: failure)
  }

  /// Hands over the head, unless that has been done.
  func land(_ response: HTTPURLResponse) {
    let head = HTTPAnswer(response, body: Data())
    land(.success(StreamedAnswer(status: head.status, headers: head.headers, pieces: pieces)))
  }

  private func land(_ head: Head) {
    let waiter = lock.withLock {
      defer { self.waiter = nil }
      return self.waiter
    }
    waiter?.resume(returning: head)
  }
}
