/// A run of a command whose requests were answered by a deck, for `record --prove`.
struct ProofRun {
  typealias Exchange = (request: Request, record: ExchangeRecord)

  /// The requests, each with its exchange, in the order of their decisions.
  let exchanges: [Exchange]
  /// The number of requests that were not kept.
  let dropped: Int
  let end: ClientCommand.End
  /// The text on standard output and on standard error, up to the maximum of each.
  let printed: [String]
  /// Whether more was printed.
  let isCut: Bool

  /// Collects a run that has ended.
  ///
  /// - Parameters:
  ///   - deck: The deck that answered.
  ///   - end: The end of the command.
  ///   - output: The output of the command, which is passed on if the deck records.
  ///   - port: The port of the server, which differs from run to run and is not compared.
  /// - Throws: An error if the output cannot be read or passed on.
  init(_ deck: Deck, _ end: ClientCommand.End, _ output: CommandOutput, port: Int) throws {
    func portless(_ text: String) -> String { text.replacing(":\(port)", with: ":{port}") }
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

/// The match rules, and the fields to skip, under which two runs are the same.
struct ProofRule: Hashable {
  var matcher: Matcher
  /// Whether bodies choose the recording.
  var choosesByBody: Bool
  /// The fields to skip beside those of the command line.
  var volatile: [String] = []

  /// The rules of a command line.
  init(_ order: RecordOrder) {
    (matcher, choosesByBody) = (order.proof ?? .proof, order.matcher.comparesBodies)
  }

  /// The rules in words, if they are wider than the given ones; `path` is the file of those.
  func advice(_ given: ProofRule, path: String?) -> String {
    guard self != given else {
      return "No match rule makes it hold: the command has to do the same in each run."
    }
    // What is ignored within bodies needs its reading beside it.
    let saysBody =
      matcher.comparesBodies && (choosesByBody || matcher.body != Matcher.proof.body)
    let json = matcher.json(over: saysBody ? .pathAndQuery : .proof)
    let text = String(decoding: json.bytes(JSON.Layout(.spaced)), as: UTF8.self)
    let file = path.map { "save in \($0)" } ?? "save as match.json, and add --match match.json"
    let flags = volatile.map { " \(VolatileFlag.name) \($0)" }.joined()
    let isWider = matcher != given.matcher || choosesByBody != given.choosesByBody
    let steps = (isWider ? ["\(file): \(text)"] : []) + (flags.isEmpty ? [] : ["add\(flags)"])
    return "To make it hold, " + steps.joined(separator: "; ")
  }
}

extension Matcher {
  /// The rules that two runs are compared by: bodies count, too, whatever chooses the recording.
  static var proof: Matcher {
    var matcher = pathAndQuery
    matcher.body = BodyRule(.byType)
    return matcher
  }
}
