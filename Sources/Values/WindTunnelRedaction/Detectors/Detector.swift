/// A text without structure of its own, as detectors read it.
struct Passage {
  enum Flavour {
    /// Prose, a log, a file of settings, the words of a command.
    case plain
    /// A page, a script or a style sheet, where only values in quotes count.
    case script
  }

  let bytes: Bytes
  let names: SecretNames
  let flavour: Flavour
}

/// A stretch of a passage that is a secret, or may be one.
struct Finding {
  /// The reason why it may be one.
  enum Evidence {
    /// A name, which is judged together with the value.
    case name(SecretNames.Kind)
    /// Its looks, or the words around it: a row of the table.
    case row(String)
  }

  var range: Range<Int>
  /// The name that it stands under, else its kind, as it stands in a pseudonym.
  var name: String
  var evidence: Evidence

  init(range: Range<Int>, name: String, _ evidence: Evidence) {
    (self.range, self.name, self.evidence) = (range, name, evidence)
  }

  init(range: Range<Int>, name: String, kind: SecretNames.Kind) {
    self.init(range: range, name: name, .name(kind))
  }

  /// A secret that is known by its looks.
  init(_ range: Range<Int>, _ row: String) { self.init(range: range, name: row, .row(row)) }
}

/// One way to find secrets in a passage. It looks at no byte more often than a fixed number of
/// times.
protocol Detector: Sendable {
  /// Returns the secrets in a passage, in their order.
  static func findings(in passage: Passage) -> [Finding]
}
