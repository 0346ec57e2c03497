public import Foundation

/// How a live origin answers what a cassette has recorded: interaction by interaction, field by
/// field.
public struct Drift: Sendable, Hashable {
  /// One field in which a live answer is not the recorded one.
  public struct Difference: Sendable, Hashable {
    /// Where: `status`, `header content-type`, `body $.users[0].name`, `body line 3`, `body byte 17`,
    /// or `answer` where one of the two is a failure.
    public var place: String
    /// What was recorded; `nil` where there was nothing.
    public var recorded: String?
    /// What the origin says now; `nil` where that is nothing.
    public var live: String?

    /// Makes a difference.
    public init(_ place: String, recorded: String?, live: String?) {
      self.place = place
      self.recorded = recorded
      self.live = live
    }
  }

  /// What became of one interaction.
  public enum Verdict: Sendable, Hashable {
    /// The origin answers as it was recorded, but for volatile parts.
    case same
    /// It answers otherwise.
    case drifted([Difference])
    /// It could not be asked, and why; that is no drift.
    case skipped(String)
  }

  /// One interaction of the cassette.
  public struct Entry: Sendable, Hashable {
    /// Its place, counted from one.
    public var number: Int
    /// What it records, such as `GET https://api.example.com/users/7`.
    public var request: String
    /// What became of it.
    public var verdict: Verdict

    /// Makes an entry.
    public init(_ number: Int, _ request: Request, _ verdict: Verdict) {
      self.number = number
      var url = request.url
      url.userInfo = nil
      self.request = "\(request.method) \(url)"
      self.verdict = verdict
    }
  }

  /// The interactions in the cassette's order.
  public var entries: [Entry]

  /// Makes a drift of entries.
  public init(_ entries: [Entry] = []) { self.entries = entries }

  /// Whether no interaction has drifted.
  public var isEmpty: Bool { drifted.isEmpty }

  /// The interactions that have drifted.
  public var drifted: [Entry] {
    entries.filter { if case .drifted = $0.verdict { true } else { false } }
  }

  /// The interactions that could not be asked.
  public var skipped: [Entry] {
    entries.filter { if case .skipped = $0.verdict { true } else { false } }
  }
}

extension Drift: CustomStringConvertible {
  /// How many differences of one interaction are shown to a person; a program gets all of them.
  private static let differencesMax = 20

  /// What drifted and what was skipped, for a person; the last line counts.
  public var description: String {
    var lines: [String] = []
    for entry in entries {
      switch entry.verdict {
      case .same: break
      case .skipped(let reason):
        lines.append("skipped #\(entry.number) \(entry.request): \(reason)")
      case .drifted(let differences):
        lines.append("drifted #\(entry.number) \(entry.request)")
        lines += differences.prefix(Self.differencesMax).map { "  \($0)" }
        if differences.count > Self.differencesMax {
          lines.append("  and \(differences.count - Self.differencesMax) more")
        }
      }
    }
    let same = entries.count - drifted.count - skipped.count
    lines.append("\(same) same, \(drifted.count) drifted, \(skipped.count) skipped")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The same for a program: `windtunnelDrift`, the counts and every interaction.
  public var data: Data {
    let json: JSON = [
      "windtunnelDrift": 1,
      "same": .number(entries.count - drifted.count - skipped.count),
      "drifted": .number(drifted.count),
      "skipped": .number(skipped.count),
      "interactions": .array(entries.map(\.json)),
    ]
    return Data(json.fileBytes())
  }
}

extension Drift.Difference: CustomStringConvertible {
  /// Where, what was recorded and what is live.
  public var description: String {
    "\(place): recorded \(recorded ?? "nothing"), live \(live ?? "nothing")"
  }
}

extension Drift.Entry {
  fileprivate var json: JSON {
    var members: [JSON.Member] = [
      JSON.Member("number", .number(number)), JSON.Member("request", .text(request)),
    ]
    switch verdict {
    case .same: members.append(JSON.Member("verdict", "same"))
    case .skipped(let reason):
      members.append(JSON.Member("verdict", "skipped"))
      members.append(JSON.Member("reason", .text(reason)))
    case .drifted(let differences):
      members.append(JSON.Member("verdict", "drifted"))
      let list = differences.map { difference -> JSON in
        [
          "place": .text(difference.place),
          "recorded": difference.recorded.map { .text($0) } ?? .null,
          "live": difference.live.map { .text($0) } ?? .null,
        ]
      }
      members.append(JSON.Member("differences", .array(list)))
    }
    return .object(members)
  }
}
