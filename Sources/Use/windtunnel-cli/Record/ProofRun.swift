/// A run of a command with a deck's responses, for `record --prove`.
struct ProofRun {
  typealias Exchange = (request: Request, record: ExchangeRecord)

  /// The requests, each with its exchange, in the order of the deck's decisions.
  let exchanges: [Exchange]
  /// The number of requests that were not stored.
  let dropped: Int
  let end: ClientCommand.Exit
  /// The texts on standard output and on standard error, up to the maximum of each.
  let printed: [String]
  /// Whether more was printed.
  let isCut: Bool

  /// Collects the data of a run that has ended.
  ///
  /// - Parameters:
  ///   - deck: The deck that provided the responses.
  ///   - end: The end of the command.
  ///   - output: The output of the command, which is passed on if the deck records.
  ///   - port: The port of the server, which differs between runs and is not compared.
  ///   - order: The command line, whose `--as` replaces the upstream's origin.
  /// - Throws: An error if the output cannot be read or passed on.
  init(
    _ deck: Deck,
    _ end: ClientCommand.Exit,
    _ output: CommandOutput,
    port: Int,
    _ order: RecordOrder
  ) throws {
    let (own, named) = (order.upstream.origin, order.origin?.origin)
    func portless(_ text: String) -> String {
      let text = text.replacing(":\(port)", with: ":{port}")
      return if let own, let named { text.replacing(own, with: named) } else { text }
    }
    exchanges = (deck.exchanges?.entries ?? []).filter { !deck.ignores($0.request.url) }.map {
      var request = $0.request
      request.headers = HeaderFields(
        request.headers.map { HeaderField($0.name, portless($0.value)) }
      )
      return (request, $0)
    }
    (dropped, self.end) = (deck.droppedRequests, end)
    let (texts, isCut) = try output.texts(isShown: deck.records)
    (printed, self.isCut) = (texts.map(portless), isCut)
  }
}

/// The match rules and skipped fields of a comparison of two runs.
struct ProofRule: Hashable {
  var matcher: Matcher
  /// Whether bodies select the recording.
  var choosesByBody: Bool
  /// The fields to skip, in addition to the command line's.
  var volatile: [String] = []

  /// Creates the rules of a command line.
  init(_ order: RecordOrder) {
    (matcher, choosesByBody) = (order.proof ?? .proof, order.matcher.comparesBodies)
  }

  /// Returns the rules as advice if they are wider than the given ones; `path` is the file of the
  /// latter.
  func advice(_ given: ProofRule, path: String?) -> String {
    guard self != given else {
      return "No match rule makes both runs equal: the command must do the same in each run."
    }
    // Ignored parts of bodies require the body rule in the same file.
    let saysBody =
      matcher.comparesBodies && (choosesByBody || matcher.body != Matcher.proof.body)
    let json = matcher.json(over: saysBody ? .pathAndQuery : .proof)
    let text = String(decoding: json.bytes(JSON.Layout(.spaced)), as: UTF8.self)
    let file = path.map { "save in \($0)" } ?? "save as match.json, and add --match match.json"
    let flags = volatile.map { " \(VolatileFlag.name) \($0)" }.joined()
    let isWider = matcher != given.matcher || choosesByBody != given.choosesByBody
    let steps = (isWider ? ["\(file): \(text)"] : []) + (flags.isEmpty ? [] : ["add\(flags)"])
    return "To make both runs equal, " + steps.joined(separator: "; ")
  }
}

extension Matcher {
  /// The rules for comparing two runs. Bodies always count, even if they do not select the
  /// recording.
  static var proof: Matcher {
    var matcher = pathAndQuery
    matcher.body = BodyRule(.byType)
    return matcher
  }
}
