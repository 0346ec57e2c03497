internal import Foundation
internal import WindTunnel
internal import WindTunnelHTTP

extension FindingRule {
  /// Finds clients that report success although the server failed after status 200.
  static let successOnErrorEvent = FindingRule(
    id: "success-on-error-event",
    title: "Reports success for an event stream that ended with an error event.",
    condition:
      "the last response of a call was an event stream with a final error event and a success "
      + "status",
    cost: "A partial response is shown as complete, and is not retried.",
    fix:
      "Check each event for an error before showing it. A status of 200 only means that the stream "
      + "began.",
    source: "Anthropic, Streaming Messages (error events); OpenAI, Streaming API responses"
  ).eachCall(with: \.hidesErrorEvent) { call, hides in
    guard call.claimsSuccess, !call.showsCopy else { return .kept }
    return .broken(
      hides
        ? "It succeeded, and its stream had ended with an error event."
        : "It succeeded, and showed the error event that ended its stream.",
      severity: hides ? nil : .warning
    )
  }
}

extension EvidenceRows {
  /// Whether a call succeeded and returned no part of the error event with which its stream ended
  /// under a success status. `nil` if its last response was not such a stream.
  public var hidesErrorEvent: Evidence<Bool> {
    Evidence("hidesErrorEvent", JSONFields.fact) { call in
      guard call.endsInErrorEvent, let result = call.result else { return nil }
      return result.ending == .succeeded
        && result.body?.range(of: Data(ResponseEdit.errorWord.utf8)) == nil
    }
  }
}
