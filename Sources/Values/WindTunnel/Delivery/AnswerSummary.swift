internal import Foundation
package import WindTunnelSymptoms

/// A summary of a response for reports, computed from its steps: the status, the number of bytes,
/// and the client's error.
package struct AnswerSummary: Sendable, Hashable {
  /// The status; `nil` if no head is sent.
  package private(set) var status: Int?
  /// The number of bytes of the recorded content; `nil` if other content is sent.
  package private(set) var bytes: Int?
  /// The client's error; `nil` if the response ends without one.
  package private(set) var symptom: Symptom?
  /// The delay in `Retry-After`; `nil` if there is none, or if it is invalid.
  package private(set) var retryAfter: Duration?
  /// The date in `Retry-After`, as time since 1970; `nil` if there is none.
  package private(set) var retryDate: Duration?

  /// Summarises a response with its faults; without a recording, only the effects of the faults.
  ///
  /// - Parameters:
  ///   - faults: The decided faults.
  ///   - recorded: The selected recording; `nil` if there is none.
  ///   - now: The second in which the response is sent, since 1970; `nil` if it is unknown.
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
    // Whether a client accepts gzip depends on its own request instead of the recorded one. The
    // body of another recording is not known here.
    let isOther = faults.contains { $0.isUnbounded || $0.bodySource != nil }
    bytes = isOther ? nil : sum.bytes(of: recorded)
    let fields = sum.head?.headers.values("Retry-After") ?? []
    take(fields, now)
    for case .status(_, let retryAfter?) in faults where retryAfter.values(now: now) == fields {
      // A date was computed from a delay, which is used here.
      if case .date(let count) = retryAfter { self.retryAfter = .seconds(max(0, count)) }
    }
  }

  /// Sets the delay or the date of a `Retry-After`. The delay until a date depends on the clock.
  private mutating func take(_ fields: [String], _ now: Duration?) {
    // Several fields have no meaning.
    switch fields.count == 1 ? RetryAfterValue(fields[0]) : nil {
    case .delay(let delay): retryAfter = delay
    // A date in the past means no delay.
    case .date(let date): retryDate = now.map { date <= $0 } == true ? nil : date
    case nil: break
    }
  }

  /// Returns the status of the response to a complete request; `nil` if no head is sent.
  package static func status(of outcome: Outcome) -> Int? {
    Sum(Delivery(outcome, on: .inProcess)).head?.status
  }

  /// Returns whether the response to a complete request is sent completely.
  package static func isWhole(_ outcome: Outcome) -> Bool {
    Sum(Delivery(outcome, on: .inProcess)).symptom == nil
  }

  /// Summarises a connection without a request.
  package init(connection decision: FaultDecision) {
    symptom = Sum(Delivery(decision, on: .inProcess)).symptom
  }

  /// A summary of a delivery's steps.
  private struct Sum {
    private(set) var head: ResponseHead?
    private(set) var symptom: Symptom?
    /// The content, limited to slightly more than the recorded content.
    private var content = Data()
    /// Whether raw bytes are sent that are not a well-formed response. The steps do not contain the
    /// client's error for them.
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

    /// Returns the number of bytes of the recorded content that are sent; a part only counts before
    /// an error.
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
