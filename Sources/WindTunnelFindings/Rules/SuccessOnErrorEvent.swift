extension FindingRule {
  /// The status is 200, and the server has failed.
  static let successOnErrorEvent = FindingRule(
    id: "success-on-error-event",
    severity: .error,
    title: "Says that a stream of events went well that ended with an event of an error.",
    condition:
      "the last answer of a call was a stream that ended with an event of an error, under a "
      + "good status",
    cost: "Half an answer is shown as all that there is, and nobody tries again.",
    fix:
      "Look at each event for an error before it is shown; a status of 200 says that a stream "
      + "began.",
    source: "Anthropic, Streaming Messages (error events); OpenAI, Streaming API responses"
  ).eachCall(.errorEvent) { call in
    guard let hides = call.observation.hidesErrorEvent else { return .notMet }
    guard call.claimsSuccess, !call.showsCopy else { return .kept }
    return .broken(
      hides
        ? "It succeeded, and its stream had ended with an event of an error."
        : "It succeeded, and showed the event of an error with which its stream had ended.",
      severity: hides ? nil : .warning
    )
  }
}
