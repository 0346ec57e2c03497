public import Foundation
public import WindTunnel
internal import WindTunnelSymptoms

/// A comparison of a live origin's responses with those on a cassette: interaction by interaction,
/// field by field.
public struct Drift: Sendable, Hashable, CustomStringConvertible {
  /// A field in which the live response differs from the recorded one.
  public struct Difference: Sendable, Hashable {
    /// The place of the field, or `answer` if one of the two responses is a failure.
    ///
    /// Examples: `status`, `header content-type`, `body $.users[0].name`, `body line 3`,
    /// `body byte 17`.
    public var place: String
    /// The recorded value; `nil` if there is none.
    public var recorded: String?
    /// The live value; `nil` if there is none.
    public var live: String?

    /// Creates a difference at a place.
    public init(_ place: String, recorded: String?, live: String?) {
      (self.place, self.recorded, self.live) = (place, recorded, live)
    }
  }

  /// The verdict on one interaction.
  public enum Status: Sendable, Hashable {
    /// The live response equals the recorded one, without volatile parts.
    case same
    /// The live response differs from the recorded one.
    case drifted([Difference])
    /// The request could not be sent to the origin, for this reason. This is not a drift.
    case skipped(String)
  }

  /// An interaction of the cassette, with its verdict.
  public struct CheckedInteraction: Sendable, Hashable {
    /// The interaction's number on the cassette, from 1.
    public var number: Int
    /// The recorded request, such as `GET https://api.example.com/users/7`.
    public var request: String
    /// The verdict on the interaction.
    public var verdict: Status

    /// Creates an entry for a request with its verdict.
    public init(_ number: Int, _ request: Request, _ verdict: Status) {
      self.number = number
      var url = request.url
      url.userInfo = nil
      self.request = "\(request.method) \(url)"
      self.verdict = verdict
    }
  }

  /// The interactions in the cassette's order.
  public var entries: [CheckedInteraction]

  /// Creates a drift from entries.
  public init(_ entries: [CheckedInteraction] = []) { self.entries = entries }

  /// Whether no interaction has drifted.
  public var isEmpty: Bool { drifted.isEmpty }

  /// The interactions that have drifted.
  public var drifted: [CheckedInteraction] {
    entries.filter { if case .drifted = $0.verdict { true } else { false } }
  }

  /// The interactions that were skipped.
  public var skipped: [CheckedInteraction] {
    entries.filter { if case .skipped = $0.verdict { true } else { false } }
  }

  /// The maximum number of differences of one interaction that the text lists; the JSON has all.
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

  /// Returns the reason for not sending an interaction's request to a live origin; `nil` if it can
  /// be sent.
  package static func reasonToSkip(_ interaction: Interaction, asksUnsafe: Bool) -> String? {
    let request = interaction.request
    if let failure = interaction.failure {
      return "its recording is a failure, \(failure.symptom.rawValue)"
    }
    if interaction.isConversation || !interaction.messages.isEmpty { return "it is a WebSocket" }
    // RFC 9110 §9.2.1, except TRACE, which clients do not send.
    if !asksUnsafe, !["GET", "HEAD", "OPTIONS"].contains(request.method) {
      return "\(request.method) is not safe to send again"
    }
    if interaction.isTemplate { return "its response is a template" }
    return request.url.path.contains("{") ? "its URL is a pattern" : nil
  }
}

extension Drift.Difference: CustomStringConvertible {
  /// The place, the recorded value and the live one.
  public var description: String {
    "\(place): recorded \(recorded ?? "nothing"), live \(live ?? "nothing")"
  }
}

extension Drift.CheckedInteraction {
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
