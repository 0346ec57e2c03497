/// A text without its own structure, as the input of detectors.
struct Passage {
  enum Flavour {
    /// Prose, a log, a settings file, or a command.
    case plain
    /// A page, a script or a style sheet, in which only quoted values count.
    case script
  }

  let bytes: Bytes
  let names: SecretNames
  let flavour: Flavour
}

/// A range of a passage that is a secret or may be one.
struct Finding {
  /// The reason for the finding.
  enum Evidence {
    /// A name, which is judged together with the value.
    case name(SecretNames.Kind)
    /// A row of the table: the value's format, or the surrounding words.
    case row(String)
  }

  var range: Range<Int>
  /// The name of the value, or else its kind; both are used in the pseudonym.
  var name: String
  var evidence: Evidence

  init(range: Range<Int>, name: String, _ evidence: Evidence) {
    (self.range, self.name, self.evidence) = (range, name, evidence)
  }

  init(range: Range<Int>, name: String, kind: SecretNames.Kind) {
    self.init(range: range, name: name, .name(kind))
  }

  /// Creates a finding for a secret with a known format.
  init(_ range: Range<Int>, _ row: String) { self.init(range: range, name: row, .row(row)) }
}

/// A method of finding secrets in a passage. Its cost is linear: each byte is read a limited number
/// of times.
protocol Detector: Sendable {
  /// Returns the secrets in a passage, in order.
  static func findings(in passage: Passage) -> [Finding]
}
