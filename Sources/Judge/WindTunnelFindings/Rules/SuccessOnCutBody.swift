extension FindingRule {
  /// Finds clients that accept a part of a body as the whole.
  static let successOnCutBody = FindingRule(
    id: "success-on-cut-body",
    title: "Reports success for a truncated body.",
    condition:
      "no attempt of a call received a whole response, and the last was truncated in its body",
    cost: "Half a file is stored or half a list is shown, without an error.",
    fix:
      "Compare the received bytes with Content-Length and the last chunk; libraries report this "
      + "error.",
    source: "RFC 9112 §8 (incomplete messages)"
  ).eachCall(.unanswered) { call in
    guard !call.wasAnswered, let last = call.attempts.last(where: \.isRequest),
      last.error != nil, let status = last.status, status < 400
    else { return .notMet }
    guard call.claimsSuccess, !call.showsCopy else { return .kept }
    // Any other result may have any origin.
    guard call.observation.bodyMatches == false else { return .notMet }
    let bytes = last.bytes.map { ", of which \(Figures.bytes($0)) arrived" } ?? ""
    return .broken("It used a truncated body as the whole\(bytes).")
  }
}
