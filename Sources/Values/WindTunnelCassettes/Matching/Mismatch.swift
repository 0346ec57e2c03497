/// The reason why no recording matches a request, with the most similar recordings and their
/// differences by part.
public struct Mismatch: Error, Sendable, Hashable, CustomStringConvertible {
  /// The request, such as `GET https://api.example.com/users?page=2`.
  public var asked: String
  /// The most similar recording; `nil` if there is none.
  public var nearest: Nearest?
  /// The most similar recordings in order; at most ``candidatesMax``.
  public var candidates: [Candidate] = []
  /// The number of previous plays of recordings for this request; 0 if there are no such
  /// recordings.
  public var played: Int
  /// The number of interactions on the cassette.
  public var count: Int
  /// The rules with which the most similar recording would match, in the format of a rules file.
  ///
  /// `nil` if ignoring the difference would not help or would hide a real difference.
  public var rule: JSON?

  package init(
    asked: String,
    nearest: Nearest?,
    candidates: [Candidate] = [],
    played: Int,
    count: Int
  ) {
    (self.asked, self.nearest, self.candidates) = (asked, nearest, candidates)
    (self.played, self.count) = (played, count)
  }

  /// The maximum number of recordings in an explanation.
  public static let candidatesMax = 3

  /// The most similar recording, with its first difference.
  public struct Nearest: Sendable, Hashable {
    /// The recording's number on the cassette, from 1.
    public var number: Int
    /// The recorded request, such as `GET https://api.example.com/users?page=1`.
    public var request: String
    /// The first part that differs, such as `query "page": recorded "1", asked "2"`.
    public var difference: String
  }

  /// A similar recording, compared part by part.
  public struct Candidate: Sendable, Hashable {
    /// The recording's number on the cassette, from 1.
    public var number: Int
    /// The recorded request of the interaction.
    public var request: String
    /// The number of plays of the recording for requests without a lane.
    public var played = 0
    /// The results of the comparison, one for each part.
    public var comparisons: [PartComparison]

    /// All differences, in the order of the parts.
    public var differences: [Difference] { comparisons.flatMap(\.differences) }
  }

  /// A part of a request.
  public enum Part: String, Sendable, Hashable, CaseIterable {
    /// The method of the request.
    case method
    /// The scheme, `http` or `https`.
    case scheme
    /// The host's name or address.
    case host
    /// The port, explicit or the scheme's default.
    case port
    /// The path of the URL.
    case path
    /// The query of the URL.
    case query
    /// The compared header fields.
    case headers
    /// The body of the request.
    case body
    /// A condition written in Swift.
    case filter
  }

  /// The result of comparing a part.
  public struct PartComparison: Sendable, Hashable {
    /// The part that was compared.
    public var part: Part
    /// Whether the matcher compares the part.
    public var isCompared: Bool
    /// The differences within the part; empty if it is equal.
    public var differences: [Difference] = []
  }

  /// One difference within a part.
  public struct Difference: Sendable, Hashable, CustomStringConvertible {
    /// The name in a sentence, such as `query "page"` or `body at $.user.id`.
    public var name: String
    /// The position within the part: the name of a parameter, header or form field, or a JSON path;
    /// `nil` for the whole part.
    public var at: String?
    /// The recorded value; `nil` if there is none.
    public var recorded: String?
    /// The request's value; `nil` if there is none.
    public var asked: String?
    /// Whether the values are texts, which are quoted in sentences.
    public var isText = false

    /// The difference in one line, such as `query "page": recorded "1", asked "2"`.
    public var description: String {
      guard recorded != nil || asked != nil else { return name }
      let shown: (String?) -> String = { value in
        value.map { (isText ? "\"\($0)\"" : $0).showingOctets } ?? "none"
      }
      return "\(name): recorded \(shown(recorded)), asked \(shown(asked))"
    }
  }

  /// The maximum number of recordings that are compared by part. They are the most similar ones by
  /// method, origin, path and query.
  private static let looksMax = 64
  /// The maximum number of body bytes that are read for an explanation, beginning with the most
  /// similar recordings.
  ///
  /// Other bodies are compared by size and beginning. The limit exists because other requests wait
  /// meanwhile.
  static let bodyBytesMax = 2 << 20

