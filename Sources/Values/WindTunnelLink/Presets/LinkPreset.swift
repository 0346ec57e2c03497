/// A link with published conditions, and their source.
public struct LinkPreset: Sendable, Hashable {
  /// The evidence for the conditions.
  public enum Evidence: String, Sendable, Hashable, CaseIterable {
    /// The publisher's source or documentation was read.
    case source
    /// The conditions are generally known, but not confirmed in a primary source.
    case known
  }

  /// The name, publisher first: `nlc/3g`.
  public let name: String
  /// The title that the publisher uses.
  public let title: String
  /// The link; delays are one way.
  public let link: Link
  /// The place of publication, and how the conditions follow from it.
  public internal(set) var source = ""
  /// The evidence for the conditions.
  public internal(set) var evidence = Evidence.source
  /// A further remark; `nil` if there is none.
  public internal(set) var note: String?

  /// A direction in kbit/s (`nil` for no limit), one-way milliseconds and per cent.
  typealias Published = (kilobits: Double?, milliseconds: Double, percent: Double)

  init(_ name: String, _ title: String, down: Published, up: Published, dns: Double = 0) {
    func direction(_ published: Published) -> Link.Direction {
      Link.Direction(
        delay: Duration(milliseconds: published.milliseconds),
        bitsPerSecond: published.kilobits.map { $0 * 1000 },
        lossProbability: published.percent / 100
      )
    }
    self.name = name
    self.title = title
    link = Link(up: direction(up), down: direction(down), dnsDelay: Duration(milliseconds: dns))
  }

  /// Returns the preset with this name; `nil` if there is none.
  public static func named(_ name: String) -> LinkPreset? { all.first { $0.name == name } }

  /// Returns a suggestion for an unknown name.
  public static func suggestion(for name: String) -> String {
    let names = all.map(\.name)
    // A name without its publisher most likely belongs to a preset with that ending.
    let near = nearest(to: name, in: names) ?? names.first { $0.hasSuffix("/\(name.lowercased())") }
    if let near { return "Did you mean \"\(near)\"?" }
    return "All of them: windtunnel presets list."
  }

  /// The preset as JSON, for programs.
  public var json: JSON {
    func direction(_ direction: Link.Direction) -> JSON {
      [
        "bitsPerSecond": direction.bitsPerSecond.map { .exactly($0) } ?? nil,
        "delayMilliseconds": .number(direction.delay.inMilliseconds, places: 3),
        "lossProbability": .exactly(direction.lossProbability),
      ]
    }
    return [
      "name": .text(name), "title": .text(title), "down": direction(link.down),
      "up": direction(link.up),
      "roundTripMilliseconds": .number(link.roundTrip.inMilliseconds, places: 3),
      "dnsDelayMilliseconds": .number(link.dnsDelay.inMilliseconds, places: 3),
      "evidence": .text(evidence.rawValue), "source": .text(source),
      "note": note.map { .text($0) } ?? nil,
    ]
  }
}
