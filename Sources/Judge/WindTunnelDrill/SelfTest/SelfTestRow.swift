package import WindTunnel
package import WindTunnelServer
internal import WindTunnelSymptoms

/// One kind of trouble that is listed and looked at: a fault of a scenario, or a look-up that a
/// name server's script leads astray.
package enum CatalogueRow: Sendable, Hashable {
  case fault(FaultKind)
  case lookUp(DNSExample)

  /// All kinds of trouble.
  package static let all = FaultKind.all.map { fault($0) } + DNSExample.all.map { lookUp($0) }

  /// Returns the one of a name.
  package static func named(_ name: String) -> CatalogueRow? { all.first { $0.name == name } }

  /// The name that it has in lists.
  package var name: String {
    switch self {
    case .fault(let kind): kind.name
    case .lookUp(let example): example.faultName
    }
  }

  /// The layer of the stack in which it happens.
  package var layer: FaultKind.Layer {
    switch self {
    case .fault(let kind): kind.layer
    case .lookUp: .dns
    }
  }

  /// The sight that clients have of it.
  package var expected: FaultExpectation {
    switch self {
    case .fault(let kind): kind.expected
    case .lookUp(let example): example.expected
    }
  }
}

/// The result of one kind of fault.
package struct SelfTestRow: Sendable, Hashable {
  /// The kind that it is about.
  package let kind: CatalogueRow
  /// The decision, as a raw socket should see it.
  package var asked = ""
  /// The sight of one; where it looked often and something else was seen, that.
  package var raw: String?
  /// The number of its looks, and of those that saw what was asked.
  package var looks = 0
  package var equalLooks = 0
  /// The exit code of curl; `nil` where it did not look.
  package var curl: Int?
  /// The sight of `URLSession`; `nil` where it did not look.
  package var session: FaultExpectation.Sight?
  /// The code of the `URLError` that it saw; `nil` where there was none.
  package var sessionCode: Int?
  /// The reasons why nobody looked.
  package var skipped: [String] = []
  /// The ones of several that did not look, and why.
  package var unseenBy: [String] = []

  init(_ kind: CatalogueRow) { self.kind = kind }

  /// Tells whether nobody looked.
  package var isSkipped: Bool { looks == 0 && curl == nil && session == nil }

  private var isApple: Bool { Symptom.Platform.current == .apple }

  /// The sight that `URLSession` should have on this platform.
  package var expectedSession: FaultExpectation.Sight {
    isApple ? kind.expected.apple : kind.expected.linux
  }

  /// The code of the error that `URLSession` should report; `nil` if none was measured.
  package var expectedCode: Int? { isApple ? nil : kind.expected.linuxCode }

  /// Tells whether everybody who looked saw what they should.
  package var passed: Bool {
    guard !isSkipped, looks == equalLooks else { return false }
    if let curl, !kind.expected.curl.contains(curl) { return false }
    if let session, !expectedSession.allows(session) { return false }
    if let expectedCode, session != nil, sessionCode != expectedCode { return false }
    return true
  }

  /// `{name, layer, asked, seen, expected, passed, skipped, unseenBy}`; what was not seen is
  /// `null`, and so is `passed` where nobody looked.
  package var json: JSON {
    let seen: JSON = [
      "raw": .orNull(raw), "looks": .number(looks), "equal": .number(equalLooks),
      "curl": .orNull(curl), "urlSession": .orNull(session?.text),
      "urlErrorCode": .orNull(sessionCode),
    ]
    let expected: JSON = [
      "raw": .text(asked), "curl": .numbers(kind.expected.curl),
      "urlSession": .text(expectedSession.text), "urlErrorCode": .orNull(expectedCode),
    ]
    return [
      "name": .text(kind.name), "layer": .text(kind.layer.rawValue), "asked": .text(asked),
      "seen": seen, "expected": expected, "passed": isSkipped ? .null : .bool(passed),
      "skipped": isSkipped ? .text(skipped.joined(separator: "; ")) : .null,
      "unseenBy": .texts(unseenBy),
    ]
  }
}
