public import Foundation
internal import WindTunnelSymptoms

/// A response whose content is still arriving.
public struct StreamedResponse: Sendable {
  /// The response's status code.
  public let status: Int
  /// The response's header fields.
  public let headers: Headers
  /// Whether a redirect led to another URL than the requested one, as in ``ServerResponse``.
  public var isRedirected = false
  /// The content in pieces as they arrive. It fails with a ``TransportError``.
  public let pieces: AsyncThrowingStream<Data, any Error>
  /// Cancels the request; the pieces then fail as cancelled.
  let cancel: @Sendable () -> Void

  /// Creates a response from its parts. A reader that stops or is cancelled ends the pieces.
  public init(status: Int, headers: Headers = [:], pieces: AsyncThrowingStream<Data, any Error>) {
    self.init(status: status, headers: headers, pieces: pieces, cancel: {})
  }

  /// Creates a response from its parts, with a function that cancels the request.
  package init(
    status: Int,
    headers: Headers,
    pieces: AsyncThrowingStream<Data, any Error>,
    cancel: @escaping @Sendable () -> Void
  ) {
    (self.status, self.headers, self.pieces, self.cancel) = (status, headers, pieces, cancel)
  }

  /// Creates a streamed response from a complete one.
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

  /// Returns the response with its content.
  func whole(_ body: Data) -> ServerResponse {
    var answer = ServerResponse(status: status, headers: headers, body: body)
    answer.isRedirected = isRedirected
    return answer
  }

  /// Returns the response without its content, and with the number of bytes that were written
  /// elsewhere.
  func head(bytesElsewhere: Int64) -> ServerResponse {
    var head = whole(Data())
    head.bytesElsewhere = bytesElsewhere
    return head
  }

  /// The number of bytes in `Content-Length`; `nil` if the field is missing or invalid.
  var length: Int64? { headers["Content-Length"].flatMap { Int64($0) } }

  /// The length of content without a coding; `nil` otherwise, because it is the coded length.
  var lengthOfContent: Int64? {
    let coding = headers["Content-Encoding"]?.lowercased() ?? "identity"
    return coding == "identity" ? length : nil
  }
}

/// A delegate that passes on the response of one task as it arrives.
final class StreamListener: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  typealias Head = Result<StreamedResponse, TransportError>

  /// The session of the app.
  let session: URLSession
  private let asked: URL?
  private let failure: @Sendable (any Error) -> TransportError
  private let lock = NSLock()
  /// The head, or the error if there is none.
  let head = Promise<Head>()
  private var stop: @Sendable () -> Void = {}
  private let sent: @Sendable (Int64, Int64) -> Void
  /// The stream until it is passed on. Afterwards, releasing the stream cancels the request.
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
      head.keep(.failure(.failed(.malformedResponse, text: "The response is not HTTP.")))
      completionHandler(.cancel)
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard case .dropped = piece.yield(data) else { return }
    let text = "More than \(URLSessionTransport.streamedPiecesMax) pieces are unread."
    piece.finish(throwing: TransportError.failed(.unknown, text: text))
    lock.withLock { stop }()
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    guard let error else {
      head.keep(.failure(.failed(.emptyAnswer, text: "The response ended before its head.")))
      return piece.finish()
    }
    let failure = failure(error)
    head.keep(.failure(failure))
    piece.finish(throwing: failure)
  }

  /// Passes the head on, unless that was done before.
  func land(_ response: HTTPURLResponse) {
    let head = ServerResponse(response, body: Data())
    // The head was passed on before.
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
