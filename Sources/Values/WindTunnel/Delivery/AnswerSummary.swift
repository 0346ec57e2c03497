internal import Foundation
package import WindTunnelSymptoms

/// An answer as a report has it, read off the steps that carry it: its status, how much of the
/// recorded content came, and how it breaks off.
package struct AnswerSummary: Sendable, Hashable {
  /// The status; `nil` where no head comes.
  package private(set) var status: Int?
  /// Bytes of the recorded content; `nil` where what comes is another.
  package private(set) var bytes: Int?
  /// The name of the client's error; `nil` where the end is a good one.
  package private(set) var symptom: Symptom?
  /// The wait that `Retry-After` asks for; `nil` where it asks for none that can be kept to.
  package private(set) var retryAfter: Duration?
  /// The date in `Retry-After`, as time since 1970.
  package private(set) var retryDate: Duration?

  /// Sums up an answer with faults done to it; without a recording only of what the faults say.
  ///
  /// - Parameters:
  ///   - faults: What was decided.
  ///   - recorded: What was dealt.
  ///   - now: The second in which it is sent, since 1970, where that is known.
  package init(_ faults: [Fault], over recorded: Interaction?, now: Duration? = nil) {
    let response = recorded?.response
    guard !faults.isEmpty else {
      (status, bytes) = (response?.status, response?.body.count)
      symptom = recorded?.failure?.symptom
      take(response?.headers.values("Retry-After") ?? [], now)
      return
    }
    var outcome = Outcome(
      id: 0,
      request: recorded?.request ?? Request("GET", "/"),
      source: recorded.map { .recording($0, place: 0) } ?? .forward(ticket: nil),
      decision: FaultDecision(lane: .deck, key: "", ordinal: 1, faults: faults)
    )
    outcome.moment = now.map { Date(timeIntervalSince1970: $0.inMilliseconds / 1000) }
    let sum = Sum(Delivery(outcome, on: .inProcess), of: response?.body.count ?? 0)
    (status, symptom) = (sum.head?.status, sum.symptom)
    // Whether a client takes gzip its request says, and not the recorded one; and another
    // recording's body is not known here.
    let isOther = faults.contains { $0.isUnbounded || $0.bodySource != nil }
    bytes = isOther ? nil : sum.bytes(of: recorded)
    let fields = sum.head?.headers.values("Retry-After") ?? []
    take(fields, now)
    for case .status(_, let retryAfter?) in faults where retryAfter.values(now: now) == fields {
      // A date says how long as well, as it was meant.
      if case .date(let count) = retryAfter { self.retryAfter = .seconds(max(0, count)) }
    }
  }

  /// Takes the wait of a `Retry-After`. The delay up to a date depends on the clock.
  private mutating func take(_ fields: [String], _ now: Duration?) {
    switch RetryAfterValue(fields) {
    case .delay(let delay): retryAfter = delay
    // A date in the past asks for no wait.
    case .date(let date): retryDate = now.map { date <= $0 } == true ? nil : date
    case nil: break
    }
  }

  /// Returns the status of the answer to a request that is known whole; `nil` where no head comes.
  package static func status(of outcome: Outcome) -> Int? {
    Sum(Delivery(outcome, on: .inProcess)).head?.status
  }

  /// Returns whether the response to a request that is known whole comes whole.
  package static func isWhole(_ outcome: Outcome) -> Bool {
    Sum(Delivery(outcome, on: .inProcess)).symptom == nil
  }

  /// Sums up a connection on which no request comes.
  package init(connection decision: FaultDecision) {
    symptom = Sum(Delivery(decision, on: .inProcess)).symptom
  }

  /// The sum of a delivery's steps.
  private struct Sum {
    private(set) var head: ResponseHead?
    private(set) var symptom: Symptom?
    /// The content, at least as far as it can be the recorded one.
    private var content = Data()
    /// Tells whether bytes come that are no answer in good form; no step says what a client makes
    /// of them.
    private var isRaw = false
    private var isLive = false

    init(_ delivery: Delivery, of length: Int = 0) {
      for step in delivery.steps {
        switch step {
        case .head(let head), .converse(let head, _): self.head = head
        case .bytes(.data(let data)):
          if head == nil { isRaw = true }
          if content.count <= length { content += data }
        case .bytes(.live), .converseLive, .relay, .relayUntil: isLive = true
        case .fail(let symptom): self.symptom = symptom
        case .reset: symptom = .connectionLost
        case .stall: symptom = .timedOut
        case .close, .closeWrite: symptom = head == nil ? .emptyAnswer : .truncated
        case .await, .wait, .shakeHands, .finish: break
        }
      }
      if isRaw { symptom = nil }
    }

    /// Returns how much of the recorded content comes: a part of it only in front of a bad end.
    func bytes(of recorded: Interaction?) -> Int? {
      if isRaw || isLive { return nil }
      if head == nil { return symptom == recorded?.failure?.symptom ? nil : 0 }
      guard let whole = recorded?.response?.body.data, whole.prefix(content.count) == content,
        symptom != nil || content.count == whole.count
      else { return nil }
      return content.count
    }
  }
}
