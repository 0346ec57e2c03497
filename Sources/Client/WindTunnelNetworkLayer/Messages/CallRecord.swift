/// The history of a call in four parts: the system, the request, the response and the counters. It
/// is a fold over the call's events.
public struct CallRecord: Sendable, Hashable, Codable {
  /// The state of a call.
  public enum State: String, Sendable, Hashable, Codable {
    /// The call was created.
    case created
    /// The call is in a queue, or waits for its next attempt.
    case waiting
    /// An attempt is in flight.
    case running
    /// The call was answered from the cache, without the server.
    case fromCache
    /// The call was answered by the server.
    case answered
    /// The call ended with an error.
    case failed
    /// The call was cancelled by its caller.
    case cancelled
  }

  /// The name of a client's environment, unless another one is given.
  public static let production = "production"

  /// The parts of the system that were involved in a call.
  public struct System: Sendable, Hashable, Codable {
    /// The engine of the latest attempt; `nil` where nothing was sent.
    public var engine: String?
    /// The freshness of the cache's answer; `nil` where there was none, or the cache was not used.
    public var cache: CacheFreshness?
    /// The id of the call and of its trace, 32 hexadecimal digits, as `traceparent` has it, and
    /// `X-Request-ID` with the attempt's number behind it; `nil` where none was sent.
    public var traceID: String?
    /// The name of the requests' environment.
    public var environment = CallRecord.production
  }

  /// The request of a call.
  public struct Request: Sendable, Hashable, Codable {
    /// The method of the request.
    public var method: String
    /// The path without the parts that change from call to call.
    public var template: String
    /// The host with its port; `nil` where nothing was sent.
    public var host: String?
    /// The priority of the call in a queue.
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
    /// The status of the latest answer; `nil` where there was none.
    public var status: Int?
    /// The length of its content, in bytes.
    public var bytes = 0
    /// The source of the caller's answer; `nil` where there is none.
    public var source: CallResponse.Source?
    /// The error that the caller got in place of an answer.
    public var failure: Failure?
    /// The durations of the latest answer's stages; `nil` where the platform does not measure them.
    public var stages: StageTimings?
  }

  /// An error as it can be kept: without content.
  public struct Failure: Sendable, Hashable, Codable {
    /// The name of the error, such as `timedOut` or `rateLimited`.
    public var name: String
    /// The code of an envelope's refusal; `nil` where it is none.
    public var businessCode: String?
    /// The thing that a screen does about it.
    public var kind: NetworkError.Kind

    /// Makes one of an error.
    public init(_ error: NetworkError) {
      (name, kind) = (error.name, error.kind)
      if case .business(let code, _) = error { businessCode = code }
    }
  }

  /// The counters and times of a call.
  public struct Counters: Sendable, Hashable, Codable {
    /// The number of requests that were sent.
    public var attempts = 0
    /// The number of retries that the policy wanted and the budget did not allow.
    public var unpaidRetries = 0
    /// The number of new credentials.
    public var renewals = 0
    /// The number of waits before attempts: in a queue, or for what a server has asked.
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

  /// Makes the record of a call that begins.
  package init(call: Int, in environment: String, _ request: Request) {
    (self.call, self.request) = (call, request)
    system.environment = environment
  }

  /// Tells whether the call has ended.
  public var isOver: Bool {
    switch state {
    case .created, .waiting, .running: false
    case .fromCache, .answered, .failed, .cancelled: true
    }
  }
}

/// The freshness of an answer in the cache.
public enum CacheFreshness: String, Sendable, Hashable, Codable {
  /// The answer may be returned without asking the server.
  case fresh
  /// The answer may be returned while a newer one is fetched.
  case staleWhileRevalidating
  /// The server has to be asked first.
  case stale
}
