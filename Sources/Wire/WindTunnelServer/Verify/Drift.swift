public import Foundation
public import WindTunnel
internal import WindTunnelSymptoms

/// A comparison of a live origin's answers with those on a cassette: interaction by interaction,
/// field by field.
public struct Drift: Sendable, Hashable {
  /// A field in which the live answer differs from the recorded one.
  public struct Difference: Sendable, Hashable {
    /// The place of the field: `status`, `header content-type`, `body $.users[0].name`,
    /// `body line 3`, `body byte 17`, or `answer` where one of the two is a failure.
    public var place: String
    /// The recorded value; `nil` where there is none.
    public var recorded: String?
    /// The live value; `nil` where there is none.
    public var live: String?

    /// Makes a difference at a place.
    public init(_ place: String, recorded: String?, live: String?) {
      (self.place, self.recorded, self.live) = (place, recorded, live)
    }
  }

  /// The verdict on one interaction.
  public enum Verdict: Sendable, Hashable {
    /// The live answer equals the recorded one, without volatile parts.
    case same
    /// The live answer differs from the recorded one.
    case drifted([Difference])
    /// The origin could not be asked, for this reason, which is no drift.
    case skipped(String)
  }

  /// An interaction of the cassette, with its verdict.
  public struct Entry: Sendable, Hashable {
    /// The interaction's number on the cassette, from 1.
    public var number: Int
    /// The recorded request, such as `GET https://api.example.com/users/7`.
    public var request: String
    /// The verdict on the interaction.
    public var verdict: Verdict

    /// Makes an entry of its parts.
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

  /// Tells whether no interaction has drifted.
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
  /// The number of differences of one interaction that a person is shown; a program gets all of
  /// them.
  private static let differencesMax = 20

  /// The interactions that have drifted or were skipped, and a last line that counts them.
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

  /// The drift as JSON, for programs: `windtunnelDrift`, the counts and every interaction.
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
  /// The place, the recorded value and the live one.
  public var description: String {
    "\(place): recorded \(recorded ?? "nothing"), live \(live ?? "nothing")"
  }
}

extension Drift.Entry {
  fileprivate var json: JSON {
    var members = JSON.members(["number": .number(number), "request": .text(request)])
    switch verdict {
    case .same: members += [.init("verdict", "same")]
    case .skipped(let reason):
      members += [.init("verdict", "skipped"), .init("reason", .text(reason))]
    case .drifted(let differences):
      let list = differences.map { difference -> JSON in
        [
          "place": .text(difference.place), "recorded": .orNull(difference.recorded),
          "live": .orNull(difference.live),
        ]
      }
      members += [.init("verdict", "drifted"), .init("differences", .array(list))]
    }
    return .object(members)
  }
}

extension Drift {
  /// Returns why a live origin cannot be asked for an interaction; `nil` if it can.
  package static func reasonToSkip(_ interaction: Interaction, asksUnsafe: Bool) -> String? {
    let request = interaction.request
    if let failure = interaction.failure {
      return "a failure was recorded, \(failure.symptom.rawValue)"
    }
    if interaction.isConversation || !interaction.messages.isEmpty { return "it is a WebSocket" }
    // RFC 9110 §9.2.1, but for TRACE, which clients do not send.
    if !asksUnsafe, !["GET", "HEAD", "OPTIONS"].contains(request.method) {
      return "\(request.method) is not safe to ask again"
    }
    if interaction.isTemplate { return "its response is a template" }
    return request.url.path.contains("{") ? "its address is a pattern" : nil
  }
}
