extension FindingRule {
  /// A stream broke off, and what came of it passes for all.
  static let takesCutEventForWhole = FindingRule(
    id: "takes-cut-event-for-whole",
    title: "Says that a stream of events went well that broke off, and may show half an event.",
    condition:
      "the last answer of a call was a stream of events that was cut, and it showed something",
    cost: "Half a sentence is shown as the answer, and half a number as the price.",
    fix:
      "Throw an event away that has no empty line behind it, and connect again with Last-Event-ID; "
      + "report a stream that broke off.",
    source: "WHATWG HTML §9.2.6 (an incomplete event is discarded); RFC 7464 §2.4; RFC 9112 §8"
  ).eachCall(.unanswered, with: \.showsCutEvent) { call, showsPart in
    guard let last = call.attempts.last(where: \.isRequest), last.error != nil,
      last.status.map({ $0 < 400 }) ?? false, last.bytes.map({ $0 > 0 }) ?? false,
      // That is another rule's.
      call.observation.bodyMatches == nil
    else { return .notMet }
    guard call.claimsSuccess, !call.showsCopy else { return .kept }
    let bytes = last.bytes.map { " after \(Figures.bytes($0))" } ?? ""
    return showsPart
      ? .broken("Its stream broke off\(bytes), and what it showed ends there.")
      : .broken("It took a stream that broke off\(bytes) for the whole.", severity: .warning)
  }
}

extension EvidenceRows {
  /// Whether the call succeeded and returned the beginning of an event in which its stream was cut;
  /// `nil` if its last response was no stream of events that was cut, or if it succeeded and
  /// returned nothing.
  public var showsCutEvent: Evidence<Bool> {
    Evidence("showsCutEvent", JSONFields.fact) { call in
      guard call.result != nil, let cut = call.cut else { return nil }
      guard let result = call.success else { return false }
      return call.texts.showsCutEvent(result, cut)
    }
  }
}
