/// The reason why no recording answers a request: the request, the nearest recordings and their
/// differences from it, part by part.
public struct Mismatch: Error, Sendable, Hashable {
  /// The request, such as `GET https://api.example.com/users?page=2`.
  public var asked: String
  /// The nearest recording; `nil` where none is near.
  public var nearest: Nearest?
  /// The nearest recordings, the nearest first; at most ``candidatesMax``.
  public var candidates: [Candidate] = []
  /// The number of times that recordings of this very request were played before; 0 if there are
  /// none.
  public var played: Int
  /// The number of interactions on the cassette.
  public var count: Int
  /// The rules under which the nearest recording would have answered, as a file of rules holds
  /// them; `nil` where ignoring the difference would not help or would not be honest.
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

  /// The greatest number of recordings in an explanation.
  public static let candidatesMax = 3

  /// The nearest recording, with its first difference.
  public struct Nearest: Sendable, Hashable {
    /// The recording's number on the cassette, from 1.
    public var number: Int
    /// The recorded request, such as `GET https://api.example.com/users?page=1`.
    public var request: String
    /// The first part that differs, such as `query "page": recorded "1", asked "2"`.
    public var difference: String
  }

  /// A near recording, compared part by part.
  public struct Candidate: Sendable, Hashable {
    /// The recording's number on the cassette, from 1.
    public var number: Int
    /// The request that was recorded.
    public var request: String
    /// The number of times that the recording was played to requests that name no lane.
    public var played = 0
    /// The results of the comparison, one for each part.
    public var verdicts: [Verdict]

    /// All differences, in the order of the parts.
    public var differences: [Difference] { verdicts.flatMap(\.differences) }
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
    /// The chosen header fields.
    case headers
    /// The body of the request.
    case body
    /// A condition written in Swift.
    case filter
  }

  /// The result of a part's comparison.
  public struct Verdict: Sendable, Hashable {
    /// The part that was compared.
    public var part: Part
    /// Tells whether the matcher compares the part.
    public var isCompared: Bool
    /// The differences within the part; empty where it is equal.
    public var differences: [Difference] = []
  }

  /// One difference within a part.
  public struct Difference: Sendable, Hashable, CustomStringConvertible {
    /// The name in a sentence, such as `query "page"` or `body at $.user.id`.
    public var name: String
    /// The position within the part: the name of a parameter, header or form field, or a JSON path;
    /// `nil` for the whole.
    public var at: String?
    /// The recorded value; `nil` where there is none.
    public var recorded: String?
    /// The request's value; `nil` where there is none.
    public var asked: String?
    /// Tells whether the two values are texts, which stand in quotes in a sentence.
    public var isText = false

    /// The difference in one line, such as `query "page": recorded "1", asked "2"`.
    public var description: String {
      guard recorded != nil || asked != nil else { return name }
      let shown: (String?) -> String = { value in value.map { isText ? "\"\($0)\"" : $0 } ?? "none"
      }
      return "\(name): recorded \(shown(recorded)), asked \(shown(asked))"
    }
  }

  /// Part by part only so many recordings are looked at, the nearest by method, origin, path and
  /// query.
  private static let looksMax = 64
  /// The number of bytes of bodies that are read for an explanation, the nearest recordings first;
  /// further ones are compared by size and beginning. It is made while other requests wait.
  static let bodyBytesMax = 2 << 20

  /// Looks at every recording, which only a request that nothing answers has to pay for; `played`
  /// tells how often the recording at a place was played to whoever asks.
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
      // A packed body may open to a thousand times its size.
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
        verdicts: comparison.verdicts
      )
    }
    guard let first = candidates.first, let (place, comparison) = best.first else { return }
    nearest = Nearest(
      number: first.number,
      request: first.request,
      difference: first.differences.first?.description
        ?? "nothing but a redacted part, which stands for another value already"
    )
    if comparison.readsBody {
      rule = WiderMatcher.json(interactions[place], request, first, matcher)
    }
  }

  /// The recordings of this request are used up.
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
      candidates: [Candidate(number: place + 1, request: shown, played: 1, verdicts: [])],
      played: times,
      count: interactions.count
    )
  }

  /// A client said something within the conversation of interaction `number` that it does not say
  /// there; nearest is the message `nearest`, if the client says anything.
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
          verdicts: [Verdict(part: .body, isCompared: true, differences: [difference])]
        )
      ],
      played: 0,
      count: count
    )
  }

  private static func shown(_ request: Request) -> String {
    "\(request.method) \(request.url.withoutUserInfo)"
  }
}

extension Mismatch: CustomStringConvertible {
  /// The number of further differences of the nearest recording that are told.
  private static let furtherMax = 5

  /// The request, the nearest recordings and the differences, in sentences.
  public var description: String {
    if played > 0 {
      let times = Self.times(played)
      return """
        \(asked) was already played \(times), and there is no further recording of it.
        To let it be played again, write "then": "repeat" into interaction \
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

  /// The nearest recording in half a sentence, without any value of the request's: a program's may
  /// be secret. Empty where there is no recording.
  package var nearestWords: String {
    guard let nearest, let first = candidates.first else { return "" }
    let difference = first.differences.first.map { ", differs in \($0.name)" } ?? ""
    return "nearest #\(nearest.number) \(nearest.request)\(difference)"
  }

  /// The lines below the first two.
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
      "parts": .array(verdicts.map(\.json)),
    ]
  }
}

extension Mismatch.Verdict {
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
