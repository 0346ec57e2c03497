/// One command of the tool.
protocol Command: Sendable {
  /// The words that call it, such as `cassette show`.
  static var name: String { get }
  /// A summary in one line.
  static var summary: String { get }
  /// The arguments that may follow the name.
  static var synopsis: String { get }
  /// The flags of the command.
  static var flags: [Flag] { get }
  /// A working example in one line.
  static var example: String { get }
  /// The maximum number of operands.
  static var operandsMax: Int { get }
  /// The possible values of an operand, which shells complete; empty if it is a file.
  static var operandChoices: [String] { get }
  /// Whether a command to run may follow `--`.
  static var takesCommand: Bool { get }
  /// Runs the command, and returns its exit code.
  static func run(_ arguments: Arguments) async throws -> ExitCode
}

extension Arguments {
  /// Prints a result as text or, with `--json`, as JSON.
  func answer(_ text: @autoclosure () -> String, json: @autoclosure () -> some Sequence<UInt8>) {
    if has("--json") { Terminal.answer(json: json()) } else { Terminal.answer(text()) }
  }
}

extension Command {
  static var operandsMax: Int { 0 }
  static var operandChoices: [String] { [] }
  static var flags: [Flag] { [] }
  static var takesCommand: Bool { false }
  /// The words of the name.
  static var words: [String] { name.split(separator: " ").map(String.init) }
}
