internal import Dispatch
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  package import Foundation
#else
  public import Foundation
#endif

/// A transport that sends requests with a `URLSession`.
///
/// The transport uses tasks with completion handlers, never `data(for:)`. On Linux with Swift up to
/// 6.3.3, a cancellation during the completion of `data(for:)` stops every session of the process
/// (swift-corelibs-foundation #5412).
///
/// On Linux with Swift 6.3 a session without a delegate never calls back for a 401 response with
/// `WWW-Authenticate: Basic`. Only a cancellation or the deadline of the call ends that attempt.
public struct URLSessionTransport: Transport, DeadlineKeeping {
  /// The maximum number of unread pieces. Beyond it a stream fails because its reader is too slow.
  public static let streamedPiecesMax = 4096

  private let session: URLSession

  /// Creates a transport with a session, which the caller must invalidate.
  public init(session: URLSession) { self.session = session }

  /// Sends a request and returns its response. A cancellation returns without waiting for the
  /// session.
  public func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    try await send(request, until: nil)
  }

  func send(
    _ request: URLRequest,
    until deadline: CallDeadline?
  ) async throws(TransportError) -> ServerResponse {
    var request = request
    let timeout = SessionTimeout.honoured(request.timeoutInterval)
    // Changing a request copies it first.
    if timeout != request.timeoutInterval { request.timeoutInterval = timeout }
    let exchange = Exchange()
    return try await withGivingUp(at: deadline) {
      exchange.start { [request] land in
        let stages = StageWatch()
        let task = session.dataTask(with: request) {
          land(outcome($0, $1, $2, stages.timings, of: request))
        }
        stages.watch(task)
        return task
      }
      return await exchange.outcome.value
    } onGivingUp: {
      exchange.cancel()
    }.get()
  }

  /// Sends a request and returns its response as soon as the head has arrived.
  ///
  /// The session's delegate decides about certificates, credentials and redirects as for any other
  /// task; on Linux about redirects only. A reader that stops or is cancelled cancels the request.
  public func open(
    _ request: URLRequest,
    _ upload: Upload = Upload()
  ) async throws(TransportError) -> StreamedResponse {
    try await open(request, upload, until: nil)
  }

  func open(
    _ request: URLRequest,
    _ upload: Upload,
    until deadline: CallDeadline?
  ) async throws(TransportError) -> StreamedResponse {
    var request = request
    let timeout = SessionTimeout.honoured(request.timeoutInterval)
    // Setting the time-out overrides the session's, even with an equal value.
    if timeout != request.timeoutInterval { request.timeoutInterval = timeout }
    let listener = StreamListener(of: session, asking: request.url, sent: upload.sent) {
      [self, request] in
      failure($0, of: request)
    }
    let (task, isOver) = listener.task(for: request, uploading: upload.file)
    defer { isOver() }
    listener.stopsWith {
      // On another thread, as in `Exchange`, because the caller may run on the session's own queue.
      DispatchQueue.global().async { task.end() }
    }
    return try await withGivingUp(at: deadline) {
      if listener.head.isKept { task.cancel() } else { task.resume() }
      return await listener.head.take()
    } onGivingUp: {
      listener.cancel()
    }.get()
  }

  private func outcome(
    _ data: Data?,
    _ response: URLResponse?,
    _ error: (any Error)?,
    _ stages: StageTimings?,
    of request: URLRequest
  ) -> AttemptOutcome {
    if let error { return .failure(failure(error, of: request)) }
    guard let response = response as? HTTPURLResponse else {
      return .failure(.failed(.malformedResponse, text: "The response is not HTTP."))
    }
    var answer = ServerResponse(response, body: data ?? Data(), stages: stages)
    answer.isRedirected = response.isElsewhere(than: request.url)
    return .success(answer)
  }

  /// Returns the transport error for an error of a session's task.
  ///
  /// If the session's delegate refuses a server's certificate, the session cancels the task. A
  /// caller that cancels the call has already received its error, so the delegate's result takes
  /// precedence.
  func failure(_ error: any Error, of request: URLRequest) -> TransportError {
    let symptom = Symptom(error) ?? .unknown
    guard symptom == .cancelled else { return .failed(symptom, text: error.localizedDescription) }
    guard let host = ((error as? URLError)?.failingURL ?? request.url)?.host,
      let judge = session.delegate as? any TrustJudging, judge.isCertificateRefused(of: host)
    else { return .cancelled }
    return .failed(
      .serverCertificateUntrusted,
      text: "The app does not trust the certificate of \(host)."
    )
  }
}

/// One task and its outcome: the response, or a cancellation if that is first.
private final class Exchange: Sendable {
  let outcome = Promise<AttemptOutcome>()
  private let task = Locked<URLSessionTask?>(nil)

  /// Creates the task and starts it, unless it is already cancelled.
  func start(
    making make: (_ land: @escaping @Sendable (AttemptOutcome) -> Void) -> URLSessionTask
  ) {
    guard !outcome.isKept else { return }
    let task = make { [outcome] in outcome.keep($0) }
    self.task.withLock { $0 = task }
    // A cancellation in the meantime found no task.
    if outcome.isKept { task.cancel() } else { task.resume() }
  }

  /// Ends the wait at once and cancels the task soon after.
  ///
  /// The task is cancelled on another thread. Its `cancel()` blocks until the session's queue is
  /// free. On Linux that would block the caller, which holds a lock of the runtime. It would also
  /// trap if the caller runs on that queue.
  func cancel() {
    guard outcome.keep(.failure(.cancelled)), let task = task.exchange(nil) else { return }
    DispatchQueue.global().async { task.end() }
  }
}

extension ServerResponse {
  /// Creates a response from a session's response and the received content.
  package init(_ response: HTTPURLResponse, body: Data, stages: StageTimings? = nil) {
    let fields = response.allHeaderFields.map {
      Headers.Field(Self.text($0.key.base), Self.text($0.value))
    }
    self.init(
      status: response.statusCode,
      headers: Headers(fields.sorted { $0.name < $1.name }),
      body: body,
      stages: stages
    )
  }

  /// Returns the text of a name or value. They are strings; describing other types takes far
  /// longer.
  private static func text(_ value: Any) -> String {
    value as? String ?? String(describing: value)
  }
}

extension HTTPURLResponse {
  /// Returns whether this response is from another URL than the requested one, apart from spelling.
  func isElsewhere(than asked: URL?) -> Bool {
    // Nearly all URLs are equal, and comparing their parts costs more.
    guard let url, let asked, url != asked else { return false }
    func parts(_ url: URL) -> [String?] {
      let path = url.path(percentEncoded: false)
      return [
        url.scheme?.lowercased(), url.host?.lowercased(), url.port.map(String.init),
        path.isEmpty ? "/" : path, url.query(percentEncoded: false),
      ]
    }
    return parts(url) != parts(asked)
  }
}

/// A session delegate that checks the certificates of servers, and remembers the results.
///
/// If its delegate refuses a server, a session reports the task as cancelled. With such a delegate
/// a transport can distinguish the two cases.
public protocol TrustJudging: URLSessionDelegate {
  /// Returns whether the last check of a host's certificate refused it.
  func isCertificateRefused(of host: String) -> Bool
}
