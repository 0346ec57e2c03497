internal import Foundation
public import WindTunnel

/// A second port of a server, for queries about its requests and for changes of its scenario, its
/// cassette and its stubs.
///
/// The port only listens on the loopback interface and responds with JSON:
///
/// | | | |
/// |---|---|---|
/// | `GET` | `/health` | `{"status": "ok", "scenario", "interactions", "uptimeSeconds"}` |
/// | `GET` | `/requests` | `{"requests": […], "dropped", "next"}` with headers and bodies; by `method`, `path`, `since`, `status`, `source`, `limit` |
/// | `GET` | `/interactions` | `{"interactions": [{"number", "request", "status", "plays"}]}` |
/// | `POST` | `/verify` | `{"request", "times"}` or `{"inOrder"}` → `{"passed", "asked", "seen"}` |
/// | `POST` | `/reset` | clears requests, plays and ordinals; 204 |
/// | `GET` | `/scenario` | `{"seed", "shipped", "scenario"}` |
/// | `PUT` | `/scenario` | `{"name", "seed"}` or a whole scenario: it applies from the next request on |
/// | `PUT` | `/cassette` | a whole cassette: it is played from the next request on, from its beginning and without stubs |
/// | `GET` | `/stubs` | `{"stubs": [{"name", "request", "status"}]}` |
/// | `PUT` | `/stubs/{name}` | `{"request", "response"}`: it takes precedence over the cassette; 204 |
/// | `DELETE` | `/stubs/{name}` | removes the stub; 204 |
/// | `DELETE` | `/stubs` | removes all stubs; 204 |
/// | `GET` | `/metrics` | Prometheus text |
/// | `GET` | `/openapi.json` | the same as an OpenAPI 3.1 document |
///
/// Requests are listed without secrets: parts of a URL that a recording would redact are redacted
/// here.
///
/// An invalid request is rejected with 400 and `{"error"}` with a sentence. A request by a host
/// name that is not this machine's, or from a page of another origin, is rejected with 403. A
/// method that a path does not support is rejected with 405 and `Allow`, which `OPTIONS` also
/// returns.
public struct Admin: Sendable {
  /// The port; 0 means any free port.
  public var port = 0
  /// The scenarios that can be requested by name.
  public var scenarios: [Scenario] = []
  /// Returns why the server cannot play a scenario, as a sentence; `nil` if it can.
  public var refusal: (@Sendable (Scenario) -> String?)?
  /// The observer of changes of the scenario and the seed. It is called before the first request in
  /// the new scenario.
  public var swapped: (@Sendable (Scenario, UInt64) -> Void)?

  /// Creates the default settings of an admin port: any free port, and no scenarios.
  public init() {}

  /// The maximum size of a cassette for the port in bytes.
  public static let cassetteBytesMax = 64 << 20
}

/// The handler of an admin port, which responds to queries about a server and changes it.
final class AdminHandler: RequestHandler, Sendable {
  private let admin: Admin
  private let deck: Deck
  private let start: Date
  /// Returns the time since the server started.
  private let uptime: @Sendable () -> Duration
  private let open: ConnectionLimit
  /// Called with another scenario and its seed before any decision in it.
  private let swapped: @Sendable (Scenario, UInt64) -> Void

  init(
    _ admin: Admin,
    _ deck: Deck,
    _ open: ConnectionLimit,
    start: Date = Date(),
    uptime: (@Sendable () -> Duration)? = nil,
    swapped: @escaping @Sendable (Scenario, UInt64) -> Void
  ) {
    (self.admin, self.deck, self.open) = (admin, deck, open)
    self.swapped = swapped
    self.start = start
    let moment = Moment.now()
    self.uptime = uptime ?? { .nanoseconds(Moment.now() - moment) }
  }

  func handle(_ head: RequestHead) -> RequestHandling {
    let most = Self.bytesMax(for: head.url.path)
    // A body with a known length is rejected before it is received.
    if case .length(let length) = head.framing, length > most {
      return .refuse(Self.tooLarge(length, most))
    }
    return .answer { [self] body in
      answer(Request(head.method, head.url, headers: head.headers, body: Body(body)))
    }
  }

  func refusal(_ status: Int, _ sentence: String) -> Response { .problem(status, sentence) }

  static let routes: [(method: String, path: String)] = [
    ("GET", "/health"), ("GET", "/requests"), ("GET", "/interactions"), ("POST", "/verify"),
    ("POST", "/reset"), ("GET", "/scenario"), ("PUT", "/scenario"), ("PUT", "/cassette"),
    ("GET", "/stubs"), ("DELETE", "/stubs"), ("PUT", "/stubs/{name}"),
    ("DELETE", "/stubs/{name}"), ("GET", "/metrics"), ("GET", "/openapi.json"),
  ]

