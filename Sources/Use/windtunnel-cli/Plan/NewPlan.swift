/// The first plan of a team: a cassette, its read requests that users wait for, and a client.
struct NewPlan {
  private let cassette: String?
  private let client: [String]
  private let keys: [PlanKey]
  private let recordings: Int
  /// The requests without which a screen stays blank, such as `GET /feed`.
  private let critical: [String]
  /// The remark about requests that are not critical; empty if there is none.
  private let omission: String

  /// The maximum number of critical requests, so that the file stays readable.
  private static let criticalMax = 50

  /// Creates a plan for a drill with these flags.
  ///
  /// Throws if the cassette cannot be read, if the client is not a program, or if its arguments
  /// contain a secret.
  init(cassette: String?, client: [String], flags: [Flag]) throws {
    (self.cassette, self.client, keys) = (cassette, client, PlanKey.known(to: flags))
    if let program = client.first, Executable.find(program) == nil {
      throw CommandError.noCommand(program)
    }
    guard !CommandWords(client).isIncomplete else {
      throw CommandError.usage(
        "The command contains a secret, but \(PlanFile.name) is a file to commit. "
          + "Let the client read the secret from an environment variable."
      )
    }
    let file = try cassette.map { try CassetteFile.readToPlay(URL(typed: $0)) }
    recordings = file?.interactions.count ?? 0
    let isKnown = keys.contains { $0.name == "critical" }
    let all = isKnown ? file?.criticalRequests ?? [] : []
    // A star on a cassette is a literal character; in a pattern it is a wildcard.
    let patterns = all.filter { RequestPattern.problem(with: $0) == nil && !$0.contains("*") }
    let (isFull, odd) = (patterns.count > Self.criticalMax, all.count - patterns.count)
    critical = isFull ? [] : patterns
    omission =
      (odd > 0 ? "; not critical, as no pattern can match the path: \(odd)" : "")
      + (isFull ? "; not critical, as \(Self.criticalMax) is the maximum: \(patterns.count)" : "")
  }

  /// The contents of the file.
  var json: JSON {
    let values: [String: JSON?] = [
      "cassette": cassette.map { .text($0) },
      "critical": critical.isEmpty ? JSON?.none : .texts(critical),
      "scenarios": ["default-drill"], "seed": 1,
    ]
    var members = [JSON.Member(JSON.Text(PlanFile.versionKey), 1)]
    for key in keys {
      if let value = values[key.name] ?? nil { members.append(.init(JSON.Text(key.name), value)) }
    }
    if !client.isEmpty { members.append(.init(JSON.Text(PlanKey.client), .texts(client))) }
    return .object(members)
  }

  /// The contents of the file in one line.
  var words: String {
    let client = client.isEmpty ? "no client" : "client \(client.joined(separator: " "))"
    guard let cassette else { return "\(client), the example API of windtunnel" }
    let count = critical.isEmpty ? "" : ", \(critical.count) of them critical"
    return "\(client), \(cassette) with \(recordings.counted("recording"))\(count)\(omission)"
  }

  /// The commands to type next, with explanations.
  var next: [String] {
    var rows: [(String, String)] = []
    let from = cassette.map { " --from \($0.asShellWord)" } ?? ""
    if client.isEmpty {
      rows.append(("windtunnel init --force\(from) -- ./my-client {url}", "names your client"))
    }
    if cassette == nil {
      rows.append(
        ("windtunnel record URL --cassette api.json -- CMD", "records your API, for init --from")
      )
    }
    rows += [
      ("windtunnel drill", "judges the client with \(PlanFile.name)"),
      ("windtunnel drill --bars mobile", "judges blank screens and a lost cache as well"),
      ("windtunnel drill --report drill.html", "writes a page as well"),
      ("windtunnel init --ci github", "writes a workflow; also gitlab and shell"),
    ]
    return HelpText.columns(rows).split(separator: "\n").map(String.init)
  }
}

extension Cassette {
  /// The requests that are marked as critical, or else its successful reads, each once.
  fileprivate var criticalRequests: [String] {
    let marked = interactions.filter(\.isCritical)
    let reads = interactions.filter { interaction in
      let isRead = ["GET", "HEAD"].contains(interaction.request.method)
      return isRead && interaction.response.map { 200..<400 ~= $0.status } ?? false
    }
    var known: Set<String> = []
    return (marked.isEmpty ? reads : marked).map(\.request).map { "\($0.method) \($0.url.path)" }
      .filter { known.insert($0).inserted }
  }
}
