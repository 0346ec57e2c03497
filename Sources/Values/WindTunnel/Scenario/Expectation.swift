/// A requirement of a scenario on behaviour that is optional for clients elsewhere.
///
/// A client that does not meet it has an error in the scenario; in other scenarios this is at most
/// a note.
public enum ClientExpectation: String, Sendable, Hashable, CaseIterable {
  /// The client shows an earlier response if its server fails and the response may be shown then.
  case stale

  /// Reads or writes `"expects": ["stale"]`; each value once.
  static func list(_ all: inout [Self], _ fields: inout JSONFields) throws(FormatError) {
    guard fields.isReading else {
      return fields.write("expects", all.isEmpty ? JSON?.none : .texts(all.map(\.rawValue)))
    }
    for (index, json) in (try fields.object.array("expects") ?? []).enumerated() {
      guard let expectation = json.stringValue.flatMap(Self.init(rawValue:)) else {
        let known = allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        let problem = "\(json) is not a known expectation"
        throw fields.object.error("expects[\(index)]", problem, fix: "Known: \(known).")
      }
      if !all.contains(expectation) { all.append(expectation) }
    }
  }
}

extension FaultRule {
  /// Whether the server fails from one call on without end, so that an earlier response may be
  /// shown instead.
  var failsForGood: Bool {
    guard let calls = trigger.calls, calls.start > 0, calls.end == nil else { return false }
    return faults.contains { if case .status(let status, _) = $0 { status >= 500 } else { false } }
  }
}
