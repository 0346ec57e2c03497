enum PresetsListCommand: Command {
  static let name = "presets list"
  static let summary = "List the link presets, each with published numbers."
  static let synopsis = "[--json]"
  static let example = "windtunnel presets list"
  static let flags = [Flag("--json", nil, "Print them as JSON.")]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    if arguments.has("--json") {
      return Terminal.answer(indented: .array(LinkPreset.all.map(\.json)))
    }
    let rows = LinkPreset.all.map { ($0.name, "\($0.link.inWords)  (\($0.evidence.rawValue))") }
    return Terminal.answer(HelpText.columns(rows, indent: "") + "\n")
  }
}

enum PresetsShowCommand: Command {
  static let name = "presets show"
  static let summary = "Show a preset: its numbers, and their sources and reliability."
  static let synopsis = "NAME [--json]"
  static let example = "windtunnel presets show nlc/3g"
  static let operandsMax = 1
  static let operandChoices = LinkPreset.all.map(\.name)
  static let flags = [Flag("--json", nil, "Print it as JSON.")]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let name = try arguments.operand(0, "NAME", "the preset to show")
    let preset = try PresetText.find(name)
    if arguments.has("--json") { return Terminal.answer(indented: preset.json) }
    let evidence =
      preset.evidence == .source
      ? "source: confirmed in the primary source" : "known: not confirmed in a primary source"
    let rows = [
      ("title", preset.title), ("link", preset.link.inWords), ("source", preset.source),
      ("evidence", evidence), ("note", preset.note ?? ""),
      ("scenario", "\"link\": { \"preset\": \"\(preset.name)\" }"),
    ].filter { !$0.1.isEmpty }
    return Terminal.answer("\(preset.name)\n\(HelpText.columns(rows))\n")
  }
}

/// Helpers of the commands about presets.
enum PresetText {
  static func find(_ name: String) throws(CommandError) -> LinkPreset {
    guard let preset = LinkPreset.named(name) else {
      throw .usage("Unknown preset \"\(name)\". \(LinkPreset.suggestion(for: name))")
    }
    return preset
  }
}

extension Link {
  /// The link in one line: `780 kbit/s, 100 ms down; 330 kbit/s, 100 ms up`.
  var inWords: String {
    func told(_ direction: Direction, _ way: String) -> String {
      func plain(_ number: Double) -> String { "\(JSON.number(number, places: 3))" }
      let rate = direction.bitsPerSecond.map { "\(plain($0 / 1000)) kbit/s" } ?? "any rate"
      let loss = direction.lossProbability
      let lost = loss > 0 ? ", \(plain(loss * 100)) % lost" : ""
      return "\(rate), \(plain(direction.delay.inMilliseconds)) ms\(lost) \(way)"
    }
    let dns = dnsDelay > .zero ? "; DNS takes \(Int(dnsDelay.inMilliseconds)) ms" : ""
    return "\(told(down, "down")); \(told(up, "up"))\(dns)"
  }
}
