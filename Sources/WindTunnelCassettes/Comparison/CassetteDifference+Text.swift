internal import WindTunnelSymptoms

extension CassetteDifference {
  /// The difference for a terminal, under a title such as the name of the file; empty where there
  /// is none.
  public func text(title: String) -> String {
    guard !isEmpty else { return "" }
    var text = "\(title): \(summary)\n"
    text += notes.map { "  \($0.line)\n" }.joined()
    for change in changes {
      text += "\(change.sign) \(change.words)\n"
      text += change.parts.map { "    \($0.line)\n" }.joined()
    }
    return text
  }

  /// The difference for a comment of a pull request; empty where there is none.
  public func markdown(title: String) -> String {
    guard !isEmpty else { return "" }
    var text = "### \(Self.code(title)): \(summary)\n\n"
    let notes = notes.map { "  - \(Self.code($0.line))\n" }.joined()
    if !notes.isEmpty { text += "- the cassette's notes\n\(notes)" }
    for change in changes {
      text += "- **\(change.verb)** \(Self.code(change.words))\n"
      text += change.parts.map { "  - \(Self.code($0.line))\n" }.joined()
    }
    return text
  }

  /// How many of each, such as `1 changed, 2 added, 7 the same`.
  public var summary: String {
    let verbs = ["changed", "moved", "added", "removed"]
    let counts = verbs.map { verb in (changes.count { $0.verb == verb }, verb) }
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let own = notes.isEmpty ? [] : ["notes changed"]
    return (own + counts + ["\(sameCount) the same"]).joined(separator: ", ")
  }

  /// Code in Markdown, whatever backticks and line ends stand in it (CommonMark §6.1).
  private static func code(_ text: String) -> String {
    let line = text.split { $0.isNewline }.joined(separator: " ").visibleInLine
    let longest = line.split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: longest + 1)
    let space = line.hasPrefix("`") || line.hasSuffix("`") ? " " : ""
    return fence + space + line + space + fence
  }
}

extension PartDifference {
  /// Such as `response.status: 200 → 404`.
  var line: String { "\(part): \(old ?? "–") → \(new ?? "–")" }
}

extension CassetteDifference.Change {
  var verb: String {
    switch self {
    case .added: "added"
    case .removed: "removed"
    case .changed: "changed"
    case .moved: "moved"
    }
  }

  fileprivate var sign: String {
    switch self {
    case .added: "+"
    case .removed: "-"
    case .changed: "~"
    case .moved: ">"
    }
  }

  fileprivate var words: String {
    switch self {
    case .added(let interaction, let number): "#\(number) \(Self.told(interaction))"
    case .removed(let interaction, let number): "#\(number) \(Self.told(interaction))"
    case .changed(let interaction, let from, let to, _):
      "\(Self.number(from, to)) \(Self.request(interaction))"
    case .moved(let interaction, let from, let to):
      "\(Self.number(from, to)) \(Self.told(interaction))"
    }
  }

  var parts: [PartDifference] {
    guard case .changed(_, _, _, let parts) = self else { return [] }
    return parts
  }

  private static func number(_ from: Int, _ to: Int) -> String {
    from == to ? "#\(to)" : "#\(from) → #\(to)"
  }

  private static func request(_ interaction: Interaction) -> String {
    "\(interaction.request.method) \(interaction.request.url)"
  }

  private static func told(_ interaction: Interaction) -> String {
    let status = interaction.response.map { "\($0.status)" }
    let end = [status, interaction.failure?.symptom.rawValue].compactMap { $0 }
    return "\(request(interaction)) → \(end.joined(separator: ", then "))"
  }
}
