/// A comparison of two runs of a command: the recorded one, and one that played the recording.
struct RecordingProof {
  /// The facts that are equal in both runs, that differ, and that were not compared.
  private var (held, differences, skipped): ([String], [String], [String]) = ([], [], [])
  /// The secrets on the cassette.
  private var secrets: [String] = []
  private var rule: ProofRule
  /// The number of differences of requests, if the second run only lacks some of them.
  private var early = 0

  private let cassette: Cassette
  private let (first, second): (ProofRun, ProofRun)
  private let order: RecordOrder
  /// The requests that are in both runs, in the order of the second run.
  private var pairs: [Pair] = []

  /// A request of both runs.
  private struct Pair {
    /// The index of the request in the first run, and the index of its recording.
    let (index, place): (Int, Int)
    let recorded: Interaction
    let there: ProofRun.Exchange
    /// The exchange in the second run, with its request without secrets.
    var (asked, here): (Request, ProofRun.Exchange)

    init(_ index: Int, _ place: Int, _ recorded: Interaction, _ there: ProofRun.Exchange) {
      (self.index, self.place, self.recorded) = (index, place, recorded)
      (self.there, asked, here) = (there, there.request, there)
    }

    func with(_ exchange: (Request, ProofRun.Exchange)) -> Pair {
      var pair = self
      (pair.asked, pair.here) = exchange
      return pair
    }

    var name: String { "request \(index + 1), \(recorded.request.title)" }
  }

  /// The maximum number of differences of one kind that are named.
  private static let linesMax = 10

  /// Whether both runs are equal in all that was compared, and the cassette has no secrets.
  var holds: Bool { differences.isEmpty && secrets.isEmpty }

  /// Compares two runs.
  ///
  /// - Parameters:
  ///   - new: The recording, the numbers of the new requests on it, and descriptions of the omitted
  ///     exchanges.
  ///   - deck: The deck that recorded.
  ///   - order: The order of the recording, with the rules of the comparison.
  ///   - runs: The recorded run, and the run that played the recording.
  ///   - events: The events of conversations in the second run.
  init(
    _ new: (cassette: Cassette, orders: [Int], leftOut: [String]),
    of deck: Deck,
    _ order: RecordOrder,
    _ runs: (ProofRun, ProofRun),
    _ events: [ExchangeEvent]
  ) {
    (cassette, self.order, rule) = (new.cassette, order, ProofRule(order))
    (first, second) = runs
    let texts = first.printed + second.printed
    let safe = deck.redacted(
      beside: second.exchanges.map { .question($0.request) }
        + texts.map { Interaction(Request("GET", "/"), Response(body: Body($0))) }
    )
    let asked = zip(safe, second.exchanges).map { safe, exchange in
      // A request from which a secret cannot be removed is named without its values.
      safe?.request ?? Request(exchange.request.method, exchange.request.url.withoutSecrets)
    }
    let lines = safe.suffix(texts.count).map { $0?.response?.body.text?.outputLines }
    differences = new.leftOut.map { "the recording lacks a request: \($0)" }
    pair(asked, new.orders)
    compareRequests()
    compareResponses()
    compare(events)
    let count = differences.count
    compareEnds()
    for (index, stream) in ["standard output", "standard error"].enumerated() {
      compareOutput(stream, lines[index], lines[index + 2])
    }
    // A program may end because it rejects a placeholder.
    if count == early, differences.count > count { suggestKeeping() }
    lookForSecrets()
    noteSkipped()
  }

  // MARK: - Requests

  /// Pairs each request of the second run with the recorded one that it repeats.
  private mutating func pair(_ asked: [Request], _ orders: [Int]) {
    let base = cassette.interactions.count - orders.count
    let numbers = Dictionary(uniqueKeysWithValues: zip(orders, base...))
    var left = first.exchanges.enumerated().compactMap { index, exchange -> Pair? in
      let place: Int? =
        switch exchange.record.source {
        case .recording(_, let place): place
        case .forward(let ticket?): numbers[ticket]
        default: nil
        }
      return place.map { Pair(index, $0, cassette.interactions[$0], exchange) }
    }
    var strangers: [(asked: Request, exchange: ProofRun.Exchange)] = []
    for exchange in zip(asked, second.exchanges) {
      if case .recording(_, let place) = exchange.1.record.source,
        let index = left.firstIndex(where: { $0.place == place })
      {
        pairs.append(left.remove(at: index).with(exchange))
      } else {
        strangers.append(exchange)
      }
    }
    for exchange in strangers {
      // The recorded request that it replaces.
      let mismatch = Mismatch(exchange.asked, among: left.map(\.recorded), matcher: rule.matcher)
      guard let number = mismatch.candidates.first?.number else {
        differences.append("\(exchange.asked.title): was sent more often than it was recorded")
        continue
      }
      note(left.remove(at: number - 1).with(exchange), mismatch, "no recording matches: ")
    }
    let others = left.count > 1 ? " (with \(left.count - 1) others)" : ""
    early = differences.isEmpty ? min(left.count, 1) : 0
    differences += left.prefix(1).map { "\($0.name): was recorded but not sent again\(others)" }
  }

