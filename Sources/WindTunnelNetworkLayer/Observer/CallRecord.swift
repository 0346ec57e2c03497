internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The story of a call in four parts: the system, the request, the response, the counters. A
/// fold over the call's events.
public struct CallRecord: Sendable, Hashable {
  /// The state of a call.
  public enum State: String, Sendable, Hashable {
    /// It was asked for.
    case created
    /// It is in a queue, or waits for its next attempt.
    case waiting
    /// An attempt is in flight.
    case running
    /// It was answered out of the cache, without a word from the server.
    case fromCache
    /// It was answered by the server.
    case answered
    /// It ended with an error.
    case failed
    /// The caller gave it up.
    case cancelled
  }

  /// The parts of the system that a call was made by.
  public struct System: Sendable, Hashable {
    /// The engine of the latest attempt; `nil`: nothing was sent.
    public var engine: String?
    /// The state of the cache's answer; `nil`: there was none, or the cache was not asked.
    public var cache: CallEvent.Freshness?
    /// The trace that it belongs to, 32 hexadecimal digits; `nil`: none was sent.
    public var traceID: String?
    /// The environment that requests go to.
    public var environment = CallEvent.production
  }

  /// The request of a call.
  public struct Request: Sendable, Hashable {
    /// The verb of the request.
    public var method: String
    /// The path without what changes from call to call.
    public var template: String
    /// The host with its port; `nil`: nothing was sent.
    public var host: String?
    /// The rank of the call where there is a queue.
    public var priority: CallPriority
    /// The content in bytes.
    public var bytes: Int
  }

  /// The response to a call.
  public struct Response: Sendable, Hashable {
    /// The status of the latest answer; `nil`: there was none.
    public var status: Int?
    /// Its content in bytes.
    public var bytes = 0
    /// The origin of the caller's answer; `nil`: there is none.
    public var source: Answer.Source?
    /// The reason for which the caller got none.
    public var error: NetworkError?
    /// The times of the stages of the latest answer; `nil`: the platform does not say.
    public var stages: StageTimings?
  }

  /// The costs of a call.
  public struct Counters: Sendable, Hashable {
    /// The number of requests that were sent.
    public var attempts = 0
    /// The number of retries that the policy wanted and the budget did not pay.
    public var unpaidRetries = 0
    /// The number of new credentials.
    public var renewals = 0
    /// The number of times in a queue.
    public var waits = 0
    /// The time between attempts, in all.
    public var backoff = Duration.zero
    /// The time in all, so far.
    public var elapsed = Duration.zero
  }

  /// The number of the call within its client, from 1.
  public let call: Int
  /// The state of the call.
  public private(set) var state = State.created
  /// The parts of the system that it was made by.
  public private(set) var system = System()
  /// The request that was asked for.
  public private(set) var request: Request
  /// The response that came.
  public private(set) var response = Response()
  /// The costs of the call so far.
  public private(set) var counters = Counters()

  /// Begins with the first event of a call; `nil`: it is another one.
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

  /// True where nothing more will happen to it.
  public var isOver: Bool {
    switch state {
    case .created, .waiting, .running: false
    case .fromCache, .answered, .failed, .cancelled: true
    }
  }

  /// Hears what happened next.
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
      response.bytes = answer.body.count
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
      response.error = error
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
