/// The scripts for shells that complete the words of a command line.
struct Completions {
  /// A shell with a completion script.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  let commands: [any Command.Type]

  /// Returns the script for a shell.
  func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// The first words, each with its summary. The summary of a group lists its second words.
  private var firstWords: [(word: String, summary: String)] {
    var words: [(word: String, summary: String)] = []
    for command in commands {
      let parts = command.words
      guard !words.contains(where: { $0.word == parts[0] }) else { continue }
      let others = secondWords(of: parts[0]).map(\.word).joined(separator: ", ")
      words.append((parts[0], parts.count == 1 ? command.summary : "Of \(parts[0]): \(others)."))
    }
    return words
  }

  /// Returns the second words after a first one, each with its summary.
  private func secondWords(of first: String) -> [(word: String, summary: String)] {
    commands.filter { $0.words.count == 2 && $0.words[0] == first }
      .map { ($0.words[1], $0.summary) }
  }

  private var groups: [String] {
    firstWords.map(\.word).filter { !secondWords(of: $0).isEmpty }
  }

  /// Returns the flags to complete: all have `--help`, and `-- CMD` is not a flag.
  private func flags(of command: any Command.Type) -> [Flag] {
    command.flags.filter { !$0.name.contains(" ") } + [Flag("--help", nil, "Show the help.")]
  }

  // MARK: bash

  private var bash: String {
    let cases = commands.map { command -> String in
      let flags = flags(of: command)
      let values = flags.filter { $0.value != nil }.map { flag in
        "          \(flag.name)) words='\(flag.choices.joined(separator: " "))' value=1 ;;\n"
      }
      return """
            '\(command.name)')
              flags='\(flags.map(\.name).joined(separator: " "))'
              operands='\(command.operandChoices.joined(separator: " "))'
              case $previous in
        \(values.joined())\
                *) ;;
              esac
              ;;
        """
    }
    let groups = groups.map { group in
      "    \(group)) words='\(secondWords(of: group).map(\.word).joined(separator: " "))' ;;"
    }
    // The code is compatible with the bash of macOS: 3.2, without compopt and mapfile.
    return Shipped.text(
      "completions/bash",
      [
        "WORDS": firstWords.map(\.word).joined(separator: " "),
        "GROUPS": groups.joined(separator: "\n"), "COMMANDS": cases.joined(separator: "\n"),
      ]
    )
  }

  // MARK: zsh

  private var zsh: String {
    /// Returns a text for single quotes in a specification of `_arguments`.
    func quoted(_ text: String) -> String {
      text.map { character in
        switch character {
        case "'": "'\\''"
        case "[", "]", ":", "\\": "\\\(character)"
        default: String(character)
        }
      }.joined()
    }
    func list(_ words: [(word: String, summary: String)]) -> String {
      words.map { "      '\($0.word):\(quoted($0.summary))'" }.joined(separator: "\n")
    }
    func action(_ words: [String], _ placeholder: String) -> String {
      let files = words.isEmpty || placeholder.contains("FILE")
      let choice = words.isEmpty ? "" : "compadd -- \(words.joined(separator: " "))"
      return switch (choice.isEmpty, files) {
      case (true, _): "_files"
      case (false, true): "{ \(choice); _files }"
      case (false, false): "{ \(choice) }"
      }
    }
    let cases = commands.map { command -> String in
      let specifications = flags(of: command).map { flag in
        let value = flag.value.map { ":\(quoted($0)):\(action(flag.choices, $0))" } ?? ""
        return "'*\(flag.name)\(flag.value == nil ? "" : "=")[\(quoted(flag.summary))]\(value)'"
      }
      let operand =
        command.operandsMax == 0
        ? [] : ["'*:operand:\(action(command.operandChoices, ""))'"]
      let rest = command.takesCommand ? ["'*:::command:_normal'"] : operand
      let lines = (specifications + rest).map { "        \($0)" }.joined(separator: " \\\n")
      return "    '\(command.name)')\n      _arguments -S \\\n\(lines)\n      ;;"
    }
    let groups = groups.map { group in
      """
          \(group))
            if (( CURRENT == 3 )); then
              words_of_group=(
      \(list(secondWords(of: group)))
              )
              _describe 'command' words_of_group
              return
            fi
            name="\(group) $words[3]"
            skipped=2
            ;;
      """
    }
    return Shipped.text(
      "completions/zsh",
      [
        "WORDS": list(firstWords), "GROUPS": groups.joined(separator: "\n"),
        "COMMANDS": cases.joined(separator: "\n"),
      ]
    )
  }

  // MARK: fish

  private var fish: String {
    func quoted(_ text: String) -> String {
      "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
    var lines = [
      "# Completion of windtunnel for fish, generated by: windtunnel completions fish",
      "# Save it as ~/.config/fish/completions/windtunnel.fish", "",
      "complete -c windtunnel -e",
    ]
    for (word, summary) in firstWords {
      lines.append(
        "complete -c windtunnel -f -n __fish_use_subcommand -a \(word) -d \(quoted(summary))"
      )
      let others = secondWords(of: word)
      let names = others.map(\.word).joined(separator: " ")
      for other in others {
        let condition =
          "__fish_seen_subcommand_from \(word); and not __fish_seen_subcommand_from \(names)"
        lines.append(
          "complete -c windtunnel -f -n \(quoted(condition)) -a \(other.word) -d \(quoted(other.summary))"
        )
      }
    }
    for command in commands {
      let seen = command.words.map { "__fish_seen_subcommand_from \($0)" }
      let condition = quoted(seen.joined(separator: "; and "))
      for flag in flags(of: command) {
        // If other values than its choices are allowed, file names are offered, too.
        let isOpen = flag.choices.isEmpty || flag.value?.contains("FILE") == true
        let value = flag.value == nil ? "-f" : isOpen ? "-r" : "-x"
        let choices =
          flag.choices.isEmpty ? "" : " -a \(quoted(flag.choices.joined(separator: " ")))"
        lines.append(
          "complete -c windtunnel -n \(condition) -l \(flag.name.dropFirst(2)) \(value)\(choices) "
            + "-d \(quoted(flag.summary))"
        )
      }
      guard !command.operandChoices.isEmpty else { continue }
      let words = quoted(command.operandChoices.joined(separator: " "))
      lines.append("complete -c windtunnel -f -n \(condition) -a \(words)")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
