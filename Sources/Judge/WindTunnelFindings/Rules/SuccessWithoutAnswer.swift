extension FindingRule {
  /// A call that got nothing is said to have gone well.
  static let successWithoutAnswer = FindingRule(
    id: "success-without-answer",
    title: "Says that a call went well that got no answer, and shows nothing.",
    condition: "no attempt of a call had an answer",
    cost: "An empty page, an empty file or a lost message passes for a good one.",
    fix: "Return the error, or a kept copy that is marked as stale; end with a code that is not 0.",
    source: "POSIX.1-2024, Shell Command Language, 2.8.2 (exit status)"
  ).needing(\.printed).eachCall(.unanswered) { call in
    // Where attempts cannot be seen nobody was answered either: no answer passes unseen.
    guard !call.wasAnswered, !call.attempts.contains(where: \.isOfPortal),
      // An error status is an answer, and another rule asks what became of it.
      !call.attempts.contains(where: { $0.isRequest && $0.error == nil && $0.status != nil })
    else { return .notMet }
    guard call.claimsSuccess, !call.showsCopy else { return .kept }
    let observation = call.observation
    // It shows a part of a body, or something else that somebody may have told it; a body of
    // which no byte was sent is none.
    let mayBePart = call.client == .program || observation.showed || call.wasSentBytes
    guard observation.bodyMatches == nil || !mayBePart else { return .notMet }
    if let words = observation.printed, !words.isEmpty {
      return call.client == .program
        ? .doubtful("This command ended with 0 and printed \"\(words)\", and had had no answer")
        : .broken(
          "It showed \"\(words)\" and no error, and had had no answer.",
          severity: call.isInvented(words) ? nil : .warning
        )
    }
    guard !observation.showed else { return .kept }
    // What is printed of a response that the server broke is not compared.
    let command =
      call.wasSentBytes
      ? "This command ended with 0, and no response had come whole."
      : "This command ended with 0, printed nothing, and had had no answer."
    return .broken(
      call.client == .program
        ? command : "It returned nothing and no error, and had had no answer."
    )
  }
}

extension EvidenceRows {
  /// The beginning of a program's output that is neither a recorded body nor a part of one; empty
  /// if it printed nothing, and `nil` if the bodies were compared or could not be.
  public var printed: Evidence<String> {
    Evidence("printed", JSONFields.fact) { call in
      guard let result = call.comparable, call.bodyMatches != true else { return nil }
      return call.bodies.printed(result, call.key, asking: call.requests)
    }
  }
}

extension FindingRule.Verdict {
  /// Returns a warning about words that a program may have meant for its user.
  static func doubtful(_ seen: String) -> Self {
    .broken(
      "\(seen): a warning, because these may be words for its user (--findings warnings fails on "
        + "it).",
      severity: .warning
    )
  }
}

extension JudgedCall {
  /// Whether JSON is neither a part of a received body, nor shown by a call with a response, nor
  /// the response of another request.
  fileprivate func isInvented(_ words: String) -> Bool {
    // A write may be queued, and its client may report that as JSON.
    observation.endpoint.hasPrefix("GET ") && (words.hasPrefix("{") || words.hasPrefix("["))
      && !wasSentBytes && observation.strangeAnswer == nil && !isCopy(\.printed)
  }

  /// Tells whether any content was sent to it.
  fileprivate var wasSentBytes: Bool { attempts.contains { ($0.bytes ?? 0) > 0 } }
}
