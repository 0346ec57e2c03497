internal import Dispatch
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  package import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A transport that sends requests by a `URLSession`.
///
/// The transport uses tasks with completion handlers, never `data(for:)`: on Linux with Swift up to
/// 6.3.3 a cancel that meets the completion of `data(for:)` stops every session of the process
/// (swift-corelibs-foundation #5412).
///
/// On Linux with Swift 6.3 a session without a delegate never calls back for an answer of status
/// 401 with `WWW-Authenticate: Basic`. Only a cancellation or the deadline of the call ends that
/// attempt.
public struct URLSessionTransport: Transport, DeadlineKeeping {
  /// The greatest number of pieces that may have arrived and not been read; past it a stream fails,
  /// since its reader is too slow.
  public static let streamedPiecesMax = 4096

  private let session: URLSession

  /// Makes a transport of a session, which the caller has to invalidate.
  public init(session: URLSession) { self.session = session }

  /// Sends a request and returns its answer; a cancellation ends it without waiting for the
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
    // A request that is changed is copied first.
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

  /// Sends a request and returns its answer as soon as the head has arrived.
  ///
  /// The session's delegate is asked about certificates, credentials and redirects as by any other
  /// task; on Linux about redirects alone. A reader that stops, or is cancelled, stops the request.
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
    // One that is set beats the session's, even if it is the same as none.
    if timeout != request.timeoutInterval { request.timeoutInterval = timeout }
    let listener = StreamListener(of: session, asking: request.url, sent: upload.sent) {
      [self, request] in
      failure($0, of: request)
    }
    let (task, isOver) = listener.task(for: request, uploading: upload.file)
    defer { isOver() }
    listener.stopsWith {
      // Another thread's, as in an exchange: it may be the session's own queue that asks for it.
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
      return .failure(.failed(.malformedResponse, text: "The answer is not HTTP."))
    }
    var answer = ServerResponse(response, body: data ?? Data(), stages: stages)
    answer.isRedirected = response.isElsewhere(than: request.url)
    return .success(answer)
  }

  /// Returns the failure that an error of a session's task stands for.
  ///
  /// A task whose server's certificate the session's delegate refuses is cancelled by the session.
  /// Whoever cancels the call has been answered before, so the delegate knows better.
  func failure(_ error: any Error, of request: URLRequest) -> TransportError {
    let symptom = Symptom(error) ?? .unknown
    guard symptom == .cancelled else { return .failed(symptom, text: error.localizedDescription) }
    guard let host = ((error as? URLError)?.failingURL ?? request.url)?.host,
      let judge = session.delegate as? any TrustJudging, judge.hasRefusedCertificate(of: host)
    else { return .cancelled }
    return .failed(
      .serverCertificateUntrusted,
      text: "The certificate of \(host) is none that this app trusts."
    )
  }
}

/// One task and its outcome: the response or the cancellation, whichever is first.
private final class Exchange: Sendable {
  let outcome = Promise<AttemptOutcome>()
  private let task = Locked<URLSessionTask?>(nil)

  /// Makes the task and starts it, unless the cancellation was faster.
  func start(
    making make: (_ land: @escaping @Sendable (AttemptOutcome) -> Void) -> URLSessionTask
  ) {
    guard !outcome.isKept else { return }
    let task = make { [outcome] in outcome.keep($0) }
    self.task.withLock { $0 = task }
    // A cancellation that came meanwhile has found no task.
    if outcome.isKept { task.cancel() } else { task.resume() }
  }

  /// Ends the wait at once and stops the task soon after.
  ///
  /// The task is cancelled from another thread. Its `cancel()` blocks until the session's queue is
  /// free, which on Linux would hold up the canceller (who holds a lock of the runtime meanwhile)
  /// and would trap if the canceller itself were on that queue.
  func cancel() {
    guard outcome.keep(.failure(.cancelled)), let task = task.exchange(nil) else { return }
    DispatchQueue.global().async { task.end() }
  }
}

extension ServerResponse {
  /// Makes an answer of a session's response, with the content that came.
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

  /// Names and values are texts; spelling out anything else takes far longer.
  private static func text(_ value: Any) -> String {
    value as? String ?? String(describing: value)
  }
}

extension HTTPURLResponse {
  /// Tells whether this is of another URL than the one that was asked, however that is spelled.
  func isElsewhere(than asked: URL?) -> Bool {
    // Nearly all are of the same, and to take them apart costs more.
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

/// A session's delegate that checks the certificates of servers, and remembers the results.
///
/// A session reports a task whose server was refused by its delegate as cancelled. With such a
/// delegate a transport distinguishes the two.
public protocol TrustJudging: URLSessionDelegate {
  /// Tells whether the last check of a host's certificate refused it.
  func hasRefusedCertificate(of host: String) -> Bool
}
