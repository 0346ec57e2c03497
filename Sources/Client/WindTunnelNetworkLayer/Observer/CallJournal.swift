public import Foundation

/// An observer that keeps the latest calls in memory, with their records, requests and responses.
///
/// A bug report can be built from it. The journal contains complete requests and responses,
/// including all secrets. It drops the oldest calls first.
public final class CallJournal: Observer {
  /// A request that was sent, with its response.
  public struct Exchange: Sendable, Hashable {
    /// The number of the request's call.
    public var call: Int
    /// The request as it was sent.
    public var request: URLRequest
    /// The response, or the failure.
    public var outcome: AttemptOutcome
    /// The duration of the attempt.
    public var elapsed: Duration
    /// The time at which the attempt ended.
    public var date: Date

    /// The approximate memory that it occupies, in bytes.
    fileprivate var cost: Int {
      let came = if case .success(let answer) = outcome { answer.body.count } else { 0 }
      return 1024 + came + (request.httpBody?.count ?? 0)
    }
  }

  private struct State {
    var keeper = RecordKeeper()
    var records: [CallRecord] = []
    var entries: [Exchange] = []
    var bytes = 0
    /// The requests in flight by call, each with its start.
    var sent: [Int: (request: URLRequest, start: Duration)] = [:]
  }

  private let state = Locked(State())
  private let most: (calls: Int, bytes: Int)
  private let time: any TimeSource

  /// Creates an empty journal.
  ///
  /// - Parameters:
  ///   - calls: The maximum number of calls.
  ///   - bytes: The approximate maximum size of requests and responses in memory.
  ///   - time: The source of the entries' dates.
  public init(calls: Int = 200, bytes: Int = 5_000_000, time: any TimeSource = SystemTime()) {
    most = (max(0, calls), max(0, bytes))
    self.time = time
  }

  /// The records of the finished calls, the oldest first.
  public var records: [CallRecord] { state.withLock { $0.records } }
  /// The attempts, the oldest first, without cancelled ones.
  public var entries: [Exchange] { state.withLock { $0.entries } }

  /// Adds an event to the journal.
  public func observe(_ event: CallEvent) {
    state.withLock { state in
      let record = state.keeper.hear(event)
      switch event.kind {
      case .attemptStarted(_, let request, _): state.sent[event.call] = (request, event.elapsed)
      case .attemptEnded(_, let outcome):
        guard let sent = state.sent.removeValue(forKey: event.call),
          outcome != .failure(.cancelled)
        else { return }
        let entry = Exchange(
          call: event.call,
          request: sent.request,
          outcome: outcome,
          elapsed: event.elapsed - sent.start,
          date: time.date
        )
        state.entries.append(entry)
        state.bytes += entry.cost
        while state.bytes > most.bytes { state.bytes -= state.entries.removeFirst().cost }
      case .callEnded:
        if let record { state.records.append(record) }
        if state.records.count > most.calls { state.records.removeFirst() }
      default: break
      }
    }
  }
}
