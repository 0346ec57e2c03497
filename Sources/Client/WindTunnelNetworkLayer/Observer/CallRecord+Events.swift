package import Foundation

// A record is a fold over its call's events.
extension CallRecord {
  /// Creates a record from a call's first event; `nil` for any other event.
  public init?(_ event: CallEvent) {
    guard case .callStarted(let endpoint) = event.kind else { return nil }
    self.init(
      call: event.call,
      in: event.environment,
      Request(
        method: endpoint.method.rawValue,
        template: endpoint.template,
        priority: endpoint.priority,
        bytes: endpoint.body?.count ?? 0
      )
    )
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

  private mutating func end(_ result: Result<CallResponse, NetworkError>) {
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

/// The records of the calls in progress. Each is dropped after its last event.
struct RecordKeeper {
  private var records: [Int: CallRecord] = [:]

  /// Applies an event, and returns the resulting record of its call.
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
  package var origin: String {
    let name = host ?? ""
    return port.map { "\(name):\($0)" } ?? name
  }
}
