public import WindTunnel

/// A secret that is hard to recognise: its name is unusual, its shape is special, an encoding hides
/// it, or only a part of it is repeated. All of them are invented.
public struct HardSecret: Sendable {
  /// The kind of difficulty, such as `name with a tail`.
  public var kind: String
  /// A short description of the interactions.
  public var title: String
  /// The texts that must not be in a cassette in any spelling.
  public var secrets: [String]
  /// The interactions, in the order in which they were recorded.
  public var interactions: [Interaction]

  /// All hard secrets, ordered by kind.
  public static let all = TableRow.all("HardSecrets").map(HardSecret.init)
  /// Secrets in syntaxes, containers, spellings and pieces that the other list does not have.
  public static let third = TableRow.all("ThirdSecrets").map(HardSecret.init)

  private init(_ row: TableRow) {
    (kind, title) = (row.text("_kind"), row.text("_title"))
    guard let pattern = row.notes["_secret"]?.stringValue else {
      (secrets, interactions) = (row.texts("_secrets"), row.interactions)
      return
    }
    let drawn = SecretPattern(pattern, seed: row.notes["_seed"]?.intValue ?? 0)
    (secrets, interactions) = ([drawn.needle], row.interactions.map(drawn.filling))
  }
}

/// A response that looks like a secret because of a word in it, but contains none. Redaction must
/// not change it.
public struct HarmlessAnswer: Sendable {
  /// The kind of likeness, such as `a word of a schema`.
  public var kind: String
  /// A short description of the interactions.
  public var title: String
  /// The interactions, in the order in which they were recorded.
  public var interactions: [Interaction]
  /// The texts that matter; empty in the first list.
  public var stays: [String]

  /// All harmless responses, each under its own path.
  public static let all = TableRow.all("HarmlessAnswers").map(HarmlessAnswer.init)
  /// Public identifiers, and the syntaxes of the third list of secrets without a secret.
  public static let third = TableRow.all("ThirdHarmless").map(HarmlessAnswer.init)

  private init(_ row: TableRow) {
    (kind, title) = (row.text("_kind"), row.text("_title"))
    (stays, interactions) = (row.texts("_stays"), row.interactions)
  }
}

/// Two requests that differ in one harmless value only. Secrets often have the name of that value.
/// Each request has its own response.
public struct HarmlessPair: Sendable {
  /// The name of the value.
  public var title: String
  /// The first interaction.
  public var first: Interaction
  /// The second interaction.
  public var second: Interaction

  /// All pairs: the value is in a query, in a form, in JSON or in a header field.
  public static let all = TableRow.all("HarmlessPairs").map { row in
    guard row.interactions.count == 2 else { fatalError("\(row.text("_title")) is not a pair") }
    return HarmlessPair(
      title: row.text("_title"),
      first: row.interactions[0],
      second: row.interactions[1]
    )
  }
}

/// Recordings whose requests differ in a redacted value alone, or in nothing.
public struct RedactedPair: Sendable {
  /// The source of the two values: one secret, two secrets, earlier responses, earlier requests, or
  /// one secret in two runs of the recorder.
  public enum Kind: String, Sendable { case same, other, given, told, twoRuns }

  /// The source of the values.
  public var kind: Kind
  /// A short description of the interactions.
  public var title: String
  /// The interactions, in the order in which they were recorded; those of the pair are last.
  public var interactions: [Interaction]

  /// All pairs, ordered by kind.
  public static let all = TableRow.all("ThirdPairs").map { row in
    guard let kind = Kind(rawValue: row.text("_kind")) else { fatalError(row.text("_title")) }
    return RedactedPair(kind: kind, title: row.text("_title"), interactions: row.interactions)
  }
}