  /// Compares a request with every recording, which is only necessary if none matches.
  ///
  /// `played` returns the number of plays of the recording at a position for requests without a
  /// lane.
  package init(
    _ request: Request,
    among interactions: [Interaction],
    matcher: Matcher,
    played: (Int) -> Int = { _ in 0 }
  ) {
    self.init(asked: Self.shown(request), nearest: nil, played: 0, count: interactions.count)
    let near = interactions.enumerated().map { index, interaction in
      (distance: RequestDistance.roughDistance(interaction.request, request, matcher), index: index)
    }.sorted { ($0.distance, $0.index) < ($1.distance, $1.index) }
    let looks = near.prefix(Self.looksMax).map { _, index in
      let (recorded, status) = (interactions[index].request, interactions[index].response?.status)
      let comparison = RequestDistance(recorded, request, matcher, answers: status)
      return (index: index, comparison: comparison)
    }.sorted { ($0.comparison.distance, $0.index) < ($1.comparison.distance, $1.index) }
    var left = Self.bodyBytesMax
    let best = looks.map { index, comparison in
      var comparison = comparison
      let recorded = interactions[index].request
      let isPacked = [recorded, request].contains { $0.headers["Content-Encoding"] != nil }
      let bytes = matcher.comparesBodies ? recorded.body.count + request.body.count : 0
      // A compressed body may expand to a thousand times its size.
      comparison.readsBody = bytes <= (isPacked ? left / 1000 : left)
      if comparison.readsBody { left -= bytes }
      comparison.compareBodies(recorded, request, matcher)
      return (index: index, comparison: comparison)
    }.sorted { ($0.comparison.distance, $0.index) < ($1.comparison.distance, $1.index) }
    candidates = best.prefix(Self.candidatesMax).map { index, comparison in
      Candidate(
        number: index + 1,
        request: Self.shown(interactions[index].request),
        played: played(index),
        comparisons: comparison.comparisons
      )
    }
    guard let first = candidates.first, let (place, comparison) = best.first else { return }
    nearest = Nearest(
      number: first.number,
      request: first.request,
      difference: first.differences.first?.description
        ?? "only a redacted part, which already stands for another value"
    )
    if comparison.readsBody {
      rule = WiderMatcher.json(interactions[place], request, first, matcher)
    }
  }

  /// Creates the mismatch of a request whose recordings have all been played.
  package init(
    exhausted request: Request,
    times: Int,
    last place: Int,
    of interactions: [Interaction]
  ) {
    let shown = Self.shown(interactions[place].request)
    self.init(
      asked: Self.shown(request),
      nearest: Nearest(number: place + 1, request: shown, difference: "nothing"),
      candidates: [Candidate(number: place + 1, request: shown, played: 1, comparisons: [])],
      played: times,
      count: interactions.count
    )
  }

  /// Creates the mismatch of an unknown client message in the conversation of interaction `number`.
  ///
  /// `nearest` is the number of the most similar recorded message; `nil` if the client sends none.
  package init(
    strayFrom request: Request,
    number: Int,
    nearest: Int?,
    difference: Difference,
    count: Int
  ) {
    let place = "\(Self.shown(request)), message \(nearest ?? 0)"
    let recorded = nearest == nil ? "\(Self.shown(request))" : place
    self.init(
      asked: "a message within \(Self.shown(request))",
      nearest: Nearest(number: number, request: recorded, difference: difference.description),
      candidates: [
        Candidate(
          number: number,
          request: recorded,
          comparisons: [PartComparison(part: .body, isCompared: true, differences: [difference])]
        )
      ],
      played: 0,
      count: count
    )
  }

  /// Returns the method and the URL of a request for a sentence.
  static func shown(_ request: Request) -> String {
    "\(request.method) \(request.url.withoutUserInfo)".showingOctets
  }

  /// The maximum number of further differences of the most similar recording in the description.
  private static let furtherMax = 5

