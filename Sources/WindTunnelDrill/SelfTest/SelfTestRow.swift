package import WindTunnel

/// What came of one kind of fault.
package struct SelfTestRow: Sendable, Hashable {
  /// The kind.
  package let kind: FaultKind
  /// What was decided, as a raw socket should see it.
  package var asked = ""
  /// What one saw; where it looked often and something else was seen, that.
  package var raw: String?
  /// How often it looked, and how often it saw what was asked.
  package var looks = 0
  package var equalLooks = 0
  /// The exit code of curl; `nil` where it did not look.
  package var curl: Int?
  /// What `URLSession` saw; `nil` where it did not look.
  package var session: FaultExpectation.Sight?
  /// The code of the `URLError` that it saw; `nil` where there was none.
  package var sessionCode: Int?
  /// Who did not look, or why nothing could be looked at.
  package var skipped: [String] = []

  init(_ kind: FaultKind) { self.kind = kind }

  /// Whether nobody looked.
  package var isSkipped: Bool { looks == 0 && curl == nil && session == nil }

  /// What `URLSession` should see here.
  package var expectedSession: FaultExpectation.Sight {
    #if canImport(Darwin)
      kind.expected.apple
    #else
      kind.expected.linux
    #endif
  }

  /// Whether everybody who looked saw what they should.
  package var passed: Bool {
    guard !isSkipped, looks == equalLooks else { return false }
    if let curl, !kind.expected.curl.contains(curl) { return false }
    if let session, !expectedSession.allows(session) { return false }
    return true
  }

  /// `{name, asked, seen, expected, passed, skipped}`; what was not seen is `null`.
  package var json: JSON {
    let seen: JSON = [
      "raw": raw.map { .text($0) } ?? .null,
      "looks": .number(looks), "equal": .number(equalLooks),
      "curl": curl.map { .number($0) } ?? .null,
      "urlSession": session.map { .text($0.text) } ?? .null,
      "urlErrorCode": sessionCode.map { .number($0) } ?? .null,
    ]
    let expected: JSON = [
      "raw": .text(asked), "curl": .array(kind.expected.curl.map { .number($0) }),
      "urlSession": .text(expectedSession.text),
    ]
    return [
      "name": .text(kind.name), "layer": .text(kind.layer.rawValue), "asked": .text(asked),
      "seen": seen, "expected": expected, "passed": .bool(passed),
      "skipped": skipped.isEmpty ? .null : .text(skipped.joined(separator: "; ")),
    ]
  }
}
