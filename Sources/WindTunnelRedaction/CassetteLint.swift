/// A secret that stands on a cassette: where and what, never the value.
public struct CassetteLeak: Sendable, Hashable {
  /// The interaction, counted from 1; 0 for the cassette's own notes.
  public var number: Int
  /// The place where in it, such as `request header Authorization` or `response body JSON token`.
  public var place: String
  /// The name that it stands under, or what it looks like.
  public var kind: String
  /// The row of the table of detections by which it was found, such as `field-name`.
  public var rule: String
  /// How long it is.
  public var bytes: Int
}

extension CassetteLeak: CustomStringConvertible {
  /// A line without the value.
  public var description: String {
    "\(number == 0 ? "" : "#\(number) ")\(place): \(kind), \(bytes) bytes"
  }
}

/// Looks for secrets on a cassette: by the names and shapes that a recording is cleaned of, and for
/// words that look drawn by lot.
public struct CassetteLint: Sendable {
  /// What was found, in the order of the interactions.
  public let leaks: [CassetteLeak]
  /// The bodies that could not be looked into, in words.
  public let unopened: [String]

  /// Looks through a cassette, or through what was added to it or changed in it.
  ///
  /// - Parameters:
  ///   - cassette: The cassette.
  ///   - earlier: What it was before; an interaction that stood there as it stands now is passed
  ///     over. Its secrets are looked for in the others all the same.
  ///   - rules: What is a secret beside what always is.
  public init(
    _ cassette: Cassette,
    since earlier: Cassette = Cassette(),
    rules: RedactionRules = .standard
  ) {
    var redaction = Redaction(continuing: cassette.interactions, rules: rules)
    redaction.log = RedactionLog()
    _ = redaction.notes(ofCassette: cassette.notes)
    _ = redaction.redact(cassette.interactions)
    var isNew = Set(cassette.added(since: earlier))
    if cassette.notes != earlier.notes { isNew.insert(0) }
    // A swift sort keeps the order of equals, but does not promise to.
    let found = redaction.log?.leaks.enumerated().sorted {
      ($0.element.number, $0.offset) < ($1.element.number, $1.offset)
    }
    leaks = found?.map(\.element).filter { isNew.contains($0.number) } ?? []
    unopened = redaction.log?.unopened.filter { isNew.contains($0.number) }.map(\.line) ?? []
  }
}

extension Cassette {
  /// The numbers, counted from 1, of the interactions that did not stand on an earlier cassette as
  /// they stand here. What stood there once and stands here twice was added once.
  package func added(since earlier: Cassette) -> [Int] {
    var known: [Interaction: Int] = [:]
    for interaction in earlier.interactions { known[interaction, default: 0] += 1 }
    return interactions.indices.compactMap { index in
      let count = known[interactions[index], default: 0]
      guard count > 0 else { return index + 1 }
      known[interactions[index]] = count - 1
      return nil
    }
  }
}
