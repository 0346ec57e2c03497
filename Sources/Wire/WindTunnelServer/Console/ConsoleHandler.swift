internal import Foundation
internal import WindTunnel

/// The maximum number of exchanges in one cassette.
private let keptMax = 1000
/// The maximum number of rows in one response.
private let rowsMax = 1000
/// The maximum value of a number in a query.
private let numberMax = 1_000_000_000

/// The methods of the paths that are not files.
private let methods = [
  "scenario": ["GET", "HEAD", "PUT"], "link": ["PUT"], "rules": ["POST"], "cassettes": ["POST"],
  "rules/*": ["DELETE"], "exchanges": ["GET", "HEAD"], "exchanges/*": ["GET", "HEAD"],
  "exchanges/*/again": ["POST"], "events": ["GET"],
]

/// A handler of connections to a console's port: the page, its events, and its actions.
struct ConsoleHandler<Book: ConsoleBook>: RequestHandler {
  let tool: Console.Tool
  let source: ConsoleBoard<Book>
  let actions: ConsoleActions
  let gate: ConsoleGate
  /// The address of the client.
  let peer: String

  var peerKind: PeerKind { gate.kind(of: peer) }

  func refusal(_ status: Int, _ sentence: String) -> Response { .refused(status, sentence) }

  func handle(_ head: RequestHead) -> RequestHandling {
    switch gate.refusal(of: head, from: peer) {
    case .stranger(let sentence)?: return .refuse(.refused(403, sentence))
    case .unpaired(let takesCode)?: return .refuse(pairing(head, takesCode: takesCode))
    case nil: break
    }
    if head.method == "GET", head.url.path == "/events" { return events(head) }
    if case .length(let length) = head.framing, length > ConsoleGate.bodyBytesMax {
      return .refuse(
        .refused(
          413,
          "\(length) bytes exceed the maximum of \(ConsoleGate.bodyBytesMax) bytes."
        )
      )
    }
    return .answer {
      answer(to: Request(head.method, head.url, headers: head.headers, body: Body($0)))
    }
  }

  // MARK: The device

  private func pairing(_ head: RequestHead, takesCode: Bool) -> Response {
    let isPage = head.method == "GET" && head.url.path == "/"
    guard takesCode else {
      let sentence = "Another device is paired with this console; restart to pair this one."
      return isPage ? .stranger("<p>\(sentence)</p>") : .refused(403, sentence)
    }
    let query = head.url.query ?? ""
    if isPage, query.hasPrefix("code="),
      let cookie = gate.pair(GivenCode.inForm(Data(query.utf8)), from: peer)
    {
      return Response(status: 303, headers: ["Location": "/", "Set-Cookie": cookie]).secured
    }
    if isPage { return .codePage(isWrong: !query.isEmpty) }
    return .refused(
      403,
      "This console serves one device, which must enter the code: open "
        + "http://\(head.headers["Host"] ?? peer)/?code=CODE with the code in the terminal."
    )
  }

  // MARK: Events

  private func events(_ head: RequestHead) -> RequestHandling {
    // A reader is only added after the complete request; an incomplete one would occupy its place.
    .takeOver { connection in
      guard source.enter() else {
        return .answerLast { _ in
          .refused(503, "\(ConsolePort.readersMax) pages of this console are open; close one.")
        }
      }
      connection.stream { ConsoleStream(source, hello, on: $0, ended: $1) }
      return nil
    }
  }

  private var hello: JSON {
    let counts = source.counts
    return [
      "version": 1, "tool": .text(tool.rawValue), "can": actions.json,
      "scenarios": .array(
        actions.scenarios.map { ["name": .text($0.name), "summary": .orNull($0.summary)] }
      ),
      "kept": .number(counts.kept), "dropped": .number(counts.dropped),
      "unseen": .number(counts.unseen),
      "rowsPerTick": .number(ConsolePort.rowsPerTick),
    ]
  }

  // MARK: Answers

  private func answer(to request: Request) -> Response {
    let path = request.url.path
    let method = request.method == "HEAD" ? "GET" : request.method
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    if let response = Self.otherMethod(method, of: path, parts) { return response }
    // No form can send a DELETE either.
    let isTyped = method != "GET" && method != "DELETE"
    if isTyped, !(request.headers["Content-Type"] ?? "").hasPrefix("application/json") {
      return .refused(415, "The body of a change must be application/json.")
    }
    let number = parts.dropFirst().first ?? ""
    do throws(FormatError) {
      switch (method, Self.place(parts)) {
      case ("GET", _) where ConsoleFiles.all[path] != nil:
        return (ConsoleFiles.all[path] ?? Response()).secured
      case ("GET", "exchanges"): return try list(request.url.query)
      case ("GET", "exchanges/*"): return exchange(number)
      case ("GET", "scenario"): return current
      case ("PUT", "scenario"):
        return run(try ScenarioOrder(data: request.body.data, among: actions.scenarios))
      case ("PUT", "link"): return try change(request.body.data)
      case ("POST", "rules"): return try add(request.body.data)
      case ("DELETE", "rules/*"): return try remove(number, request.url.query)
      case ("POST", "exchanges/*/again"): return try again(number, request.body.data)
      case ("POST", "cassettes"): return try keep(request.body.data)
      default:
        return .refused(
          404,
          "Unknown path \(method) \(path.prefix(60)); the page is at GET /, its events at "
            + "GET /events."
        )
      }
    } catch {
      return .refused(400, "\(error)")
    }
  }

