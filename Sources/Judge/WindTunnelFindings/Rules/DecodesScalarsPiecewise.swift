extension FindingRule {
  /// A letter that lies in two pieces is two halves of nothing.
  static let decodesScalarsPiecewise = FindingRule(
    id: "decodes-scalars-piecewise",
    title: "Shows U+FFFD in place of letters that take several bytes.",
    condition:
      "a call was answered letters that take several bytes, each answer whole or without any of its content, "
      + "and showed a text that can be held against them",
    cost: "Every language but English has holes in it, now here and now there.",
    fix:
      "Decode what is whole, or keep the bytes of an unfinished letter for the next piece "
      + "(TextDecoder with stream: true, an incremental decoder).",
    source: "Unicode Standard §3.9 (U+FFFD substitution); WHATWG Encoding, decode stream"
  ).eachCall(with: \.replacesScalars) { call, replaces in
    let cutBody = call.attempts.contains { $0.error != nil && $0.bytes != 0 }
    guard !cutBody, let last = call.attempts.last(where: \.isRequest),
      last.isAnswered || last.conversation != nil
    else { return .notMet }
    guard replaces, call.claimsSuccess else { return .kept }
    return .broken(
      "It showed U+FFFD where the text that it was answered has letters of several bytes."
    )
  }
}

extension EvidenceRows {
  /// Whether a successful call returned U+FFFD in place of letters that it was answered; `nil` if
  /// it was answered none that take several bytes, or if its result does not show it.
  public var replacesScalars: Evidence<Bool> {
    Evidence("replacesScalars", JSONFields.fact) { call in
      // Millions of calls bring what was recorded.
      guard let result = call.comparable, call.bodyMatches != true || result.isPrinted else {
        return nil
      }
      return call.texts.replacesScalars(result, call.key)
    }
  }
}
