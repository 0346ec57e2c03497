/// Why nothing on a cassette answers a request: what was asked, the nearest recording and the first
/// difference to it.
public struct Mismatch: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was asked, such as `GET https://api.example.com/users?page=2`.
  public var asked: String
  /// The recording that comes nearest.
  public var nearest: Nearest?
  /// How often the recordings of this very request were played before; zero if there are none.
  public var played: Int
  /// How many interactions there are.
  public var count: Int

  /// A recording that would have answered, but for a difference.
  public struct Nearest: Sendable, Hashable {
    /// Its place, counted from one.
    public var number: Int
    /// What it records, such as `GET https://api.example.com/users?page=1`.
    public var request: String
    /// The first part that differs, such as `query "page": recorded "1", asked "2"`.
    public var difference: String
  }

  /// What was asked, what was there and what differs, in sentences.
  public var description: String {
    if played > 0 {
      let times = played == 1 ? "once" : "\(played) times"
      return """
        \(asked) was already played \(times), and there is no further recording of it.
        To let it be played again, write "then": "repeat" into interaction \
        #\(nearest?.number ?? 0), or record it once more.
        """
    }
    guard let nearest else {
      return "\(asked) is not on the cassette, which has no interactions."
    }
    return """
      \(asked) is not on the cassette.
      Nearest: #\(nearest.number) \(nearest.request), differs in \(nearest.difference).
      """
  }
}

extension Mismatch {
  /// Looks at every recording, which only a request that nothing answers has to pay for.
  init(_ request: Request, among interactions: [Interaction], matcher: Matcher) {
    self.init(asked: Self.shown(request), nearest: nil, played: 0, count: interactions.count)
    let scored = interactions.lazy.enumerated().map { index, interaction in
      (index: index, comparison: Comparison(interaction.request, request, matcher))
    }
    guard let best = scored.min(by: { $0.comparison.distance < $1.comparison.distance }) else {
      return
    }
    nearest = Nearest(
      number: best.index + 1,
      request: Self.shown(interactions[best.index].request),
      difference: best.comparison.first ?? "nothing that the matcher compares"
    )
  }

  /// The recordings of this request are used up.
  init(exhausted request: Request, times: Int, last place: Int, of interactions: [Interaction]) {
    self.init(
      asked: Self.shown(request),
      nearest: Nearest(
        number: place + 1,
        request: Self.shown(interactions[place].request),
        difference: "nothing"
      ),
      played: times,
      count: interactions.count
    )
  }

  private static func shown(_ request: Request) -> String {
    var url = request.url
    url.userInfo = nil
    return "\(request.method) \(url)"
  }
}

/// How far a request is from a recording, and the first part in which they differ.
private struct Comparison {
  var distance = 0.0
  var first: String?

  init(_ recorded: Request, _ asked: Request, _ matcher: Matcher) {
    if recorded.method != asked.method {
      note(2, "method: recorded \(recorded.method), asked \(asked.method)")
    }
    if matcher.authority == .required, recorded.url.host != nil,
      recorded.url.origin != asked.url.origin
    {
      let (there, here) = (recorded.url.origin ?? "none", asked.url.origin ?? "none")
      note(2, "host: recorded \(there), asked \(here)")
    }
    comparePaths(recorded.url.path, asked.url.path)
    compareQueries(recorded.url.query, asked.url.query)
    if matcher.comparesBodies, recorded.body != asked.body {
      let (there, here) = (recorded.body.data.count, asked.body.data.count)
      note(1, "body: recorded \(there) bytes, asked \(here) other ones")
    }
  }

  private mutating func note(_ weight: Double, _ difference: String) {
    distance += weight
    first = first ?? difference
  }

  private mutating func comparePaths(_ recorded: String, _ asked: String) {
    let there = recorded.canonicalPercentEncoding.split(separator: "/")
    let here = asked.canonicalPercentEncoding.split(separator: "/")
    let shared = zip(there, here).prefix { $0 == $1 || $0.hasPrefix("{") }.count
    let most = max(there.count, here.count)
    guard shared < most || recorded.hasSuffix("/") != asked.hasSuffix("/") else { return }
    note(
      1 + 3 * (1 - Double(shared) / Double(max(most, 1))),
      "path: recorded \(recorded), asked \(asked)"
    )
  }

  private mutating func compareQueries(_ recorded: String?, _ asked: String?) {
    guard Matcher.canonical(query: recorded ?? "") != Matcher.canonical(query: asked ?? "") else {
      return
    }
    let there = Self.parameters(recorded)
    let here = Self.parameters(asked)
    for name in Set(there.keys).union(here.keys).sorted() where there[name] != here[name] {
      let shown: ([String]?) -> String = {
        $0.map { "\"\($0.joined(separator: ", "))\"" } ?? "none"
      }
      note(0.5, "query \"\(name)\": recorded \(shown(there[name])), asked \(shown(here[name]))")
    }
  }

  private static func parameters(_ query: String?) -> [String: [String]] {
    Dictionary(
      (query ?? "").split(separator: "&").map { item in
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), [parts.count > 1 ? String(parts[1]) : ""])
      },
      uniquingKeysWith: +
    )
  }
}