  private mutating func compareRequests() {
    let moved = zip(pairs, pairs.sorted { $0.index < $1.index }).first { $0.index != $1.index }
    if rule.matcher.comparesOrder, let (there, here) = moved {
      differences.append("order: \(here.name) was sent later, after \(there.name)")
      rule.matcher.comparesOrder = false
    }
    for pair in pairs {
      compareFields(pair)
      compareBodies(pair)
    }
    guard differences.isEmpty else { return }
    let order = rule.matcher.comparesOrder ? "in the same order" : "in any order"
    let count = cassette.interactions.count { $0.request.body.count > 0 }
    let bodies = count == 1 ? "1 body" : "\(count) bodies"
    held.append("requests: \(pairs.count), \(order), with their fields and \(bodies)")
  }

  private mutating func compareBodies(_ pair: Pair) {
    guard rule.matcher.comparesBodies, pair.here.record.isBodyKept,
      pair.there.request.body != pair.here.request.body
    else { return }
    let mismatch = Mismatch(pair.asked, among: [pair.recorded], matcher: rule.matcher)
    if mismatch.candidates.first?.differences.isEmpty != false { return }
    if Explanation(pair.asked, cassette, matcher: rule.matcher).numbers.isEmpty {
      return note(pair, mismatch, "")
    }
    differences.append("\(pair.name): its response was played for a request with another body")
    (rule.choosesByBody, rule.matcher.comparesOrder) = (true, false)
  }

  /// Records the differences of a request from its recording, and widens the rule accordingly.
  private mutating func note(_ pair: Pair, _ mismatch: Mismatch, _ words: String) {
    let found = mismatch.candidates.first?.differences ?? []
    let shown = found.prefix(Self.linesMax).map(\.description).joined(separator: "; ")
    differences.append("\(pair.name): \(words)\(shown)")
    // A placeholder that was not recorded means that the client has used a redacted value.
    let (known, used) = (pair.recorded.request.standIns, pair.asked.standIns)
    let new = used.filter { !known.contains($0) }.map { "REDACTED-\($0)-" }
    if !new.isEmpty {
      keep(CassetteReview(cassette).placeholders.filter { new.contains(where: $0.text.hasPrefix) })
    } else if let wider = mismatch.rule
      // A new secret has a placeholder with another number, which no rule treats as equal. So this
      // compares the request as it was sent.
      ?? Mismatch(pair.here.request, among: [pair.recorded], matcher: rule.matcher).rule,
      // The same format has written this rule, with the same base.
      let matcher = try? Matcher(
        data: Data(wider.bytes()),
        source: "",
        over: Matcher(authority: rule.matcher.authority)
      )
    {
      rule.matcher = matcher
    } else if !found.isEmpty, found.allSatisfy({ $0.name.hasPrefix("body") }) {
      rule.matcher.comparesBodies = false
    }
  }

  private mutating func keep(_ stands: [CassetteReview.Placeholder]) {
    rule.matcher.kept += Set(stands.map(\.keep)).subtracting(rule.matcher.kept).sorted()
  }