  /// The request, the nearest recordings and the differences, in sentences.
  public var description: String {
    if played > 0 {
      let times = Self.times(played)
      return """
        \(asked) was already played \(times), and has no further recording.
        To play it again, add "then": "repeat" to interaction \
        #\(nearest?.number ?? 0), or record it once more.
        """
    }
    guard let nearest else { return "\(asked) is not on the cassette, which has no interactions." }
    let lines = [
      "\(asked) is not on the cassette.",
      "Nearest: #\(nearest.number) \(nearest.request), differs in \(nearest.difference).",
    ]
    return (lines + further).joined(separator: "\n")
  }

  /// The description in one line, for logs.
  package var line: String {
    let words =
      if played > 0 {
        "was already played \(Self.times(played)), and has no further recording"
      } else if let nearest {
        "is not on the cassette; nearest: #\(nearest.number) \(nearest.request), "
          + "differs in \(nearest.difference)"
      } else {
        "is not on the cassette, which has no interactions"
      }
    return "\(asked) \(words)".split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

  /// A phrase about the most similar recording, without values of the request, because they may be
  /// secret. Empty if there is no recording.
  package var nearestWords: String {
    guard let nearest, let first = candidates.first else { return "" }
    let difference = first.differences.first.map { ", differs in \($0.name)" } ?? ""
    return "nearest #\(nearest.number) \(nearest.request)\(difference)"
  }

  /// The lines after the first two.
  private var further: [String] {
    guard let first = candidates.first else { return [] }
    var lines: [String] = []
    let others = first.differences.dropFirst()
    lines += others.prefix(Self.furtherMax).map { "Also in \($0)." }
    if others.count > Self.furtherMax {
      lines.append("And in \(others.count - Self.furtherMax) other places.")
    }
    let same = first.comparisons.filter { $0.isCompared && $0.differences.isEmpty }
    let left = first.comparisons.filter { !$0.isCompared }
    let parts = [("The same", same), ("Not compared", left)].filter { !$0.1.isEmpty }
      .map { title, comparisons in
        "\(title): \(comparisons.map(\.part.rawValue).joined(separator: ", "))."
      }
    if !parts.isEmpty { lines.append(parts.joined(separator: " ")) }
    if first.played > 0 {
      lines.append("#\(first.number) was already played \(Self.times(first.played)).")
    }
    if let rule {
      let text = String(decoding: rule.bytes(JSON.Layout(.spaced)), as: UTF8.self)
      lines.append("To match #\(first.number), match by: \(text)")
    }
    lines += candidates.dropFirst().map { candidate in
      let played = candidate.played > 0 ? ", already played \(Self.times(candidate.played))" : ""
      let differences = candidate.differences
      let more = differences.count > 1 ? ", and \(differences.count - 1) more" : ""
      let first = differences.first.map { ", differs in \($0)\(more)" } ?? ""
      return "Then: #\(candidate.number) \(candidate.request)\(played)\(first)."
    }
    return lines
  }

  /// The mismatch as JSON, for programs.
  public var json: JSON {
    .object(
      JSON.members([
        "asked": .text(asked), "interactions": .number(count), "played": .number(played),
        "candidates": .array(candidates.map(\.json)), "rule": rule,
      ])
    )
  }
}

extension Mismatch.Candidate {
  fileprivate var json: JSON {
    [
      "number": .number(number), "request": .text(request), "played": .number(played),
      "parts": .array(comparisons.map(\.json)),
    ]
  }
}

extension Mismatch.PartComparison {
  fileprivate var json: JSON {
    let verdict = isCompared ? (differences.isEmpty ? "same" : "differs") : "notCompared"
    return .object(
      JSON.members([
        "part": .text(part.rawValue), "verdict": .text(verdict),
        "differences": differences.isEmpty ? JSON?.none : .array(differences.map(\.json)),
      ])
    )
  }
}

extension Mismatch.Difference {
  fileprivate var json: JSON {
    [
      "in": .text(name), "at": .orNull(at), "recorded": .orNull(recorded), "asked": .orNull(asked),
    ]
  }
}