  /// Returns a path with any number in it replaced by `*`.
  private static func place(_ parts: ArraySlice<Substring>) -> String {
    parts.enumerated().map { $0 == 1 ? "*" : $1 }.joined(separator: "/")
  }

  /// Returns the response to a method that a path does not support (RFC 9110 §15.5.6); `nil` if it
  /// does, or if the path is unknown.
  private static func otherMethod(
    _ method: String,
    of path: String,
    _ parts: ArraySlice<Substring>
  ) -> Response? {
    let allowed = ConsoleFiles.all[path] == nil ? methods[place(parts)] ?? [] : ["GET", "HEAD"]
    if allowed.isEmpty || allowed.contains(method) { return nil }
    let all = allowed.joined(separator: ", ")
    var response = Response.refused(
      405,
      "Unknown path \(method.prefix(20)) \(path.prefix(60)); the paths are \(all)."
    )
    response.head.headers["Allow"] = all
    return response
  }

  /// Returns a number in a query; `nil` if the name is missing.
  private static func number(_ name: String, in query: String?) throws(FormatError) -> Int? {
    let fields = FormFields.fields(Data((query ?? "").utf8))
    guard let text = fields.last(where: { $0.name == name })?.text else { return nil }
    guard let number = Int(text), 0...numberMax ~= number else {
      throw FormatError(
        source: "query",
        place: name,
        problem: "\(JSON.text(String(text.prefix(20)))) is not a number up to \(numberMax)",
        fix: "For example: \(name)=100."
      )
    }
    return number
  }

  private func list(_ query: String?) throws(FormatError) -> Response {
    let since = try Self.number("since", in: query) ?? 0
    let limit = try Self.number("limit", in: query) ?? rowsMax
    let rows = source.rows(after: since, most: min(limit, rowsMax)).rows
    let counts = source.counts
    source.renew()
    return .told([
      "rows": .array(rows), "dropped": .number(counts.dropped), "unseen": .number(counts.unseen),
    ])
  }

  private func exchange(_ number: Substring) -> Response {
    guard let id = Int(number), let detail = source.detail(of: id) else { return gone(number) }
    return .told(detail)
  }

  private func gone(_ id: some StringProtocol) -> Response {
    .refused(404, "Exchange \(id.prefix(20)) is not stored; the latest \(source.counts.kept) are.")
  }

  // MARK: Changes

  private static var staysTheSame: Response {
    .refused(409, "The scenario of this tool cannot be changed while it runs.")
  }

  private var current: Response {
    guard let scenario = actions.scenario?() else { return Self.staysTheSame }
    return .told(["scenario": scenario.json, "segment": .number(source.segmentNumber)])
  }

  private func run(_ order: ScenarioOrder) -> Response {
    guard let play = actions.play else { return Self.staysTheSame }
    if let reason = play(order) { return .refused(400, reason) }
    return .told(["segment": .number(source.segmentNumber)])
  }

  private func change(_ data: Data) throws(FormatError) -> Response {
    let numbers = try ConsoleLink(data: data)
    guard var scenario = actions.scenario?() else { return Self.staysTheSame }
    scenario.link = numbers.changing(scenario.link)
    scenario.name = Self.changed(scenario.name, "link changed")
    // The parts may contradict each other, such as a jitter above the delay.
    _ = try Self.read(Data(scenario.json.bytes()))
    return run(ScenarioOrder(scenario))
  }

  private func add(_ data: Data) throws(FormatError) -> Response {
    let source = "rule"
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    let id = try top.int("id", in: 0...Int.max) ?? 0
    let json = try JSON(parsing: data, source: source)
    guard let fault = json["fault"] else {
      throw top.error("fault", "is missing", fix: "For example: {\"status\": 503}.")
    }
    guard let kept = self.source.subject(of: id)?.request else { return gone("\(id)") }
    guard var scenario = actions.scenario?() else { return Self.staysTheSame }
    guard let path = path(of: kept) else {
      return .refused(409, "The path of exchange \(id) contains a secret; write the rule by hand.")
    }
    let rule: JSON = ["when": ["request": .text("\(kept.method) \(path)")], "faults": [fault]]
    let added: JSON = ["windtunnelScenario": .number(1), "name": "added", "rules": [rule]]
    scenario.rules = try Self.read(Data(added.bytes())).rules + scenario.rules
    scenario.name = Self.changed(scenario.name, "rules added")
    return run(ScenarioOrder(try Self.read(Data(scenario.json.bytes()))))
  }

