/// The history of a call, folded from its events: the system, the request, the response, the
/// counters.
public struct CallRecord: Sendable, Hashable, Codable {
  /// The state of a call.
  public enum State: String, Sendable, Hashable, Codable {
    /// The call was created.
    case created
    /// The call is queued, or waits for its next attempt.
    case waiting
    /// An attempt is in flight.
    case running
    /// The call got its response from the cache, without the server.
    case fromCache
    /// The call got its response from the server.
    case answered
    /// The call ended with an error.
    case failed
    /// The caller cancelled the call.
    case cancelled
  }

  /// The default name of a client's environment.
  public static let production = "production"

  /// The parts of the system that were involved in a call.
  public struct System: Sendable, Hashable, Codable {
    /// The engine of the latest attempt; `nil` if nothing was sent.
    public var engine: String?
    /// The freshness of the cached response; `nil` if there was none, or the cache was not used.
    public var cache: CacheFreshness?
    /// The id of the call and its trace, 32 hexadecimal digits; `nil` if none was sent.
    ///
    /// It is part of `traceparent`. `X-Request-ID` has it too, followed by the attempt's number.
    public var traceID: String?
    /// The name of the requests' environment.
    public var environment = CallRecord.production
  }

  /// The request of a call.
  public struct Request: Sendable, Hashable, Codable {
    /// The method of the request.
    public var method: String
    /// The path without the parts that differ between calls.
    public var template: String
    /// The host with its port; `nil` if nothing was sent.
    public var host: String?
    /// The queue priority of the call.
    public var priority: CallPriority
    /// The length of the content, in bytes.
    public var bytes: Int

    package init(
      method: String,
      template: String,
      host: String? = nil,
      priority: CallPriority,
      bytes: Int
    ) {
      (self.method, self.template, self.host) = (method, template, host)
      (self.priority, self.bytes) = (priority, bytes)
    }
  }

  /// The response to a call.
  public struct Response: Sendable, Hashable, Codable {
    /// The status of the latest response; `nil` if there was none.
    public var status: Int?
    /// The length of its content, in bytes.
    public var bytes = 0
    /// The source of the caller's response; `nil` if there is none.
    public var source: CallResponse.Source?
    /// The error that was thrown to the caller; `nil` if there was a response.
    public var failure: Failure?
    /// The durations of the latest response's stages; `nil` if the platform does not measure them.
    public var stages: StageTimings?
  }

  /// An error without its content, so that it can be stored.
  public struct Failure: Sendable, Hashable, Codable {
    /// The name of the error, such as `timedOut` or `rateLimited`.
    public var name: String
    /// The code of an error in an envelope; `nil` for other errors.
    public var businessCode: String?
    /// The suitable reaction of a user interface.
    public var kind: NetworkError.Kind

    /// Creates a failure from an error.
    public init(_ error: NetworkError) {
      (name, kind) = (error.name, error.kind)
      if case .business(let code, _) = error { businessCode = code }
    }
  }

  /// The counters and times of a call.
  public struct Counters: Sendable, Hashable, Codable {
    /// The number of requests that were sent.
    public var attempts = 0
    /// The number of retries that the policy requested and the budget refused.
    public var unpaidRetries = 0
    /// The number of credential renewals.
    public var renewals = 0
    /// The number of waits before attempts, such as for a slot, a network or a `Retry-After`.
    public var waits = 0
    /// The sum of the waits between attempts.
    public var backoff = Duration.zero
    /// The time since the call's start.
    public var elapsed = Duration.zero
  }

  /// The number of the call within its client, from 1.
  public let call: Int
  /// The state of the call.
  public package(set) var state = State.created
  /// The parts of the system that were involved.
  public package(set) var system = System()
  /// The request of the call.
  public package(set) var request: Request
  /// The response to the call.
  public package(set) var response = Response()
  /// The counters and times of the call so far.
  public package(set) var counters = Counters()

  /// Creates the record of a call that begins.
  package init(call: Int, in environment: String, _ request: Request) {
    (self.call, self.request) = (call, request)
    system.environment = environment
  }

  /// Whether the call has ended.
  public var isOver: Bool {
    switch state {
    case .created, .waiting, .running: false
    case .fromCache, .answered, .failed, .cancelled: true
    }
  }
}

/// The freshness of a cached response.
public enum CacheFreshness: String, Sendable, Hashable, Codable {
  /// The response may be returned without contacting the server.
  case fresh
  /// The response may be returned while a newer one is fetched.
  case staleWhileRevalidating
  /// The server must validate the response first.
  case stale
}
