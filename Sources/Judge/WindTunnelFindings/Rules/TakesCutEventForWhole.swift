extension FindingRule {
  /// Finds clients that accept an interrupted stream as complete.
  static let takesCutEventForWhole = FindingRule(
    id: "takes-cut-event-for-whole",
    title: "Reports success for an event stream that broke off, and may show half an event.",
    condition:
      "the last response of a call was a truncated event stream, and the call showed content",
    cost: "Half a sentence is shown as the response, or half a number as the price.",
    fix:
      "Discard an event without an empty line after it, and reconnect with Last-Event-ID. Report a "
      + "stream that broke off.",
    source: "WHATWG HTML §9.2.6 (an incomplete event is discarded); RFC 7464 §2.4; RFC 9112 §8"
  ).eachCall(.unanswered, with: \.showsCutEvent) { call, showsPart in
    guard let last = call.attempts.last(where: \.isRequest), last.error != nil,
      last.status.map({ $0 < 400 }) ?? false, last.bytes.map({ $0 > 0 }) ?? false,
      // Another rule covers compared bodies.
      call.observation.bodyMatches == nil
    else { return .notMet }
    guard call.claimsSuccess, !call.showsCopy else { return .kept }
    let bytes = last.bytes.map { " after \(Figures.bytes($0))" } ?? ""
    return showsPart
      ? .broken("Its stream broke off\(bytes), and the shown text ends there.")
      : .broken("It used a stream that broke off\(bytes) as a complete one.", severity: .warning)
  }
}

extension EvidenceRows {
  /// Whether the call succeeded and returned the beginning of an event in which its stream was cut.
  /// `nil` if its last response was not a cut stream of events, or if it succeeded and returned
  /// nothing.
  public var showsCutEvent: Evidence<Bool> {
    Evidence("showsCutEvent", JSONFields.fact) { call in
      guard call.result != nil, let cut = call.cut else { return nil }
      guard let result = call.success else { return false }
      return call.texts.showsCutEvent(result, cut)
    }
  }
}