  private mutating func compareFields(_ pair: Pair) {
    let (there, here) = (pair.there.request.headers, pair.here.request.headers)
    let recorded = pair.recorded.request
    let volatile = Set((order.volatile + rule.volatile).map { $0.lowercased() })
    func steady(_ request: Request) -> Interaction {
      Interaction.question(request).steady(without: volatile)
    }
    var fields = Matcher.pathAndQuery
    fields.headers = Set((Array(there) + Array(here)).map { $0.name.lowercased() }).filter { name in
      // A field that is never recorded is compared only if just one of the runs sends it.
      there.values(name) != here.values(name)
        && (recorded.headers[name] != nil || there[name] == nil || here[name] == nil)
    }.sorted()
    let sent = steady(pair.asked).request
    let mismatch = Mismatch(sent, among: [steady(recorded)], matcher: fields)
    for verdict in mismatch.candidates[0].comparisons where verdict.part == .headers {
      differences += verdict.differences.map { "\(pair.name): \($0)" }
      rule.volatile += verdict.differences.compactMap(\.at)
    }
  }

  // MARK: - Responses

  private mutating func compareResponses() {
    var unmeasured = 0
    for pair in pairs {
      let (there, here) = (pair.there.record, pair.here.record)
      var parts = [("status", there.status, here.status)]
      let isCoded = pair.recorded.response?.headers["Content-Encoding"] != nil
      let response = Interaction(Request("GET", "/"), pair.recorded.result)
      // A body with URLs of the upstream is recorded with the origin of --as.
      var renamed = pair.recorded
      let isRenamed = renamed.replaceURLs(OriginURLs([order.origin?.origin].compactMap(\.self))) > 0
      if isCoded || isRenamed || !response.pseudonyms.isEmpty {
        unmeasured += 1
      } else {
        parts.append(("length", there.end?.bytes, here.end?.bytes))
      }
      for (part, old, new) in parts where old != new {
        let words = [old, new].map { $0.map { "\($0)" } ?? "none" }
        differences.append(
          "\(pair.name): response \(part): recorded \(words[0]), replayed \(words[1])"
        )
      }
    }
    guard differences.isEmpty else { return }
    held.append("responses: \(pairs.count), each for its own request, with status and length")
    if unmeasured > 0 {
      let kinds = order.origin == nil ? "placeholders" : "placeholders, URLs of --as"
      skipped.append("the lengths of \(unmeasured) responses with \(kinds) or a content coding")
    }
  }

  private mutating func compare(_ conversations: [ExchangeEvent]) {
    var sent: [Int: Set<Int>] = [:]
    for event in conversations {
      if case .strayed(let outcome, let mismatch) = event {
        let words = "\(mismatch.nearestWords); no match rule ignores a part of a message"
        differences.append("\(outcome.request.title): a message was not recorded: \(words)")
      } else if case .conversed(let outcome, let log) = event {
        sent[outcome.id] = Set(log.messages.compactMap(\.number))
      }
    }
    for pair in pairs where !pair.recorded.messages.isEmpty {
      let all = pair.recorded.messages.indices.filter { !pair.recorded.messages[$0].isClose }
      let missing = all.count { sent[pair.here.record.id]?.contains($0 + 1) != true }
      if missing > 0 {
        differences.append("\(pair.name): \(missing) of its messages are missing")
      } else if differences.isEmpty {
        held.append("conversation of \(pair.name): \(all.count) messages")
      }
    }
  }

  // MARK: - The command

  private mutating func compareEnds() {
    guard second.end != first.end else { return held.append("exit code: 0") }
    let words = second.end.complaint ?? "was interrupted"
    differences.append("exit code: the command \(words) instead of 0")
  }

  /// Suggests to keep redacted values, if nothing else explains the client's other behaviour.
  private mutating func suggestKeeping() {
    let stands = CassetteReview(cassette).placeholders.filter { placeholder in
      placeholder.places.contains { $0.contains(" response ") }
    }
    guard rule == ProofRule(order), !stands.isEmpty else { return }
    let texts = stands.prefix(Self.linesMax).map(\.text).joined(separator: ", ")
    differences.append(
      "the client may not accept the placeholders of these values; keep the values if they are "
        + "not secrets: \(texts)"
    )
    keep(stands)
  }

