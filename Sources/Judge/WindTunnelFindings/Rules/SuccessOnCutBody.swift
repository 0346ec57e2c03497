extension FindingRule {
  /// A part of a body is taken for the whole.
  static let successOnCutBody = FindingRule(
    id: "success-on-cut-body",
    title: "Says that a call went well whose body was cut.",
    condition: "no attempt of a call had its whole answer, and the last was cut in its body",
    cost: "Half a file is stored, half a list is shown, and nobody knows.",
    fix:
      "Hold the bytes that came against Content-Length and the last chunk; libraries report it.",
    source: "RFC 9112 §8 (incomplete messages)"
  ).eachCall(.unanswered) { call in
    guard !call.wasAnswered, let last = call.attempts.last(where: \.isRequest),
      last.error != nil, let status = last.status, status < 400
    else { return .notMet }
    guard call.claimsSuccess, !call.showsCopy else { return .kept }
    // What else it shows may be made of anything.
    guard call.observation.bodyMatches == false else { return .notMet }
    let bytes = last.bytes.map { " of which \(Figures.bytes($0)) came" } ?? ""
    return .broken("It took a part for the whole body,\(bytes) before it was cut.")
  }
}
