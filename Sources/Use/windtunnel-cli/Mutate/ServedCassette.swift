/// A cassette that a server plays to a command, at an address or behind a proxy.
struct ServedCassette {
  /// The path of the cassette, as it was typed.
  let path: String
  let interactions: [Interaction]
  /// The address of the server; `nil` if the command sends requests to the cassette's hosts.
  let url: String?
  /// The environment variables that direct a command to this server.
  let variables: [String: String]
  private let deck: Deck
  private let server: ReplayServer

  /// Starts the server. For a proxy, it writes the certificate of its authority into the folder.
  init(_ file: URL, _ order: MutateOrder, in folder: URL) async throws {
    path = file.relativePath
    let isProxied = order.isProxied
    let options = PlaybackOptions(matcher: order.matcher, then: .repeat, isProxied: isProxied)
    deck = Deck(try CassetteFile.readToPlay(file), options: options)
    interactions = deck.interactions
    var (serving, variables) = (ReplayServer.Options(), [String: String]())
    serving.admin = Admin()
    if isProxied {
      let (tls, authority) = (try ServerTLS(), folder.appending(path: "ca.pem"))
      try tls.authority.write(to: authority)
      variables.trust(authority)
      serving.proxy = Proxying()
      serving.proxy?.opening = TunnelOpening(tls)
    }
    let server = try await ReplayServer(deck, serving)
    if isProxied {
      for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"] {
        variables[name] = server.url
      }
      for name in ["no_proxy", "NO_PROXY"] { variables[name] = "" }
    }
    (self.server, self.variables) = (server, variables)
    url = isProxied ? nil : server.url
  }

  func stop() async { await server.stop() }

  /// Plays the cassette from its beginning with some mutants.
  func play(_ mutants: [Mutant]) {
    deck.swap(.calm)
    deck.mutants = mutants.map(\.onWire)
    deck.reset()
  }

  /// The number of requests for each recording since the last ``play(_:)``.
  var asked: [Int: Int] {
    deck.journal.all.compactMap(\.take.interaction).reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  func use(of mutant: Mutant) -> MutantUse { deck.use(of: mutant.onWire) }

  /// Returns the task of the plug-in as JSON.
  ///
  /// The plug-in runs each test with the mutants of the recordings that the test uses.
  func task(_ log: URL, _ plan: MutationPlan, done: [MutantRun]) -> JSON {
    let all = Mutants(of: interactions, by: plan)
    let recordings = interactions.indices.map { place -> JSON.Member in
      let mutants = all[place + 1].map { mutant -> JSON in
        let path = mutant.path.map { JSON.text($0) } ?? .null
        let scenario = Scenario("mutant", rules: [mutant.onWire.rule]).json
        return ["mutant": .text(mutant.operator.name), "at": path, "scenario": scenario]
      }
      return JSON.Member(JSON.Text("\(place + 1)"), .array(mutants))
    }
    func json(_ run: MutantRun) -> JSON {
      let path = run.path.map { JSON.text($0) } ?? .null
      return [.text(run.test), .number(run.recording), .text(run.mutant), path]
    }
    return [
      "admin": .text(server.adminURL ?? ""), "log": .text(log.path), "cassette": .text(path),
      "budgetSeconds": plan.budget.map { .exactly($0 / .seconds(1)) } ?? .null,
      "recordings": .object(recordings), "done": .array(done.map(json)),
      "run": plan.run.map(json) ?? .null,
    ]
  }
}