  /// Returns the response to a request, after the change that it asks for.
  func answer(_ request: Request) -> Response {
    if let problem = Self.strangeness(of: request) { return .problem(403, problem) }
    let target = request.url.path
    let most = Self.bytesMax(for: target)
    guard request.body.count <= most else { return Self.tooLarge(request.body.count, most) }
    let path = target.hasPrefix(Self.stubsPath) ? Self.stubsPath + "{name}" : target
    // A HEAD is a GET without content (RFC 9110 §9.3.2).
    let method = request.method == "HEAD" ? "GET" : request.method
    do throws(FormatError) {
      switch (method, path) {
      case ("GET", "/health"): return .json(health)
      case ("GET", "/requests"):
        return .json(requests(try RequestFilter(query: request.url.query)))
      case ("GET", "/interactions"): return .json(plays)
      case ("GET", "/scenario"): return .json(conditions(deck.scenario, deck.seed))
      case ("GET", "/metrics"): return .typed("text/plain; version=0.0.4", Body(metrics))
      case ("GET", "/openapi.json"): return .typed("application/json", Body(Shipped.openAPI))
      case ("PUT", "/cassette"): return try load(request)
      case ("GET", "/stubs"): return .json(stubList)
      case ("DELETE", "/stubs"): deck.removeStubs()
      case ("PUT", "/stubs/{name}"):
        let name = try Self.name(in: target)
        let stub = try Self.read { try NamedStub(named: name, data: request.body.data) }
        guard deck.put(stub) else { return Self.tooManyStubs }
      case ("DELETE", "/stubs/{name}"):
        let name = try Self.name(in: target)
        guard deck.removeStub(named: name) else {
          return .problem(404, "The stub \(JSON.text(name)) does not exist.")
        }
      case ("POST", "/verify"): return try verify(request)
      case ("POST", "/reset"): deck.reset()
      case ("PUT", "/scenario"):
        let order = try ScenarioOrder(data: request.body.data, among: admin.scenarios)
        if let reason = admin.refusal?(order.scenario) { return .problem(400, reason) }
        var conditions: JSON = nil
        deck.swap(order.scenario, seed: order.seed) { seed in
          admin.swapped?(order.scenario, seed)
          swapped(order.scenario, seed)
          conditions = self.conditions(order.scenario, seed)
        }
        return .json(conditions)
      default: return Self.lost(method, path)
      }
    } catch {
      return .problem(400, "\(error)")
    }
    return Response(status: 204)
  }

  private func verify(_ request: Request) throws(FormatError) -> Response {
    let (question, records) = (try RequestQuestion(data: request.body.data), records)
    guard question.isTold(by: records) else {
      return .problem(
        409,
        "The requests up to number \(records.droppedThrough) are no longer stored; the maximum "
          + "is \(ExchangeRecords.entriesMax). Pass that number as \"since\", or reset earlier."
      )
    }
    return .json(question.answer(from: records))
  }

  private func load(_ request: Request) throws(FormatError) -> Response {
    guard !deck.records else {
      return .problem(409, "This server records to its cassette, which cannot be replaced.")
    }
    let cassette = try Self.read { try Cassette(data: request.body.data, source: "cassette") }
    deck.load(cassette, keepingStubs: false)
    return .json(["interactions": .number(cassette.interactions.count)])
  }

  private static let tooManyStubs = Response.problem(
    409,
    "There are \(NamedStub.countMax) stubs, the maximum. Remove some first."
  )

  private static let stubsPath = "/stubs/"

  /// Returns the name of a stub in a path.
  private static func name(in path: String) throws(FormatError) -> String {
    let name = String(path.dropFirst(stubsPath.count))
    guard let name = name.removingPercentEncoding, NamedStub.isName(name) else {
      throw FormatError(
        source: "path",
        place: "name",
        problem: "\(JSON.text(String(name.prefix(60)))) is not a valid name of a stub",
        fix: "A name has 1 to \(NamedStub.nameLengthMax) characters, percent-encoded."
      )
    }
    return name
  }

  /// Runs a parser of one of the project's formats, and converts all errors to `FormatError`.
  private static func read<Value>(_ body: () throws -> Value) throws(FormatError) -> Value {
    do {
      return try body()
    } catch let error as FormatError {
      throw error
    } catch {
      throw FormatError(source: "body", place: "", problem: "\(error)", fix: nil)
    }
  }

  /// Returns the maximum body size of a request to a path in bytes.
  static func bytesMax(for path: String) -> Int {
    if path == "/cassette" { return Admin.cassetteBytesMax }
    return path.hasPrefix(stubsPath) ? NamedStub.bytesMax : Scenario.fileBytesMax
  }

  private static func tooLarge(_ count: Int, _ most: Int) -> Response {
    .problem(413, "\(count) bytes exceed the maximum of \(most) bytes.")
  }

