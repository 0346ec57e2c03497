package import WindTunnel

/// What came of one kind of fault.
package struct SelfTestRow: Sendable, Hashable {
  /// What it is about.
  package let kind: CatalogueRow
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
  /// Why nobody looked.
  package var skipped: [String] = []
  /// Who of several did not look, and why.
  package var unseenBy: [String] = []

  init(_ kind: CatalogueRow) { self.kind = kind }

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

  /// The code of the `URLError` that `URLSession` should end with here; `nil` where none is, or where
  /// it was not measured.
  package var expectedCode: Int? {
    #if canImport(Darwin)
      nil
    #else
      kind.expected.linuxCode
    #endif
  }

  /// Whether everybody who looked saw what they should.
  package var passed: Bool {
    guard !isSkipped, looks == equalLooks else { return false }
    if let curl, !kind.expected.curl.contains(curl) { return false }
    if let session, !expectedSession.allows(session) { return false }
    if let expectedCode, session != nil, sessionCode != expectedCode { return false }
    return true
  }

  /// `{name, layer, asked, seen, expected, passed, skipped, unseenBy}`; what was not seen is `null`, and
  /// so is `passed` where nobody looked.
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
      "urlErrorCode": expectedCode.map { .number($0) } ?? .null,
    ]
    return [
      "name": .text(kind.name), "layer": .text(kind.layer.rawValue), "asked": .text(asked),
      "seen": seen, "expected": expected, "passed": isSkipped ? .null : .bool(passed),
      "skipped": isSkipped ? .text(skipped.joined(separator: "; ")) : .null,
      "unseenBy": .array(unseenBy.map { .text($0) }),
    ]
  }
}
