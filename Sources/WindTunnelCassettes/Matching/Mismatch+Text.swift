extension Mismatch: CustomStringConvertible {
  /// How many further differences of the nearest recording are told.
  private static let furtherMax = 5

  /// What was asked, what was there and what differs, in sentences.
  public var description: String {
    if played > 0 {
      let times = Self.times(played)
      return """
        \(asked) was already played \(times), and there is no further recording of it.
        To let it be played again, write "then": "repeat" into interaction \
        #\(nearest?.number ?? 0), or record it once more.
        """
    }
    guard let nearest else {
      return "\(asked) is not on the cassette, which has no interactions."
    }
    let lines = [
      "\(asked) is not on the cassette.",
      "Nearest: #\(nearest.number) \(nearest.request), differs in \(nearest.difference).",
    ]
    return (lines + further).joined(separator: "\n")
  }

  /// The same in one line, for whoever logs many.
  package var line: String {
    let words =
      if played > 0 {
        "was already played \(Self.times(played)), and there is no further recording of it"
      } else if let nearest {
        "is not on the cassette; nearest: #\(nearest.number) \(nearest.request), "
          + "differs in \(nearest.difference)"
      } else {
        "is not on the cassette, which has no interactions"
      }
    return "\(asked) \(words)".split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

  /// The nearest recording in half a sentence, without any value of the request's: a program's may be
  /// secret. Empty where there is no recording.
  package var nearestWords: String {
    guard let nearest, let first = candidates.first else { return "" }
    let difference = first.differences.first.map { ", differs in \($0.name)" } ?? ""
    return "nearest #\(nearest.number) \(nearest.request)\(difference)"
  }

  /// What stands below the first two lines.
  private var further: [String] {
    guard let first = candidates.first else { return [] }
    var lines: [String] = []
    let others = first.differences.dropFirst()
    lines += others.prefix(Self.furtherMax).map { "Also in \($0)." }
    if others.count > Self.furtherMax {
      lines.append("And in \(others.count - Self.furtherMax) more places.")
    }
    let same = first.verdicts.filter { $0.isCompared && $0.differences.isEmpty }
    let left = first.verdicts.filter { !$0.isCompared }
    let parts = [("The same", same), ("Not compared", left)].filter { !$0.1.isEmpty }
      .map { title, verdicts in
        "\(title): \(verdicts.map(\.part.rawValue).joined(separator: ", "))."
      }
    if !parts.isEmpty { lines.append(parts.joined(separator: " ")) }
    if first.played > 0 {
      lines.append("#\(first.number) was already played \(Self.times(first.played)).")
    }
    if let rule {
      let text = String(decoding: rule.bytes(JSON.Layout(.spaced)), as: UTF8.self)
      lines.append("To let #\(first.number) answer it, match by: \(text)")
    }
    lines += candidates.dropFirst().map { candidate in
      let played = candidate.played > 0 ? ", already played \(Self.times(candidate.played))" : ""
      let differences = candidate.differences
      let more = differences.count > 1 ? ", and in \(differences.count - 1) more" : ""
      let first = differences.first.map { ", differs in \($0)\(more)" } ?? ""
      return "Then: #\(candidate.number) \(candidate.request)\(played)\(first)."
    }
    return lines
  }

  /// The same for programs.
  public var json: JSON {
    var members: [JSON.Member] = [
      JSON.Member("asked", .text(asked)), JSON.Member("interactions", .number(count)),
      JSON.Member("played", .number(played)),
      JSON.Member("candidates", .array(candidates.map(\.json))),
    ]
    if let rule { members.append(JSON.Member("rule", rule)) }
    return .object(members)
  }
}

extension Mismatch.Candidate {
  fileprivate var json: JSON {
    [
      "number": .number(number), "request": .text(request), "played": .number(played),
      "parts": .array(verdicts.map(\.json)),
    ]
  }
}

extension Mismatch.Verdict {
  fileprivate var json: JSON {
    let verdict = isCompared ? (differences.isEmpty ? "same" : "differs") : "notCompared"
    var members = [
      JSON.Member("part", .text(part.rawValue)), JSON.Member("verdict", .text(verdict)),
    ]
    if !differences.isEmpty {
      members.append(JSON.Member("differences", .array(differences.map(\.json))))
    }
    return .object(members)
  }
}

extension Mismatch.Difference {
  fileprivate var json: JSON {
    [
      "in": .text(name), "at": at.map { .text($0) } ?? .null,
      "recorded": recorded.map { .text($0) } ?? .null, "asked": asked.map { .text($0) } ?? .null,
    ]
  }
}
