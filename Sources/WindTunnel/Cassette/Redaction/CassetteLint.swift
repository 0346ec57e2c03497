/// A secret that stands on a cassette: where and what, never the value.
public struct CassetteLeak: Sendable, Hashable {
  /// The interaction, counted from 1.
  public var number: Int
  /// Where in it, such as `request header Authorization` or `response body JSON token`.
  public var place: String
  /// The name that it stands under, or what it looks like.
  public var kind: String
  /// How long it is.
  public var bytes: Int
}

extension CassetteLeak: CustomStringConvertible {
  /// A line without the value.
  public var description: String { "#\(number) \(place): \(kind), \(bytes) bytes" }
}

/// Looks for secrets on a cassette: by the names and shapes that a recording is cleaned of, and for
/// words that look drawn by lot.
public struct CassetteLint: Sendable {
  /// What was found, in the order of the interactions.
  public let leaks: [CassetteLeak]
  /// The bodies that could not be looked into, in words.
  public let unopened: [String]

  /// Looks through a cassette.
  public init(_ cassette: Cassette, rules: RedactionRules = .standard) {
    var redaction = Redaction(continuing: cassette.interactions, rules: rules)
    redaction.log = RedactionLog()
    _ = redaction.redact(cassette.interactions)
    // A swift sort keeps the order of equals, but does not promise to.
    let found = redaction.log?.leaks.enumerated().sorted {
      ($0.element.number, $0.offset) < ($1.element.number, $1.offset)
    }
    leaks = found?.map(\.element) ?? []
    unopened = redaction.log?.unopened ?? []
  }
}