  /// Removes a rule by its number in the current segment.
  private func remove(_ text: Substring, _ query: String?) throws(FormatError) -> Response {
    guard var scenario = actions.scenario?() else { return Self.staysTheSame }
    let flown = source.segmentNumber
    if let segment = try Self.number("segment", in: query), segment != flown {
      return .refused(409, "Segment \(segment) has ended; change the rules of segment \(flown).")
    }
    // After the last kept segment, all segments have its number.
    guard flown < ConsoleFeed<ServedExchange>.remarksMax else {
      return .refused(
        409,
        "There are too many segments to identify rules; choose the scenario again."
      )
    }
    let count = scenario.rules.count
    guard let number = Int(text), number >= 1, number <= count else {
      return .refused(404, "Rule \(text.prefix(20)) does not exist; the scenario has \(count).")
    }
    scenario.rules.remove(at: number - 1)
    scenario.name = Self.changed(scenario.name, "rules removed")
    return run(ScenarioOrder(scenario))
  }

  /// Returns the path of a request as a pattern, in which segments with a secret match any; `nil`
  /// if it cannot be redacted.
  private func path(of request: Request) -> String? {
    guard let shown = ConsoleDetail.address(of: request, by: source.rules) else { return nil }
    func segments(_ url: RequestURL) -> [Substring] {
      url.path.split(separator: "/", omittingEmptySubsequences: false)
    }
    let (asked, safe) = (segments(request.url), segments(shown))
    guard asked.count == safe.count else { return nil }
    return zip(asked, safe).map { $0 == $1 ? $0 : "*" }.joined(separator: "/")
  }

  private static func read(_ data: Data) throws(FormatError) -> Scenario {
    try ScenarioOrder(data: data, among: []).scenario
  }

  /// Returns the name of a scenario after a manual change.
  private static func changed(_ name: String, _ how: String) -> String {
    name.contains(" (\(how))") ? name : "\(name) (\(how))"
  }

  private func again(_ text: Substring, _ body: Data) throws(FormatError) -> Response {
    let top = try ObjectReader(JSON(parsing: body, source: "again"), source: "again", path: "")
    try top.refuseUnknownKeys()
    guard let again = actions.again else {
      return .refused(409, "This tool sends no requests of its own.")
    }
    guard let id = Int(text), let subject = source.subject(of: id), let request = subject.request
    else { return gone(text) }
    if let reason = subject.reasonAgainstRepeat { return .refused(409, reason) }
    guard again(request) else {
      return .refused(
        429,
        "\(ConsoleRepeats.underWayMax) repeated requests are not finished; wait for one of them."
      )
    }
    return .told(["id": .null, "status": .null], status: 202)
  }

  private func keep(_ data: Data) throws(FormatError) -> Response {
    let source = "cassettes"
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    let ids = (try top.array("ids") ?? []).compactMap(\.intValue)
    try top.refuseUnknownKeys()
    guard ids.count <= keptMax else {
      return .refused(
        400,
        "\(ids.count) exchanges exceed the maximum of \(keptMax) for a cassette."
      )
    }
    let interactions = ids.compactMap { self.source.subject(of: $0)?.interaction }
    guard !interactions.isEmpty else {
      return .refused(
        409,
        "These exchanges cannot be saved: WindTunnel created the response, or the exchange is live and "
          + "its response is large or truncated, or it is a conversation, or its request body was not "
          + "stored. Record it with windtunnel record or proxy --record."
      )
    }
    let cassette = Cassette(interactions).redacted(by: self.source.rules).cassette
    return Response(headers: ["Content-Type": "application/json"], body: Body(cassette.data()))
      .secured
  }
}

extension Response {
  fileprivate static func told(_ json: JSON, status: Int = 200) -> Response {
    Response(
      status: status,
      headers: ["Content-Type": "application/json"],
      body: Body(Data(json.bytes()))
    ).secured
  }

  fileprivate static func refused(_ status: Int, _ sentence: String) -> Response {
    told(["error": .text(sentence)], status: status)
  }

  /// Returns the page on which a device enters the code.
  fileprivate static func codePage(isWrong: Bool) -> Response {
    stranger(
      """
      <p>\(isWrong ? "The code is wrong. After too many wrong codes, wait ten minutes. " : "")
      This console serves one device, which must enter the code in the terminal.</p>
      <form action="/"><label>Code <input name="code" inputmode="numeric" autocomplete="off" autofocus
      required></label> <button>Open the console</button></form>
      """
    )
  }

  /// Returns a page for a device that is rejected.
  fileprivate static func stranger(_ body: String) -> Response {
    var response = page("<h1>Console of WindTunnel</h1>\n\(body)", status: 403).secured
    response.head.headers["Content-Security-Policy"] =
      "default-src 'none'; style-src \(pageStyleSource); base-uri 'none'; form-action 'self'; "
      + "frame-ancestors 'none'"
    return response
  }

  /// The response with the fields of every response of a console.
  fileprivate var secured: Response {
    var response = self
    for field in ConsoleGate.fields { response.head.headers[field.name] = field.value }
    return response
  }
}
