extension FindingRule {
  /// Finds clients that decode a letter of several bytes in two separate parts, or in another
  /// charset.
  static let decodesScalarsPiecewise = FindingRule(
    id: "decodes-scalars-piecewise",
    title: "Shows U+FFFD or mojibake instead of characters that are encoded in several bytes.",
    condition:
      "a response to a call had characters of several bytes and arrived whole or with none of its "
      + "content, and the call showed text that can be compared with it",
    cost: "Text in every language but English has holes in changing places.",
    fix:
      "Decode whole characters only, or keep the bytes of an incomplete one for the next piece "
      + "(TextDecoder with stream: true, an incremental decoder). Decode JSON as UTF-8.",
    source:
      "Unicode Standard §3.9 (U+FFFD substitution); WHATWG Encoding, decode stream; RFC 8259 §8.1"
  ).needing(\.showsMojibake).eachCall(with: \.replacesScalars) { call, replaces in
    let cutBody = call.attempts.contains { $0.error != nil && $0.bytes != 0 }
    guard !cutBody, let last = call.attempts.last(where: \.isRequest),
      last.isAnswered || last.conversation != nil
    else { return .notMet }
    guard replaces, call.claimsSuccess else { return .kept }
    let shown = call.observation.showsMojibake == true ? "UTF-8 as Latin-1" : "U+FFFD"
    return .broken(
      "It showed \(shown) in place of characters that have several bytes in the response."
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
      return call.texts.showsMojibake(result, call.key)
        ? true : call.texts.replacesScalars(result, call.key)
    }
  }

  /// Whether a successful call returned letters of its response as Latin-1 or Windows-1252 decodes
  /// them. `nil` if it did not.
  public var showsMojibake: Evidence<Bool> {
    Evidence("showsMojibake", JSONFields.fact) { call in
      guard call.bodyMatches != true, let result = call.comparable else { return nil }
      return call.texts.showsMojibake(result, call.key) ? true : nil
    }
  }
}
