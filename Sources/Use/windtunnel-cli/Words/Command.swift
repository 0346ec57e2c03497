/// One command of the tool.
protocol Command: Sendable {
  /// The words that call it, such as `cassette show`.
  static var name: String { get }
  /// One line about it.
  static var summary: String { get }
  /// The arguments that may follow the name.
  static var synopsis: String { get }
  /// The flags that it takes.
  static var flags: [Flag] { get }
  /// One line that works.
  static var example: String { get }
  /// The largest number of operands that it takes.
  static var operandsMax: Int { get }
  /// The words that an operand may be, which shells complete; empty where it is a file.
  static var operandChoices: [String] { get }
  /// Tells whether a command to run may follow `--`.
  static var takesCommand: Bool { get }
  /// Does what the command is for.
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
