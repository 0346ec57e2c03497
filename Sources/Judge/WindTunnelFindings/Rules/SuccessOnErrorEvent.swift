internal import Foundation
internal import WindTunnel
internal import WindTunnelHTTP

extension FindingRule {
  /// The status is 200, and the server has failed.
  static let successOnErrorEvent = FindingRule(
    id: "success-on-error-event",
    title: "Says that a stream of events went well that ended with an event of an error.",
    condition:
      "the last answer of a call was a stream that ended with an event of an error, under a "
      + "good status",
    cost: "Half an answer is shown as all that there is, and nobody tries again.",
    fix:
      "Look at each event for an error before it is shown; a status of 200 says that a stream "
      + "began.",
    source: "Anthropic, Streaming Messages (error events); OpenAI, Streaming API responses"
  ).eachCall(with: \.hidesErrorEvent) { call, hides in
    guard call.claimsSuccess, !call.showsCopy else { return .kept }
    return .broken(
      hides
        ? "It succeeded, and its stream had ended with an event of an error."
        : "It succeeded, and showed the event of an error with which its stream had ended.",
      severity: hides ? nil : .warning
    )
  }
}

extension EvidenceRows {
  /// Whether a call succeeded and returned nothing of the error with which its stream of events
  /// ended under a good status; `nil` if its last response was none of those.
  public var hidesErrorEvent: Evidence<Bool> {
    Evidence("hidesErrorEvent", JSONFields.fact) { call in
      guard call.endsInErrorEvent, let result = call.result else { return nil }
      return result.ending == .succeeded
        && result.body?.range(of: Data(ResponseEdit.errorWord.utf8)) == nil
    }
  }
}
