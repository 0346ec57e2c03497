extension FindingRule {
  /// Finds clients that report success without any response.
  static let successWithoutAnswer = FindingRule(
    id: "success-without-answer",
    title: "Reports success without a response, and shows nothing.",
    condition: "no attempt of a call received a response",
    cost: "An empty page, an empty file or a lost message looks valid.",
    fix: "Return the error or a copy marked as stale. End with an exit code other than 0.",
    source: "POSIX.1-2024, Shell Command Language, 2.8.2 (exit status)"
  ).needing(\.printed).eachCall(.unanswered) { call in
    // This also holds if attempts cannot be observed, because every response is observed.
    guard !call.wasAnswered, !call.attempts.contains(where: \.isOfPortal),
      // An error status is a response, and another rule covers it.
      !call.attempts.contains(where: { $0.isRequest && $0.error == nil && $0.status != nil })
    else { return .notMet }
    guard call.claimsSuccess, !call.showsCopy else { return .kept }
    let observation = call.observation
    // The call shows a part of a body, or a text that it may have received. If no byte of a body
    // was sent, it cannot be a part.
    let mayBePart = call.client == .program || observation.showed || call.wasSentBytes
    guard observation.bodyMatches == nil || !mayBePart else { return .notMet }
    if let words = observation.printed, !words.isEmpty {
      return call.client == .program
        ? .doubtful("This command ended with 0 and printed \"\(words)\", but received no response")
        : .broken(
          "It showed \"\(words)\" and no error, but received no response.",
          severity: call.isInvented(words) ? nil : .warning
        )
    }
    guard !observation.showed else { return .kept }
    // Output is not compared if the server broke the response.
    let command =
      call.wasSentBytes
      ? "This command ended with 0, but received no whole response."
      : "This command ended with 0, printed nothing and received no response."
    return .broken(
      call.client == .program
        ? command : "It returned nothing and no error, but received no response."
    )
  }
}

extension EvidenceRows {
  /// The beginning of a program's output that is neither a recorded body nor a part of one. Empty
  /// if the program printed nothing; `nil` if the bodies were compared or could not be.
  public var printed: Evidence<String> {
    Evidence("printed", JSONFields.fact) { call in
      guard let result = call.comparable, call.bodyMatches != true else { return nil }
      return call.bodies.printed(result, call.key, asking: call.requests)
    }
  }
}

extension FindingRule.RuleResult {
  /// Returns a warning about a text that a program may have intended for its user.
  static func doubtful(_ seen: String) -> Self {
    .broken(
      "\(seen): a warning, because the user may see it (--findings warnings fails on it).",
      severity: .warning
    )
  }
}

extension JudgedCall {
  /// Returns whether JSON output has no source. It is then not a part of a received body, not shown
  /// by a call with a response, and not another request's response.
  fileprivate func isInvented(_ words: String) -> Bool {
    // A write may be queued, and its client may report that as JSON.
    observation.endpoint.hasPrefix("GET ") && (words.hasPrefix("{") || words.hasPrefix("["))
      && !wasSentBytes && observation.strangeAnswer == nil
      // If an answered call has the same text, this one may show a copy of it.
      && !sharedMarks.isAnswered(observation, \.printed)
  }

  /// Whether any content was sent to the client.
  fileprivate var wasSentBytes: Bool { attempts.contains { ($0.bytes ?? 0) > 0 } }
}
