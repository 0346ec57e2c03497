/// The words of a command line, as a shell completes them.
struct Completions {
  /// A shell that there is a script for.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  let commands: [any Command.Type]

  /// The script for a shell.
  func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// The first words, each with the line about it; a word that others follow has the list of those.
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

  /// The words that follow a first one, each with the line about it.
  private func secondWords(of first: String) -> [(word: String, summary: String)] {
    commands.filter { $0.words.count == 2 && $0.words[0] == first }
      .map { ($0.words[1], $0.summary) }
  }

  private var groups: [String] {
    firstWords.map(\.word).filter { !secondWords(of: $0).isEmpty }
  }

  /// The flags that are typed; `-- CMD` is no flag, and all have `--help`.
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
    // What is old in it is the bash of macOS: 3.2, which has no compopt and no mapfile.
    return """
      # Completion of windtunnel for bash, made by: windtunnel completions bash
      # Source it, or put it where bash-completion looks: ~/.local/share/bash-completion/completions/windtunnel

      _windtunnel() {
        local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
        local flags='' operands='' words='' value='' command=${COMP_WORDS[1]} index
        COMPREPLY=()
        # --flag=value is three words to bash.
        if [[ $word == = ]]; then
          word=''
        elif [[ $previous == = ]]; then
          previous=${COMP_WORDS[COMP_CWORD-2]}
        fi
        if [[ $COMP_CWORD == 1 ]]; then
          COMPREPLY=($(compgen -W '\(firstWords.map(\.word).joined(separator: " ")) --help --version' -- "$word"))
          return
        fi
        for ((index = 1; index < COMP_CWORD; index++)); do
          if [[ ${COMP_WORDS[index]} == -- ]]; then
            # Another program's words.
            if [[ $index == $((COMP_CWORD - 1)) ]]; then COMPREPLY=($(compgen -c -- "$word")); fi
            return
          fi
        done
        case $command in
      \(groups.joined(separator: "\n"))
        esac
        if [[ -n $words ]]; then
          if [[ $COMP_CWORD == 2 ]]; then
            COMPREPLY=($(compgen -W "$words" -- "$word"))
            return
          fi
          command="$command ${COMP_WORDS[2]}" words=''
        fi
        case $command in
      \(cases.joined(separator: "\n"))
        esac
        # Where nothing is offered the shell completes names of files.
        if [[ -n $value ]]; then
          COMPREPLY=($(compgen -W "$words" -- "$word"))
        elif [[ $word == -* ]]; then
          COMPREPLY=($(compgen -W "$flags" -- "$word"))
        else
          COMPREPLY=($(compgen -W "$operands" -- "$word"))
        fi
      }

      complete -o bashdefault -o default -F _windtunnel windtunnel

      """
  }

  // MARK: zsh

  private var zsh: String {
    /// Within single quotes, in a specification of `_arguments`.
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
    return """
      #compdef windtunnel
      # Completion of windtunnel for zsh, made by: windtunnel completions zsh
      # Put it as _windtunnel into a folder of $fpath, before compinit runs.

      _windtunnel() {
        local -a first words_of_group
        local name=$words[2] skipped=1
        if (( CURRENT == 2 )); then
          first=(
      \(list(firstWords))
          )
          _describe 'command' first
          return
        fi
        case $name in
      \(groups.joined(separator: "\n"))
        esac
        # The rest is one command's words, the first of which is its name.
        shift $skipped words
        (( CURRENT -= skipped ))
        case $name in
      \(cases.joined(separator: "\n"))
        esac
      }

      if [[ $funcstack[1] == _windtunnel ]]; then
        _windtunnel "$@"
      else
        compdef _windtunnel windtunnel
      fi

      """
  }

  // MARK: fish

  private var fish: String {
    func quoted(_ text: String) -> String {
      "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
    var lines = [
      "# Completion of windtunnel for fish, made by: windtunnel completions fish",
      "# Put it into ~/.config/fish/completions/windtunnel.fish", "",
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
        // Where others than its words may follow, the names of files are offered, too.
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