  private static func lost(_ method: String, _ path: String) -> Response {
    let methods = routes.filter { $0.path == path }.map(\.method)
    guard methods.isEmpty else {
      var response =
        method == "OPTIONS"
        ? Response(status: 204)
        : .problem(
          405,
          "\(path) accepts \(methods.joined(separator: " or ")), not \(method)."
        )
      // All methods of the path (RFC 9110 §10.2.1).
      let all = (methods.contains("GET") ? methods + ["HEAD"] : methods) + ["OPTIONS"]
      response.head.headers["Allow"] = all.joined(separator: ", ")
      return response
    }
    let all = routes.map { "\($0.method) \($0.path)" }.joined(separator: ", ")
    return .problem(404, "Unknown path \(path). The paths are \(all).")
  }

  /// Returns why a request is not from this machine; `nil` if it is.
  private static func strangeness(of request: Request) -> String? {
    switch OriginPolicy.strangerAtOwnPort(request.url, request.headers) {
    case .host(let host):
      "This port accepts the hosts 127.0.0.1, [::1] and localhost, not \"\(host)\"."
    case .page(let page): "This port refuses requests of pages from \"\(page)\"."
    case nil: nil
    }
  }

  private var records: ExchangeRecords { deck.exchanges ?? ExchangeRecords() }

  private var health: JSON {
    [
      "status": "ok", "scenario": .text(deck.scenario.name),
      "interactions": .number(deck.interactions.count), "uptimeSeconds": uptimeSeconds,
    ]
  }

  /// Returns the requests; `next` is the value of `since` for the following ones.
  private func requests(_ filter: RequestFilter) -> JSON {
    let records = records
    let entries = filter.entries(of: records)
    // If the limit shortened the list, the rest is next; otherwise only new requests are.
    let next = entries.count == filter.limit ? entries.last?.id : records.entries.last?.id
    return [
      "requests": .array(entries.map { $0.row(since: start, by: deck.redaction) }),
      "dropped": .number(records.dropped),
      "next": .number(next ?? filter.since),
    ]
  }

  private var plays: JSON {
    let records = records
    let rows = deck.interactions.enumerated().map { place, interaction -> JSON in
      [
        "number": .number(place + 1),
        "request": .text("\(interaction.request.method) \(interaction.request.url.withoutSecrets)"),
        "status": interaction.response.map { .number($0.status) } ?? .null,
        "plays": .number(records.plays(of: place)),
      ]
    }
    return ["interactions": .array(rows)]
  }

  private var stubList: JSON {
    let rows = deck.stubs.map { stub -> JSON in
      let (request, status) = (stub.requests.description, stub.response.status)
      return ["name": .text(stub.name), "request": .text(request), "status": .number(status)]
    }
    return ["stubs": .array(rows)]
  }

  private func conditions(_ scenario: Scenario, _ seed: UInt64) -> JSON {
    [
      "seed": .number(seed), "shipped": .texts(admin.scenarios.map(\.name)),
      "scenario": scenario.json,
    ]
  }

  private var uptimeSeconds: JSON {
    .number(uptime().inMilliseconds / 1000, places: 3)
  }

  /// The metrics in Prometheus's text format, version 0.0.4.
  private var metrics: String {
    let records = records
    var text = Self.family("requests_total", "counter", "Requests by the source of their response.")
    for name in Journal.Take.requestNames {
      text += "windtunnel_requests_total{source=\"\(name)\"} \(records.takeCounts[name] ?? 0)\n"
    }
    text += Self.family("faults_total", "counter", "Faults of requests, by kind.")
    for (name, count) in records.faultCounts.sorted(by: { $0.key < $1.key }) {
      text += "windtunnel_faults_total{fault=\"\(name)\"} \(count)\n"
    }
    text += Self.family("connections_open", "gauge", "Open connections.")
    text += "windtunnel_connections_open \(open.count)\n"
    text += Self.family("uptime_seconds", "gauge", "Seconds since the server started.")
    return text + "windtunnel_uptime_seconds \(uptimeSeconds)\n"
  }

  private static func family(_ name: String, _ type: String, _ help: String) -> String {
    "# HELP windtunnel_\(name) \(help)\n# TYPE windtunnel_\(name) \(type)\n"
  }
}

extension Response {
  fileprivate static func json(_ value: JSON, status: Int = 200) -> Response {
    let layout = JSON.Layout(.spaced, endsWithNewline: true)
    return Response(
      status: status,
      headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: Body(Data(value.bytes(layout)))
    )
  }

  /// Returns a response with an error sentence.
  fileprivate static func problem(_ status: Int, _ sentence: String) -> Response {
    .json(["error": .text(sentence)], status: status)
  }

  fileprivate static func typed(_ type: String, _ body: Body) -> Response {
    Response(headers: ["Content-Type": type], body: body)
  }
}