  private mutating func compareOutput(_ stream: String, _ one: [String]?, _ two: [String]?) {
    guard let one, let two else {
      return skipped.append("\(stream): a secret cannot be removed from it")
    }
    let count = one.count - shown(one).count
    if count > 0 { skipped.append("\(count.counted("line")) of \(stream), because of the rules") }
    // A consequence of another difference needs no rule of its own.
    let isAlone = differences.isEmpty
    while true {
      let (left, right) = (shown(one), shown(two))
      let isMoved = isAlone && left.map(\.element).sorted() == right.map(\.element).sorted()
      let same = zip(left, right).prefix { one, two in
        one.element.agrees(with: two.element) || two.element.agrees(with: one.element)
      }.count
      guard same < max(left.count, right.count), !isMoved || rule.matcher.comparesOrder else {
        return differences.isEmpty ? held.append("\(stream): \(left.count.counted("line"))") : ()
      }
      let (old, new) = (left.dropFirst(same).first, right.dropFirst(same).first)
      let words = [old, new].map { $0.map { "\"\($0.element)\"" } ?? "nothing" }
      let number = (old ?? new)?.offset ?? 0
      differences.append(
        "\(stream), line \(number + 1): recorded \(words[0]), replayed \(words[1])"
      )
      if isMoved { return rule.matcher.comparesOrder = false }
      guard isAlone, let old, let new, differences.count < Self.linesMax,
        let pattern = LinePattern(covering: old.element, new.element)
      else { return }
      rule.matcher.ignoredOutput.append(pattern)
    }
  }

  private func shown(_ lines: [String]) -> [(offset: Int, element: String)] {
    lines.enumerated().filter { line in
      !rule.matcher.ignoredOutput.contains { $0.fits(line.element) }
    }
  }

  private mutating func lookForSecrets() {
    let lint = CassetteLint(cassette, since: Cassette(), rules: order.redaction)
    secrets = lint.leaks.prefix(Self.linesMax).map { leak in
      let name = leak.field ?? "NAME"
      return "\(leak) [\(leak.rule)]; replace it with \(RedactionFlags.names) \(name), or add "
        + "\(RedactionFlags.keep) \(name) if it is not a secret"
    }
    skipped += lint.unopened.map { "secrets in \($0)" }
    if lint.leaks.isEmpty { held.append("secrets: none in the cassette") }
  }

  private mutating func noteSkipped() {
    let dropped = first.dropped + second.dropped
    if dropped > 0 { differences.append("\(dropped) requests exceed the maximum to compare") }
    let large = second.exchanges.count { !$0.record.isBodyKept }
    let stands = Set(cassette.interactions.flatMap(\.pseudonyms)).count
    let names = order.volatile.map { ", \($0)" }.joined()
    skipped += [
      (large > 0, "the bodies of \(large) requests, which are too large to store"),
      (!rule.matcher.comparesBodies, "the bodies of requests, because of the rules"),
      (true, "request fields that differ each time: dates, request ids, traces\(names)"),
      (stands > 0, "\(stands.counted("secret")), because the cassette has a placeholder for each"),
      (!order.ignored.isEmpty, "requests to the hosts of \(IgnoredHost.name)"),
      (first.isCut || second.isCut, "output after \(CommandOutput.comparedMax >> 20) MB"),
      (
        first.printed.allSatisfy(\.isEmpty),
        "output: the command prints nothing, so only its exit code is compared"
      ),
      (true, "times, and effects of the command other than requests and output"),
    ].filter(\.0).map(\.1)
  }

  /// Prints a line for each fact, and the rule that makes both runs equal.
  func tell() {
    for (word, lines) in [
      ("held", held), ("differs", differences), ("secret", secrets), ("not compared", skipped),
    ] {
      Terminal.complain(first: 10 * Self.linesMax, of: lines.map { "\(word): \($0)" })
    }
    if !differences.isEmpty { Terminal.complain(rule.advice(ProofRule(order), path: order.rules)) }
  }
}

extension CassetteLeak {
  /// The name of the field that contains the value; `nil` for a value within a text.
  fileprivate var field: String? {
    let words = place.split(separator: " ")
    let isNamed = ["JSON", "header", "trailer", "query", "field"].contains(
      words.dropLast().last ?? ""
    )
    return isNamed ? words.last.map(String.init) : nil
  }
}

extension String {
  /// The lines of an output, without trailing empty lines.
  fileprivate var outputLines: [String] {
    split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
      .reversed().drop { $0.isEmpty }.reversed()
  }
}

extension Interaction {
  /// Creates an interaction for a request without a response.
  fileprivate static func question(_ request: Request) -> Interaction {
    Interaction(request, .failure(cut))
  }
}

extension Request {
  fileprivate var title: String { "\(method) \(url.target)" }

  /// The names of the placeholders in its URL and its body.
  fileprivate var standIns: Set<String> {
    Set(Interaction.question(Request(method, url, body: body)).pseudonyms.map(\.name))
  }
}
