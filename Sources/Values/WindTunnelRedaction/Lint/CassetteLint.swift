internal import Foundation

/// A search for secrets on a cassette: by the names and formats that recordings are redacted by,
/// and for words that look random.
///
/// ```swift
/// for leak in CassetteLint(cassette).leaks { print(leak) }
/// ```
public struct CassetteLint: Sendable {
  /// The secrets that were found, in the order of the interactions.
  public let leaks: [CassetteLeak]
  /// The bodies that could not be searched, one sentence each.
  public let unopened: [String]

  /// Searches a cassette, or only its new and changed interactions.
  ///
  /// - Parameters:
  ///   - cassette: The cassette.
  ///   - earlier: The previous cassette. Unchanged interactions are not reported, but their secrets
  ///     are also searched in the others.
  ///   - rules: Redaction rules in addition to the default ones.
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
    leaks = (redaction.log?.leaks ?? []).filter { isNew.contains($0.number) }
      .stablySorted { $0.number < $1.number }
    unopened = redaction.log?.unopened.filter { isNew.contains($0.number) }.map(\.line) ?? []
  }
}

extension Cassette {
  /// Returns the numbers, from 1, of the interactions that an earlier cassette does not contain in
  /// the same form.
  ///
  /// Duplicates count: an interaction that occurred once and now occurs twice was added once.
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
