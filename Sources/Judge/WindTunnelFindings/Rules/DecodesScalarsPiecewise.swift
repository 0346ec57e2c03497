extension FindingRule {
  /// Finds clients that decode a letter of several bytes in two separate parts.
  static let decodesScalarsPiecewise = FindingRule(
    id: "decodes-scalars-piecewise",
    title: "Shows U+FFFD instead of characters that are encoded in several bytes.",
    condition:
      "a response to a call had characters of several bytes and arrived whole or with none of its "
      + "content, and the call showed text that can be compared with it",
    cost: "Text in every language but English has holes in changing places.",
    fix:
      "Decode whole characters only, or keep the bytes of an incomplete one for the next piece "
      + "(TextDecoder with stream: true, an incremental decoder).",
    source: "Unicode Standard §3.9 (U+FFFD substitution); WHATWG Encoding, decode stream"
  ).eachCall(with: \.replacesScalars) { call, replaces in
    let cutBody = call.attempts.contains { $0.error != nil && $0.bytes != 0 }
    guard !cutBody, let last = call.attempts.last(where: \.isRequest),
      last.isAnswered || last.conversation != nil
    else { return .notMet }
    guard replaces, call.claimsSuccess else { return .kept }
    return .broken(
      "It showed U+FFFD in place of characters that have several bytes in the response."
    )
  }
}

extension EvidenceRows {
  /// Whether a successful call returned U+FFFD in place of letters of its response. `nil` if the
  /// response had no letters of several bytes, or if the result does not show them.
  public var replacesScalars: Evidence<Bool> {
    Evidence("replacesScalars", JSONFields.fact) { call in
      // Checked first, because millions of calls return the recorded body.
      guard let result = call.comparable, call.bodyMatches != true || result.isPrinted else {
        return nil
      }
      return call.texts.replacesScalars(result, call.key)
    }
  }
}
