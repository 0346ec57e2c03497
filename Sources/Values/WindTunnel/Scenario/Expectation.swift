/// A thing that is asked of a client in a scenario, though a good client may do without: not to
/// have it is an error there, and elsewhere a note at most.
public enum ClientExpectation: String, Sendable, Hashable, CaseIterable {
  /// The client shows an answer of before where its server fails, if that may be shown then.
  case stale

  /// Lists `"expects": ["stale"]`, each once.
  static func list(_ all: inout [Self], _ fields: inout JSONFields) throws(FormatError) {
    guard fields.isReading else {
      return fields.write("expects", all.isEmpty ? JSON?.none : .texts(all.map(\.rawValue)))
    }
    for (index, json) in (try fields.object.array("expects") ?? []).enumerated() {
      guard let expectation = json.stringValue.flatMap(Self.init(rawValue:)) else {
        let known = allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        let problem = "\(json) is nothing that can be asked of a client"
        throw fields.object.error("expects[\(index)]", problem, fix: "What can: \(known).")
      }
      if !all.contains(expectation) { all.append(expectation) }
    }
  }
}

extension FaultRule {
  /// Tells whether it has the server fail from one call on and for good, so that what came before
  /// may be shown in its place.
  var failsForGood: Bool {
    guard let calls = trigger.calls, calls.start > 0, calls.end == nil else { return false }
    return faults.contains { if case .status(let status, _) = $0 { status >= 500 } else { false } }
  }
}
