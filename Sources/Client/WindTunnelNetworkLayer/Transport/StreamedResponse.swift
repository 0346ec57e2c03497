public import Foundation
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// An answer whose content is still arriving.
public struct StreamedResponse: Sendable {
  /// The answer's status code.
  public let status: Int
  /// The answer's header fields.
  public let headers: Headers
  /// True where another URL answered than the one that was asked, as in ``ServerResponse``.
  public var isRedirected = false
  /// The content in the pieces in which it arrives; fails with a ``TransportError``.
  public let pieces: AsyncThrowingStream<Data, any Error>
  /// Ends the request; the pieces fail as cancelled.
  let cancel: @Sendable () -> Void

  /// Makes an answer of its parts; a reader that stops, or is cancelled, ends the pieces.
  public init(status: Int, headers: Headers = [:], pieces: AsyncThrowingStream<Data, any Error>) {
    self.init(status: status, headers: headers, pieces: pieces, cancel: {})
  }

  /// Makes an answer of its parts, with a function that ends the request.
  package init(
    status: Int,
    headers: Headers,
    pieces: AsyncThrowingStream<Data, any Error>,
    cancel: @escaping @Sendable () -> Void
  ) {
    (self.status, self.headers, self.pieces, self.cancel) = (status, headers, pieces, cancel)
  }

  /// Makes one of an answer that is all there.
  init(_ answer: ServerResponse) {
    self.init(
      status: answer.status,
      headers: answer.headers,
      pieces: AsyncThrowingStream { pieces in
        if !answer.body.isEmpty { pieces.yield(answer.body) }
        pieces.finish()
      }
    )
    isRedirected = answer.isRedirected
  }

  /// Returns the answer with its content.
  func whole(_ body: Data) -> ServerResponse {
    var answer = ServerResponse(status: status, headers: headers, body: body)
    answer.isRedirected = isRedirected
    return answer
  }

  /// Returns the answer without its content, of which so many bytes went elsewhere.
  func head(bytesElsewhere: Int64) -> ServerResponse {
    var head = whole(Data())
    head.bytesElsewhere = bytesElsewhere
    return head
  }

  /// The number of bytes that `Content-Length` announces; `nil` where it does not.
  var length: Int64? { headers["Content-Length"].flatMap { Int64($0) } }

  /// The same of content without a coding: of a coded one it counts other bytes.
  var lengthOfContent: Int64? {
    let coding = headers["Content-Encoding"]?.lowercased() ?? "identity"
    return coding == "identity" ? length : nil
  }
}

/// Hears what a session says of one task and passes it on.
final class StreamListener: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  typealias Head = Result<StreamedResponse, TransportError>

  /// The session of the app.
  let session: URLSession
  private let asked: URL?
  private let failure: @Sendable (any Error) -> TransportError
  private let lock = NSLock()
  /// The head, or the reason why there is none.
  let head = Promise<Head>()
  private var stop: @Sendable () -> Void = {}
  private let sent: @Sendable (Int64, Int64) -> Void
  /// The stream until it is handed over: whoever has it then ends the request when he drops it.
  private var pieces: AsyncThrowingStream<Data, any Error>?
  private let piece: AsyncThrowingStream<Data, any Error>.Continuation

  init(
    of session: URLSession,
    asking url: URL?,
    sent: @escaping @Sendable (Int64, Int64) -> Void,
    failure: @escaping @Sendable (any Error) -> TransportError
  ) {
    (self.session, asked, self.sent, self.failure) = (session, url, sent, failure)
    let (pieces, piece) = AsyncThrowingStream<Data, any Error>.makeStream(
      bufferingPolicy: .bufferingOldest(URLSessionTransport.streamedPiecesMax)
    )
    (self.pieces, self.piece) = (pieces, piece)
  }

  func stopsWith(_ stop: @escaping @Sendable () -> Void) {
    lock.withLock { self.stop = stop }
    piece.onTermination = { if case .cancelled = $0 { stop() } }
  }

  func cancel() {
    head.keep(.failure(.cancelled))
    piece.finish(throwing: TransportError.cancelled)
    lock.withLock { stop }()
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    sent(totalBytesSent, totalBytesExpectedToSend)
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
      head.keep(.failure(.failed(.malformedResponse, text: "The answer is not HTTP.")))
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
      head.keep(.failure(.failed(.emptyAnswer, text: "The answer ended before its head.")))
      return piece.finish()
    }
    let failure = failure(error)
    head.keep(.failure(failure))
    piece.finish(throwing: failure)
  }

  /// Hands over the head, unless that has been done.
  func land(_ response: HTTPURLResponse) {
    let head = ServerResponse(response, body: Data())
    // It has been handed over already.
    guard let pieces = lock.withLock({ self.pieces.take() }) else { return }
    var answer = StreamedResponse(
      status: head.status,
      headers: head.headers,
      pieces: pieces,
      cancel: { [weak self] in self?.cancel() }
    )
    answer.isRedirected = response.isElsewhere(than: asked)
    self.head.keep(.success(answer))
  }
}
