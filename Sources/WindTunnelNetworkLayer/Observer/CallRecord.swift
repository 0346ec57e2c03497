internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

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

  /// The parts of the system that were involved in a call.
  public struct System: Sendable, Hashable, Codable {
    /// The engine of the latest attempt; `nil` where nothing was sent.
    public var engine: String?
    /// The freshness of the cache's answer; `nil` where there was none, or the cache was not used.
    public var cache: CallEvent.Freshness?
    /// The id of the call and of its trace, 32 hexadecimal digits, as `X-Request-ID` and
    /// `traceparent` have it; `nil` where none was sent.
    public var traceID: String?
    /// The name of the requests' environment.
    public var environment = CallEvent.production
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
  }

  /// The response to a call.
  public struct Response: Sendable, Hashable, Codable {
    /// The status of the latest answer; `nil` where there was none.
    public var status: Int?
    /// The length of its content, in bytes.
    public var bytes = 0
    /// The source of the caller's answer; `nil` where there is none.
    public var source: Answer.Source?
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
    /// The number of waits in a queue.
    public var waits = 0
    /// The sum of the waits between attempts.
    public var backoff = Duration.zero
    /// The time since the call's start.
    public var elapsed = Duration.zero
  }

  /// The number of the call within its client, from 1.
  public let call: Int
  /// The state of the call.
  public private(set) var state = State.created
  /// The parts of the system that were involved.
  public private(set) var system = System()
  /// The request of the call.
  public private(set) var request: Request
  /// The response to the call.
  public private(set) var response = Response()
  /// The counters and times of the call so far.
  public private(set) var counters = Counters()

  /// Makes a record of a call's first event; `nil` for any other.
  public init?(_ event: CallEvent) {
    guard case .callStarted(let endpoint) = event.kind else { return nil }
    call = event.call
    system.environment = event.environment
    request = Request(
      method: endpoint.method.rawValue,
      template: endpoint.template,
      priority: endpoint.priority,
      bytes: endpoint.body?.count ?? 0
    )
  }

  /// Tells whether the call has ended.
  public var isOver: Bool {
    switch state {
    case .created, .waiting, .running: false
    case .fromCache, .answered, .failed, .cancelled: true
    }
  }

  /// Adds the call's next event to the record.
  public mutating func hear(_ event: CallEvent) {
    counters.elapsed = event.elapsed
    system.environment = event.environment
    switch event.kind {
    case .callStarted: break
    case .waiting:
      state = .waiting
      counters.waits += 1
    case .foundInCache(let freshness): system.cache = freshness
    case .attemptStarted(let number, let sent, let engine):
      state = .running
      counters.attempts = number
      system.engine = engine
      system.traceID = sent.traceID
      request.host = sent.url?.origin
    case .attemptEnded(_, .success(let answer)):
      response.status = answer.status
      response.bytes = answer.bytes
      response.stages = answer.stages
    case .attemptEnded(_, .failure):
      response.status = nil
      response.stages = nil
    case .retryScheduled(_, let delay):
      state = .waiting
      counters.backoff += delay
    case .retryNotPaid: counters.unpaidRetries += 1
    case .credentialRenewed: counters.renewals += 1
    case .callEnded(let result, _): end(result)
    }
  }

  private mutating func end(_ result: Result<Answer, NetworkError>) {
    switch result {
    case .success(let answer):
      response.source = answer.source
      state = counters.attempts == 0 && answer.source != .network ? .fromCache : .answered
    case .failure(let error):
      response.failure = Failure(error)
      state = error == .cancelled ? .cancelled : .failed
    }
  }
}

/// The records of the calls under way: each is given up with its last event.
struct RecordKeeper {
  private var records: [Int: CallRecord] = [:]

  /// Hears an event and tells how the record of its call is then.
  mutating func hear(_ event: CallEvent) -> CallRecord? {
    if let record = CallRecord(event) {
      records[event.call] = record
      return record
    }
    records[event.call]?.hear(event)
    guard let record = records[event.call] else { return nil }
    if record.isOver { records[event.call] = nil }
    return record
  }
}

extension URL {
  /// The host with its port (RFC 6454 §4, without the scheme).
  var origin: String {
    let name = host ?? ""
    return port.map { "\(name):\($0)" } ?? name
  }
}
