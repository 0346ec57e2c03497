internal import Dispatch
internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// Sends a request to the live origin on behalf of a loading task that records.
///
/// The request uses a session of the harness without cookies, cache, credentials and redirects. Its
/// delegate is called on its own queue, and switches back to the task's queue.
final class Forwarding: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  /// The parts of a response, in the order of arrival.
  enum Event {
    case head(ResponseHead)
    case bytes(Data)
    /// The end, with the platform's own error if it failed.
    case end(RecordedResult, Timing, (any Error)?)
  }

  private let context: LoadingContext
  private let handle: (Event) -> Void
  private let live: URLRequest?
  private let outcome: Outcome
  private let start = DispatchTime.now()
  // Accessed on ``queue`` only.
  private var task: URLSessionDataTask?
  private var session: URLSession?
  // Accessed on the delegate's queue only.
  private var isOver = false
  private var head: ResponseHead?
  private var body = Data()
  private var timing = Timing(firstByte: .zero, lastByte: .zero)

  /// A separate queue, because creating a task on another task's queue would deadlock.
  private static let queue = DispatchQueue(label: "windtunnel.forwarding")
  /// The loading task enforces the timeouts, so this one only has to be longer.
  private static let timeout: TimeInterval = 86_400

  init(_ outcome: Outcome, in context: LoadingContext, _ handle: @escaping (Event) -> Void) {
    (self.outcome, self.context, self.handle) = (outcome, context, handle)
    let request = outcome.forwarded
    live = URL(string: request.url.description).map { url in
      var live = URLRequest(url: url, timeoutInterval: Self.timeout)
      live.httpMethod = request.method
      for field in request.headers { live.setValue(field.value, forHTTPHeaderField: field.name) }
      if !request.body.data.isEmpty { live.httpBody = request.body.data }
      return live
    }
  }

  /// Starts or resumes the request.
  func resume() {
    guard let live else {
      return handle(.end(.failure(Failure(.badURL)), timing, URLError(.badURL)))
    }
    Self.queue.async { [self] in
      if task == nil {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.timeoutIntervalForRequest = Self.timeout
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        (self.session, task) = (session, session.dataTask(with: live))
      }
      task?.resume()
    }
  }

  /// Suspends the request for a while.
  func suspend() { Self.queue.async { [self] in task?.suspend() } }

  /// Ends with an error as if the origin had failed. The data received so far is the response.
  func giveUp(_ error: any Error) {
    Self.queue.async { [self] in
      // Events of the cancelled task itself arrive later and are ignored.
      session?.delegateQueue.addOperation { [self] in end(error) }
      task?.cancel()
    }
  }

  /// Cancels the live request if it has begun. It cannot be resumed afterwards.
  func cancel() { Self.queue.async { [self] in task?.cancel() } }

  private var elapsed: Duration {
    let nanoseconds = DispatchTime.now().uptimeNanoseconds &- start.uptimeNanoseconds
    return max(.zero, .microseconds(Int64(bitPattern: nanoseconds) / 1000))
  }

  private func emit(_ event: Event) {
    context.hop { [self] in handle(event) }
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Each hop is a separate interaction; the loading task requests the next one.
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    note(response)
    completionHandler(.allow)
  }

  func note(_ response: URLResponse?) {
    guard head == nil, let response = response as? HTTPURLResponse else { return }
    timing.firstByte = elapsed
    let head = outcome.named(
      ResponseHead(status: response.statusCode, headers: HeaderFields(of: response))
    )
    self.head = head
    emit(.head(head))
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    note(dataTask.response)
    timing.chunks.append(Timing.Chunk(bytes: data.count, offset: elapsed))
    body.append(data)
    emit(.bytes(data))
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    if error == nil { note(task.response) }
    end(error)
    session.finishTasksAndInvalidate()
  }

  func end(_ error: (any Error)?) {
    guard !isOver else { return }
    isOver = true
    timing.lastByte = elapsed
    // A single piece is not recorded as a stream, nor are the pieces of a body with a known length.
    let hasLength = head?.headers["Content-Length"] != nil
    if timing.chunks.count < 2 || hasLength { timing.chunks = [] }
    emit(.end(answer(error), timing, error))
  }

  private func answer(_ error: (any Error)?) -> RecordedResult {
    let response = head.map { Response(decoded: $0, body: Body(body)) }
    guard let error else { return .response(response ?? Response()) }
    let failure = Failure(Symptom(error) ?? .unknown, text: error.localizedDescription)
    guard var response, failure.symptom != .cancelled else { return .failure(failure) }
    // A truncated response keeps the announced length.
    if let length = head?.headers["Content-Length"] {
      response.head.headers["Content-Length"] = length
    }
    return .cut(response, failure)
  }
}

// MARK: - Responses as the platform reports them

extension HeaderFields {
  /// Creates the fields that the platform reports: without order, and with repeated fields joined.
  ///
  /// Only cookies are separated again, because joined cookies are invalid (RFC 6265 §3).
  init(of response: HTTPURLResponse) {
    let fields = response.allHeaderFields.map { HeaderField("\($0.key)", "\($0.value)") }
      .sorted { $0.name < $1.name }
    self.init(
      fields.flatMap { field in
        guard field.isNamed("Set-Cookie") else { return [field] }
        return JoinedCookies.parts(of: field.value).map { HeaderField(field.name, $0) }
      }
    )
  }

  /// The names of the fields that may have been joined, because their values contain a comma.
  ///
  /// Dates (RFC 9110 §5.6.7) and the separated cookies are excluded.
  var perhapsJoined: [String] {
    let single = ["Date", "Expires", "Last-Modified", "Retry-After", "Set-Cookie"]
    return filter { field in
      field.value.contains(",") && !single.contains { field.isNamed($0) }
    }.map(\.name)
  }
}

extension Response {
  /// Creates a response from a URL loading system's response, whose body is already decoded.
  ///
  /// The fields still describe the encoded body. They are corrected to match the decoded bytes.
  init(decoded head: ResponseHead, body: Body) {
    var head = head
    let coding = head.headers["Content-Encoding"]?.lowercased() ?? "identity"
    if coding != "identity" {
      head.headers.remove("Content-Encoding")
      if head.headers["Content-Length"] != nil {
        head.headers["Content-Length"] = String(body.data.count)
      }
    }
    head.headers.remove("Transfer-Encoding")
    self.init(head, body)
  }
}

/// The separation of cookies that a platform has joined into one field.
private enum JoinedCookies {
  /// Returns the separate cookies.
  ///
  /// Each begins with a name and an equals sign. A comma before anything else, such as in a date,
  /// belongs to its cookie (RFC 6265 §4.1.1).
  static func parts(of text: String) -> [String] {
    var parts: [String] = []
    var (start, rest) = (text.startIndex, text[...])
    while let comma = rest.firstIndex(of: ",") {
      rest = text[text.index(after: comma)...]
      let next = rest.drop { $0 == " " }
      let name = next.prefix { !" =;,".contains($0) }
      guard !name.isEmpty, next[name.endIndex...].first == "=" else { continue }
      parts.append(String(text[start..<comma]))
      start = next.startIndex
    }
    return parts + [String(text[start...])]
  }
}
