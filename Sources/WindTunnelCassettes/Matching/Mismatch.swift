/// Why nothing on a cassette answers a request: what was asked, the nearest recordings and, part by
/// part, how they differ from it.
public struct Mismatch: Error, Sendable, Hashable {
  /// What was asked, such as `GET https://api.example.com/users?page=2`.
  public var asked: String
  /// The recording that comes nearest.
  public var nearest: Nearest?
  /// The recordings that come nearest, nearest first; at most ``candidatesMax``.
  public var candidates: [Candidate] = []
  /// How often the recordings of this very request were played before; zero if there are none.
  public var played: Int
  /// How many interactions there are.
  public var count: Int
  /// The matcher under which the nearest recording would have answered, as a match file holds it;
  /// `nil` where ignoring would not help or not be honest.
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

  /// How many recordings are told.
  public static let candidatesMax = 3

  /// A recording that would have answered, but for a difference.
  public struct Nearest: Sendable, Hashable {
    /// Its place, counted from one.
    public var number: Int
    /// What it records, such as `GET https://api.example.com/users?page=1`.
    public var request: String
    /// The first part that differs, such as `query "page": recorded "1", asked "2"`.
    public var difference: String
  }

  /// A recording that comes near, part by part.
  public struct Candidate: Sendable, Hashable {
    /// Its place, counted from one.
    public var number: Int
    /// What it records.
    public var request: String
    /// How often it was played to whoever asked.
    public var played = 0
    /// What the comparison came to, for each part.
    public var verdicts: [Verdict]

    /// Every difference, in the order of the parts.
    public var differences: [Difference] { verdicts.flatMap(\.differences) }
  }

  /// A part of a request.
  public enum Part: String, Sendable, Hashable, CaseIterable {
    /// The method.
    case method
    /// `http` or `https`.
    case scheme
    /// The name or address.
    case host
    /// The port that is meant.
    case port
    /// The path.
    case path
    /// The query.
    case query
    /// The chosen header fields.
    case headers
    /// The body.
    case body
    /// A condition written in Swift.
    case filter
  }

  /// What the comparison of a part came to.
  public struct Verdict: Sendable, Hashable {
    /// The part.
    public var part: Part
    /// Whether the matcher looks at it.
    public var isCompared: Bool
    /// In what it differs; empty where it does not.
    public var differences: [Difference] = []
  }

  /// One difference.
  public struct Difference: Sendable, Hashable, CustomStringConvertible {
    /// What it is called in a sentence, such as `query "page"` or `body at $.user.id`.
    public var name: String
    /// Where in its part: the name of a parameter, header or form field, or a JSON path; `nil` for
    /// the whole.
    public var at: String?
    /// What the recording has; `nil` for nothing.
    public var recorded: String?
    /// What the request has; `nil` for nothing.
    public var asked: String?
    /// Whether the two are texts, which stand in quotes in a sentence.
    public var isText = false

    /// Such as `query "page": recorded "1", asked "2"`.
    public var description: String {
      guard recorded != nil || asked != nil else { return name }
      let shown: (String?) -> String = { value in
        value.map { isText ? "\"\($0)\"" : $0 } ?? "none"
      }
      return "\(name): recorded \(shown(recorded)), asked \(shown(asked))"
    }
  }
}
