/// A fact about a call that some rules need and few calls have. It defines the key in reports, the
/// JSON, and the derivation from the observations of the call.
///
/// A row is a property of ``EvidenceRows`` in the file of the rule that needs it. An observation
/// has the fact under the name of that property.
public struct Evidence<Value: Sendable & Hashable>: Sendable {
  package typealias Codec =
    @Sendable (inout JSONFields, String, inout Value?) throws(FormatError) -> Void
  package typealias Probe = @Sendable (EndedCall) -> Value?

  package let key: String
  private let codec: Codec
  private let probe: Probe

  /// Creates a row. The runner sets a fact that has no probe.
  init(_ key: String, _ codec: @escaping Codec, _ probe: @escaping Probe = { _ in nil }) {
    (self.key, self.codec, self.probe) = (key, codec, probe)
  }
}

/// The codecs of rows.
extension JSONFields {
  static func fact(_ all: inout Self, _ key: String, _ fact: inout Bool?) throws(FormatError) {
    try all.bool(key, &fact)
  }

  static func fact(_ all: inout Self, _ key: String, _ fact: inout String?) throws(FormatError) {
    try all.string(key, &fact)
  }

  static func fact(_ all: inout Self, _ key: String, _ fact: inout Duration?) throws(FormatError) {
    try all.time(key, &fact)
  }

  static func fact<Fact: JSONObject>(
    _ all: inout Self,
    _ key: String,
    _ fact: inout Fact?
  ) throws(FormatError) {
    try all.nested(key, &fact)
  }

  static func fact<Fact: RawRepresentable<String> & CaseIterable>(
    _ all: inout Self,
    _ key: String,
    _ fact: inout Fact?
  ) throws(FormatError) {
    try all.choice(key, &fact)
  }
}

/// The rows of evidence, each under the name of its fact in an observation.
public struct EvidenceRows: Sendable {
  init() {}
}

/// A row of evidence with a value of any type.
package protocol EvidenceRow: Sendable {
  /// The name in JSON.
  var key: String { get }
  /// Reads or writes the fact of an observation.
  func list(_ fields: inout JSONFields, of observation: inout Observation) throws(FormatError)
  /// Sets the fact of an observation if the call shows it.
  func probe(_ call: EndedCall, into observation: inout Observation)
}

extension Evidence: EvidenceRow {
  package func list(
    _ fields: inout JSONFields,
    of observation: inout Observation
  ) throws(FormatError) {
    var value = observation[self]
    try codec(&fields, key, &value)
    if fields.isReading { observation[self] = value }
  }

  package func probe(_ call: EndedCall, into observation: inout Observation) {
    if let value = probe(call) { observation[self] = value }
  }
}

extension Observation {
  /// A fact that few calls have.
  struct Fact: Sendable, Hashable {
    let key: String
    let value: any Sendable & Hashable

    static func == (one: Self, other: Self) -> Bool {
      one.key == other.key && AnyHashable(one.value) == AnyHashable(other.value)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(key)
      hasher.combine(AnyHashable(value))
    }
  }

  /// The fact of a row of evidence; `nil` if it was not observed.
  public subscript<Value>(
    dynamicMember row: KeyPath<EvidenceRows, Evidence<Value>>
  ) -> Value? {
    // Most calls have no facts, and evaluating a key path takes longer than this check.
    get { facts.isEmpty ? nil : self[EvidenceRows()[keyPath: row]] }
    set { if newValue != nil || !facts.isEmpty { self[EvidenceRows()[keyPath: row]] = newValue } }
  }

  subscript<Value>(row: Evidence<Value>) -> Value? {
    get { facts.first { $0.key == row.key }?.value as? Value }
    set {
      facts.removeAll { $0.key == row.key }
      guard let newValue else { return }
      // Facts are sorted, so that equal observations have equal facts.
      let place = facts.firstIndex { $0.key > row.key } ?? facts.endIndex
      facts.insert(Fact(key: row.key, value: newValue), at: place)
    }
  }
}
