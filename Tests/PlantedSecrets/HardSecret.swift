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

  /// All harmless responses, each under its own path.
  public static let all = TableRow.all("HarmlessAnswers").map { row in
    HarmlessAnswer(
      kind: row.text("_kind"),
      title: row.text("_title"),
      interactions: row.interactions
    )
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
