/// A run of a program that ended by itself or by a signal, with all that it printed.
public struct ProgramRun: Equatable, Sendable {
  /// The exit code, or the number of the signal that ended it as a negative number.
  public var code: Int32
  /// The text of standard output.
  public var out: String
  /// The text of standard error.
  public var err: String

  /// Creates a run, for comparison with one.
  public init(code: Int32, out: String, err: String) {
    (self.code, self.out, self.err) = (code, out, err)
  }
}

/// An error of a program whose run is not known to its end: it has no exit code, or its output was not
/// read to the end.
public struct UnfinishedProgram: Error, CustomStringConvertible {
  /// The number of characters of each stream that are shown.
  private static let charactersMax = 4000

  /// The words of the command.
  public var words: [String]
  /// The reason, as the rest of a sentence that begins with the command.
  public var reason: String
  /// The text of standard output so far.
  public var out = ""
  /// The text of standard error so far.
  public var err = ""

  /// The command, the reason and the printed text.
  public var description: String {
    "\(words.joined(separator: " ")) \(reason). On standard output so far: \(Self.shown(out)). "
      + "On standard error so far: \(Self.shown(err))."
  }

  private static func shown(_ text: String) -> String {
    guard !text.isEmpty else { return "nothing" }
    let isWhole = text.count <= charactersMax
    return (isWhole ? "" : "… ") + String(text.suffix(charactersMax)).debugDescription
  }
}
