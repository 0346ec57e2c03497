package import Foundation
package import WindTunnel

/// One flag of a command.
package struct Flag: Sendable {
  /// The name with its dashes.
  package var name: String
  /// The placeholder of the flag's value, such as `FILE`; `nil` if the flag has no value.
  package var value: String?
  /// The purpose of the flag, in one line.
  package var summary: String
  /// The valid values, which shells complete; empty if other values are valid or there are too
  /// many.
  package var choices: [String]

  package init(
    _ name: String,
    _ value: String? = nil,
    _ summary: String = "",
    choices: [String] = []
  ) {
    (self.name, self.value, self.summary, self.choices) = (name, value, summary, choices)
  }

  /// The name with the placeholder of the value.
  package var spelling: String { value.map { "\(name) \($0)" } ?? name }

  /// Returns the flag with another summary.
  package func help(_ summary: String) -> Flag {
    Flag(name, value, summary, choices: choices)
  }
}

/// The words of a command line, sorted into flags, operands and the command after `--`.
package struct Arguments: Sendable, Equatable {
  private var values: [String: [String]] = [:]
  /// The words that are neither flags nor values of flags.
  package private(set) var operands: [String] = []
  /// The words after `--`: a command to run.
  package private(set) var command: [String] = []
  /// The folder in which the command was started, if the working directory has changed since.
  package var start: URL?

  /// Sorts the words. An unknown flag is an error, which suggests the nearest known flag.
  package init(_ words: [String], flags: [Flag], operandsMax: Int, takesCommand: Bool)
    throws(CommandError)
  {
    var rest = words[...]
    var stray: CommandError?
    while let word = rest.popFirst() {
      if word == "--", takesCommand {
        guard !rest.isEmpty else { throw .usage("-- requires a command after it.") }
        command = Array(rest)
        break
      }
      guard word.hasPrefix("-"), word.count > 1 else {
        operands.append(word)
        if stray == nil, operands.count > operandsMax {
          stray = Self.refusal(of: word, before: rest, flags: flags, takesCommand: takesCommand)
        }
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let flag = flags.first(where: { $0.name == name }) else {
        // A flag after a program's name probably belongs to that program.
        if takesCommand, let stray { throw stray }
        throw .unknownFlag(name, among: flags.map(\.name) + ["--help"])
      }
      guard let placeholder = flag.value else {
        guard parts.count == 1 else { throw .usage("\(name) has no value.") }
        values[name] = []
        continue
      }
      // The next flag is not a value. A value that begins with two dashes can follow an equals
      // sign.
      let next = rest.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
      guard let value = parts.count == 2 ? String(parts[1]) : next, !value.isEmpty else {
        throw .usage("\(name) requires \(placeholder) after it.")
      }
      if parts.count == 1 { rest.removeFirst() }
      values[name, default: []].append(value)
    }
    if let stray { throw stray }
  }

  /// Returns the refusal of the first surplus operand. If a command may follow `--` but none does,
  /// the operand is probably that command's name.
  private static func refusal(
    of word: String,
    before rest: ArraySlice<String>,
    flags: [Flag],
    takesCommand: Bool
  ) -> CommandError {
    guard takesCommand, !rest.contains("--") else { return .unexpected(word) }
    let isAlone = rest.first.map { next in
      flags.contains { next == $0.name || next.hasPrefix("\($0.name)=") }
    }
    // The operand is probably the name of a scenario or a cassette, which needs a flag.
    let isName = !word.contains("/") && !word.contains(".") || word.hasSuffix(".json")
    if isAlone ?? true, isName { return .unexpected(word) }
    let example =
      word.contains("{url}") ? "" : ", as in -- \(word) \(isAlone ?? true ? "" : "… "){url}"
    return .usage("Unexpected argument \"\(word)\". A command to run follows --\(example).")
  }

  /// Returns the arguments, completed by the flags and the command of others.
  ///
  /// The values of `added` flags are combined, with the values of the others first.
  package func completed(by others: Arguments, adding added: Set<String> = []) -> Arguments {
    var all = self
    all.values.merge(others.values) { own, _ in own }
    for flag in added {
      guard let first = others.values[flag] else { continue }
      all.values[flag] = first + self.all(flag).filter { !first.contains($0) }
    }
    if command.isEmpty { all.command = others.command }
    return all
  }

  /// Returns the arguments with absolute paths: of the program, of the files of `flags`, and of
  /// `named` flags whose value is a file.
  ///
  /// A value of a `named` flag is a file if it contains a slash or a dot.
  package func resolvingFiles(of flags: [String], named: [String]) -> Arguments {
    func resolved(_ text: String) -> String { URL(typed: text).path }
    var all = self
    for flag in flags { all.values[flag] = values[flag]?.map(resolved) }
    for flag in named {
      all.values[flag] = values[flag]?.map {
        $0.contains("/") || $0.contains(".") ? resolved($0) : $0
      }
    }
    if let program = command.first, program.contains("/") { all.command[0] = resolved(program) }
    return all
  }

  /// Returns a file with a path relative to the start folder, as code hosts require, or with an
  /// absolute path if the file is outside of it.
  package func fromStart(_ file: URL) -> URL {
    guard start != nil || file.relativePath.hasPrefix("/") else { return file }
    let folder = (start ?? URL(typed: ".")).standardizedFileURL.path
    let path = file.standardizedFileURL.path
    guard path.hasPrefix(folder + "/") else { return URL(filePath: path) }
    return URL(
      filePath: String(path.dropFirst(folder.count + 1)),
      relativeTo: URL(filePath: folder, directoryHint: .isDirectory)
    )
  }

  /// Whether a flag is present.
  package func has(_ name: String) -> Bool { values[name] != nil }

  /// Returns every value of a flag, in order.
  package func all(_ name: String) -> [String] { values[name] ?? [] }

  /// Returns the value of a flag; throws if the flag is given more than once.
  package func value(_ name: String) throws(CommandError) -> String? {
    let all = values[name] ?? []
    guard all.count <= 1 else { throw .usage("\(name) is set \(all.count) times.") }
    return all.first
  }

  /// Returns the value of a required flag.
  package func required(_ name: String, _ what: String) throws(CommandError) -> String {
    guard let value = try value(name) else { throw .missing(name, what) }
    return value
  }

  /// Returns the value of a required flag or of the only operand.
  ///
  /// If neither is given, the error names the thing, such as "The cassette to play". It ends with
  /// the command line that passes it as an operand.
  package func required(_ name: String, orOperand thing: String, asIn form: String)
    throws(CommandError) -> String
  {
    guard let operand = operands.first, !operand.isEmpty else {
      guard let value = try value(name) else { throw .missing(thing, form) }
      return value
    }
    guard !has(name) else { throw .both(operand, name) }
    return operand
  }

  /// Returns all parsed values of a flag; throws if a value cannot be parsed.
  package func all<Value>(
    _ name: String,
    shouldBe what: String,
    _ read: (String) -> Value?
  ) throws(CommandError) -> [Value] {
    try all(name).map { text throws(CommandError) in
      guard let value = read(text) else { throw .value(name, text, shouldBe: what) }
      return value
    }
  }

  /// Returns the request patterns of a flag, in order.
  package func patterns(_ name: String) throws(CommandError) -> [RequestPattern] {
    try all(name).map { text throws(CommandError) in
      if let wrong = RequestPattern.problem(with: text) {
        throw .usage("\(name): \(wrong.problem). \(wrong.fix)")
      }
      return RequestPattern(text)
    }
  }

  /// Returns the parsed value of a flag; throws if it cannot be parsed.
  package func value<Value>(
    _ name: String,
    shouldBe what: String,
    _ read: (String) -> Value?
  ) throws(CommandError) -> Value? {
    _ = try value(name)
    return try all(name, shouldBe: what, read).first
  }

  /// Returns a required operand.
  package func operand(_ index: Int, _ placeholder: String, _ what: String) throws(CommandError)
    -> String
  {
    guard operands.count > index, !operands[index].isEmpty else {
      throw .missing(placeholder, what)
    }
    return operands[index]
  }

  /// Returns the value of a flag as a whole number, optionally followed by a unit.
  package func int(_ name: String, in range: ClosedRange<Int>, unit: String = "")
    throws(CommandError)
    -> Int?
  {
    guard let text = try value(name) else { return nil }
    let digits = text.hasSuffix(unit) ? text.dropLast(unit.count) : text[...]
    guard let number = Int(digits), range.contains(number) else {
      throw .number(name, text, in: range)
    }
    return number
  }

  /// Returns the seed of all random draws; 1 by default.
  package func seed() throws(CommandError) -> UInt64 {
    UInt64(try int("--seed", in: 0...Int.max) ?? 1)
  }

  /// Returns the value of a flag as a number.
  package func number(_ name: String, in range: ClosedRange<Double>) throws(CommandError) -> Double?
  {
    let bounds = "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
    return try value(name, shouldBe: "a number from \(bounds)") { text in
      Double(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  private static func text(_ bound: Double) -> String {
    bound == bound.rounded() ? String(Int(bound)) : String(bound)
  }

  /// Returns a number of days, such as `90` or `90d`.
  package func days(_ name: String) throws(CommandError) -> Int? {
    try int(name, in: 0...36_500, unit: "d")
  }

  /// Returns a duration, such as `500ms`, `10s` or `2m`, or a number of seconds.
  package func duration(_ name: String) throws(CommandError) -> Duration? {
    let units: [(suffix: String, milliseconds: Double)] = [
      ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("", 1000),
    ]
    return try value(name, shouldBe: "a length of time such as 500ms, 10s or 2m") { text in
      guard let unit = units.first(where: { text.hasSuffix($0.suffix) }),
        let number = Double(text.dropLast(unit.suffix.count)), number <= 1e6,
        number * unit.milliseconds >= 1
      else { return nil }
      return .milliseconds(Int64(number * unit.milliseconds))
    }
  }

  /// Returns the output files of a flag, each with the format that its extension selects.
  ///
  /// Throws if a name has none of these extensions, or if a file cannot be written.
  package func files<Form>(
    _ name: String,
    endingIn extensions: [String],
    _ form: (String) -> Form?
  ) throws -> [(file: URL, form: Form)] {
    try all(name).map { text in
      let file = URL(typed: text)
      guard let form = form(file.pathExtension) else {
        let all = extensions.map { ".\($0)" }
        let names = "\(all.dropLast().joined(separator: ", ")) or \(all.last ?? "")"
        throw CommandError.value(name, text, shouldBe: "a name that ends in \(names)")
      }
      try FileError.probeWriting(to: file)
      return (file, form)
    }
  }

  /// Returns the value that a flag selects by one of several words.
  package func choice<Choice>(
    _ name: String,
    _ choices: KeyValuePairs<String, Choice>
  ) throws(CommandError) -> Choice? {
    try choice(name, among: choices.map(\.key)) { text in choices.first { $0.key == text }?.value }
  }

  /// Returns the value of a flag that accepts one of several words.
  package func choice<Choice>(
    _ name: String,
    among names: [String],
    _ read: (String) -> Choice?
  ) throws(CommandError) -> Choice? {
    guard let text = try value(name) else { return nil }
    guard let found = read(text) else { throw .choice(name, text, among: names) }
    return found
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 3)
