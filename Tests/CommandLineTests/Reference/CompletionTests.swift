import TestSupport

/// What shells complete, asked of the shells.
@Suite(.timeLimit(.minutes(5))) struct CompletionTests {
  private static func shell(_ words: [String], in scratch: Scratch) async throws -> Program.Run {
    try await scratch.run(["/usr/bin/env"] + words, isTool: false)
  }

  private static func write(_ shell: String, to name: String, in scratch: Scratch) async throws {
    let run = try await scratch.run("completions \(shell)")
    try #require(run.code == 0 && run.err == "")
    try scratch.write(run.out, to: name)
  }

  /// The offers of bash for the last of some words.
  private static func offers(of bash: Scratch, _ words: [String]) async throws -> [String] {
    let script = #"""
      source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _windtunnel; printf '%s\n' "${COMPREPLY[@]}"
      """#
    let run = try await shell(["bash", "-c", script, "bash"] + words, in: bash)
    #expect(run.code == 0 && run.err == "", "\(run)")
    return run.out.components(separatedBy: "\n").filter { !$0.isEmpty }
  }

  @Test(.enabled(if: Companion.find("bash") != nil, "There is no bash here."))
  func `bash completes commands, flags and words`() async throws {
    let scratch = try Scratch()
    try await Self.write("bash", to: "script", in: scratch)
    func offers(_ line: String) async throws -> [String] {
      try await Self.offers(of: scratch, line.components(separatedBy: " "))
    }
    try await expectEqual(offers("windtunnel dr"), ["drill"])
    try await expectEqual(offers("windtunnel cassette me"), ["merge"])
    try await expectEqual(offers("windtunnel cassette merge --"), ["--help"])
    try await expectEqual(offers("windtunnel drill --sha"), ["--shard"])
    try await expectEqual(offers("windtunnel drill --findings "), ["errors", "warnings", "off"])
    // bash takes the sign for a word.
    try await expectEqual(offers("windtunnel drill --findings = w"), ["warnings"])
    try await expectEqual(offers("windtunnel drill --findings ="), ["errors", "warnings", "off"])
    try await expectEqual(offers("windtunnel drill --calls 9 --scenario met"), ["metro"])
    try await expectEqual(offers("windtunnel rules show ignores-r"), ["ignores-retry-after"])
    try await expectEqual(offers("windtunnel drill -- a --sha"), [])
    // All that ship and no others.
    let shipped = try await scratch.run("scenarios list").out
      .components(separatedBy: "\n\n")[0].components(separatedBy: "\n")
      .compactMap { $0.components(separatedBy: " ").first }
    #expect(shipped.count > 30)
    try await expectEqual(
      Set(offers("windtunnel scenarios show ")),
      Set(shipped + ["every-push", "weak-network", "default-drill", "pre-release"])
    )
    // Names of files are the shell's.
    try await expectEqual(offers("windtunnel serve --cassette "), [])
  }

  @Test(.enabled(if: Companion.find("bash") != nil, "There is no bash here."))
  func `a word that a shell offers is one that the tool takes`() async throws {
    let scratch = try Scratch()
    try await Self.write("bash", to: "script", in: scratch)
    for (line, flag) in [
      ("report x.json", "--format"), ("cassette diff a b", "--format"), ("drill", "--stage"),
      ("drill", "--errors"), ("drill", "--findings"),
      ("record http://127.0.0.1:1 --cassette x.json", "--mode"),
    ] {
      let words = line.components(separatedBy: " ")
      let offered = try await Self.offers(of: scratch, ["windtunnel"] + words + [flag, ""])
      let run = try await scratch.run(words + [flag, "nonsense"])
      let known = "\(flag) nonsense: there are \(offered.joined(separator: ", "))."
      #expect(run.code == 64 && run.err.contains(known), "\(line): \(run), offered \(offered)")
    }
  }

  @Test(.enabled(if: Companion.find("fish") != nil, "There is no fish here."))
  func `fish completes commands, flags and words`() async throws {
    let scratch = try Scratch()
    try await Self.write("fish", to: "script", in: scratch)
    for (line, offered) in [
      ("windtunnel dr", ["drill"]), ("windtunnel cassette me", ["merge"]),
      ("windtunnel drill --sha", ["--shard"]),
      ("windtunnel drill --findings ", ["errors", "off", "warnings"]),
      ("windtunnel drill --findings=w", ["--findings=warnings"]),
      ("windtunnel drill --scenario met", ["metro"]),
      ("windtunnel rules show ignores-r", ["ignores-retry-after"]),
    ] {
      let words = ["fish", "--no-config", "-c", "source ./script; complete -C \"\(line)\""]
      let run = try await Self.shell(words, in: scratch)
      let found = run.out.components(separatedBy: "\n").filter { !$0.isEmpty }
        .compactMap { $0.components(separatedBy: "\t").first }
      #expect(run.err == "" && found == offered, "\(line): \(run)")
    }
  }

  @Test(.enabled(if: Companion.find("zsh") != nil, "There is no zsh here."))
  func `zsh completes commands, flags and words`() async throws {
    let scratch = try Scratch()
    try await Self.write("zsh", to: "_windtunnel", in: scratch)
    // A shell with a terminal of its own, in which a key completes the line and writes it down.
    try scratch.write(
      #"""
      zmodload zsh/zpty
      folder=$1; shift
      zpty shell zsh -f -i
      zpty -w shell "PS1=; fpath=($folder \$fpath); autoload -Uz compinit; compinit -D -u"
      zpty -w shell "tell() { zle complete-word; print -r -- \$BUFFER >> $folder/told; zle kill-whole-line; }"
      zpty -w shell "zle -N tell; bindkey '^T' tell"
      for line in "$@"; do zpty -w -n shell "$line"$'\x14'; done
      zpty -w shell exit
      while zpty -r shell piece; do :; done
      """#,
      to: "complete.zsh"
    )
    let lines = [
      ("windtunnel dr", "windtunnel drill "),
      ("windtunnel cassette me", "windtunnel cassette merge "),
      ("windtunnel drill --sha", "windtunnel drill --shard="),
      ("windtunnel drill --findings w", "windtunnel drill --findings warnings "),
      ("windtunnel drill --scenario=met", "windtunnel drill --scenario=metro "),
      ("windtunnel rules show ignores-r", "windtunnel rules show ignores-retry-after "),
    ]
    let run = try await Self.shell(
      ["zsh", "-f", "complete.zsh", scratch.folder.path] + lines.map(\.0),
      in: scratch
    ).exits(0)
    let told = try scratch.text("told").components(separatedBy: "\n").dropLast()
    expectEqual(Array(told), lines.map(\.1), "\(run)")
  }
}
