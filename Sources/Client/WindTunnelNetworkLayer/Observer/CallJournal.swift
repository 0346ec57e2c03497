public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// An observer that keeps the latest calls in memory: their records, their requests and their
/// answers. A report from the field can be made of it.
///
/// The journal holds whole requests and answers, with all secrets in them, and drops the oldest
/// first.
public final class CallJournal: Observer {
  /// A request that was sent, with its answer.
  public struct Entry: Sendable, Hashable {
    /// The number of the request's call.
    public var call: Int
    /// The request as it was sent.
    public var request: URLRequest
    /// The answer that came, or the failure.
    public var outcome: AttemptOutcome
    /// The time that the attempt took.
    public var elapsed: Duration
    /// The time at which the attempt ended.
    public var date: Date

    /// The memory that it takes, roughly, in bytes.
    fileprivate var cost: Int {
      let came = if case .success(let answer) = outcome { answer.body.count } else { 0 }
      return 1024 + came + (request.httpBody?.count ?? 0)
    }
  }

  private struct State {
    var keeper = RecordKeeper()
    var records: [CallRecord] = []
    var entries: [Entry] = []
    var bytes = 0
    /// The requests in flight, each with its start, by call.
    var sent: [Int: (request: URLRequest, start: Duration)] = [:]
  }

  private let state = Locked(State())
  private let most: (calls: Int, bytes: Int)
  private let time: any TimeSource

  /// Makes an empty journal.
  ///
  /// - Parameters:
  ///   - calls: The greatest number of calls that are kept.
  ///   - bytes: The greatest size of requests and answers in memory, roughly.
  ///   - time: The source of the entries' dates.
  public init(calls: Int = 200, bytes: Int = 5_000_000, time: any TimeSource = SystemTime()) {
    most = (max(0, calls), max(0, bytes))
    self.time = time
  }

  /// The records of the calls that have ended, the oldest first.
  public var records: [CallRecord] { state.withLock { $0.records } }
  /// The attempts, the oldest first, without those that were cancelled.
  public var entries: [Entry] { state.withLock { $0.entries } }

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
        let entry = Entry(
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
