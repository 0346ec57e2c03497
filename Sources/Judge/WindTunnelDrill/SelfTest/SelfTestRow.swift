package import WindTunnelServer
internal import WindTunnelSymptoms

/// One kind of fault that is listed and probed: a fault of a scenario, or a scripted fault of name
/// resolution.
package enum CatalogueRow: Sendable, Hashable {
  case fault(FaultKind)
  case lookUp(DNSExample)

  /// All kinds of faults.
  package static let all = FaultKind.all.map { fault($0) } + DNSExample.all.map { lookUp($0) }

  /// Returns the kind with a name, or `nil` if there is none.
  package static func named(_ name: String) -> CatalogueRow? { all.first { $0.name == name } }

  /// The name of the kind in lists.
  package var name: String {
    switch self {
    case .fault(let kind): kind.name
    case .lookUp(let example): example.faultName
    }
  }

  /// The layer of the stack in which the fault happens.
  package var layer: FaultKind.Layer {
    switch self {
    case .fault(let kind): kind.layer
    case .lookUp: .dns
    }
  }

  /// The observations that clients should make.
  package var expected: FaultExpectation {
    switch self {
    case .fault(let kind): kind.expected
    case .lookUp(let example): example.expected
    }
  }
}

/// The result of one kind of fault.
package struct SelfTestRow: Sendable, Hashable {
  /// The kind of fault.
  package let kind: CatalogueRow
  /// The decision, as a raw socket should observe it.
  package var asked = ""
  /// The observation of the raw socket. If one of several probes differed, this is the different
  /// one.
  package var raw: String?
  /// The number of probes by the raw socket, and of probes with the expected observation.
  package var looks = 0
  package var equalLooks = 0
  /// The exit code of curl; `nil` if it did not probe.
  package var curl: Int?
  /// The observation of `URLSession`; `nil` if it did not probe.
  package var session: FaultExpectation.Sight?
  /// The code of its `URLError`; `nil` if there was none.
  package var sessionCode: Int?
  /// The reasons why the kind was not probed at all.
  package var skipped: [String] = []
  /// The clients that did not probe the fault, and the reasons.
  package var unseenBy: [String] = []

  init(_ kind: CatalogueRow) { self.kind = kind }

  /// Whether no client probed the fault.
  package var isSkipped: Bool { looks == 0 && curl == nil && session == nil }

  private var isApple: Bool { Symptom.Platform.current == .apple }

  /// The observation that `URLSession` should make on this platform.
  package var expectedSession: FaultExpectation.Sight {
    isApple ? kind.expected.apple : kind.expected.linux
  }

  /// The code of the error that `URLSession` should report; `nil` if none was measured.
  package var expectedCode: Int? { isApple ? nil : kind.expected.linuxCode }

  /// Whether every client that probed the fault made the expected observation.
  package var passed: Bool {
    guard !isSkipped, looks == equalLooks else { return false }
    if let curl, !kind.expected.curl.contains(curl) { return false }
    if let session, !expectedSession.allows(session) { return false }
    if let expectedCode, session != nil, sessionCode != expectedCode { return false }
    return true
  }

  /// The row as JSON: `{name, layer, asked, seen, expected, passed, skipped, unseenBy}`. Values
  /// without an observation are `null`, and so is `passed` if no client probed the fault.
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
