internal import Foundation
public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

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
  private let start = (date: Date(), moment: Moment.now())
  private let open: ConnectionLimit
  /// Called with another scenario and its seed before any decision in it.
  private let swapped: @Sendable (Scenario, UInt64) -> Void

  init(
    _ admin: Admin,
    _ deck: Deck,
    _ open: ConnectionLimit,
    swapped: @escaping @Sendable (Scenario, UInt64) -> Void
  ) {
    (self.admin, self.deck, self.open) = (admin, deck, open)
    self.swapped = swapped
  }

  func handle(_ head: RequestHead) -> RequestHandling {
    let most = AdminAnswer.bytesMax(for: head.url.path)
    // A body with a known length is rejected before it is received.
    if case .length(let length) = head.framing, length > most {
      return .refuse(AdminAnswer.tooLarge(length, most))
    }
    return .answer { [self] body in
      answer(Request(head.method, head.url, headers: head.headers, body: Body(body)))
    }
  }

  func refusal(_ status: Int, _ sentence: String) -> Response { .problem(status, sentence) }

  private func answer(_ request: Request) -> Response {
    let snapshot = AdminSnapshot(
      records: deck.exchanges ?? ExchangeRecords(),
      redaction: deck.redaction,
      interactions: deck.interactions,
      scenario: deck.scenario,
      seed: deck.seed,
      shipped: admin.scenarios,
      stubs: deck.stubs,
      isRecording: deck.records,
      openConnections: open.count,
      start: start.date,
      uptime: .nanoseconds(Moment.now() - start.moment)
    )
    let answer = AdminAnswer(to: request, seeing: snapshot, refusing: admin.refusal)
    switch answer.change {
    case .reset?: deck.reset()
    case .run(let order)?:
      deck.swap(order.scenario, seed: order.seed) { seed in
        admin.swapped?(order.scenario, seed)
        swapped(order.scenario, seed)
      }
    case .load(let cassette)?: deck.load(cassette, keepingStubs: false)
    case .put(let stub)?:
      // Another connection may have added the last possible stub meanwhile.
      guard deck.put(stub) else { return AdminAnswer.tooManyStubs }
    case .removeStub(let name)?: deck.removeStub(named: name)
    case .removeStubs?: deck.removeStubs()
    case nil: break
    }
    return answer.response
  }
}

/// The responses of the admin port, which only depend on the given values.
struct AdminAnswer: Sendable {
  var response: Response
  var change: AdminChange?

  static let routes: [(method: String, path: String)] = [
    ("GET", "/health"), ("GET", "/requests"), ("GET", "/interactions"), ("POST", "/verify"),
    ("POST", "/reset"), ("GET", "/scenario"), ("PUT", "/scenario"), ("PUT", "/cassette"),
    ("GET", "/stubs"), ("DELETE", "/stubs"), ("PUT", "/stubs/{name}"),
    ("DELETE", "/stubs/{name}"), ("GET", "/metrics"), ("GET", "/openapi.json"),
  ]

  init(
    to request: Request,
    seeing server: AdminSnapshot,
    refusing refusal: ((Scenario) -> String?)? = nil
  ) {
    if let problem = Self.strangeness(of: request) {
      response = .problem(403, problem)
      return
    }
    let target = request.url.path
    let most = Self.bytesMax(for: target)
    guard request.body.count <= most else {
      response = Self.tooLarge(request.body.count, most)
      return
    }
    let path = target.hasPrefix(Self.stubsPath) ? Self.stubsPath + "{name}" : target
    // A HEAD is a GET without content (RFC 9110 §9.3.2).
    let method = request.method == "HEAD" ? "GET" : request.method
    do throws(FormatError) {
      switch (method, path) {
      case ("GET", "/health"): response = .json(server.health)
      case ("GET", "/requests"):
        response = .json(server.requests(try RequestFilter(query: request.url.query)))
      case ("GET", "/interactions"): response = .json(server.plays)
      case ("GET", "/scenario"): response = .json(server.weather)
      case ("GET", "/metrics"): response = .typed("text/plain; version=0.0.4", Body(server.metrics))
      case ("GET", "/openapi.json"): response = .typed("application/json", Body(Shipped.openAPI))
      case ("PUT", "/cassette"): (response, change) = try Self.load(request, server)
      case ("GET", "/stubs"): response = .json(server.stubList)
      case ("DELETE", "/stubs"): (response, change) = (Response(status: 204), .removeStubs)
      case ("PUT", "/stubs/{name}"):
        (response, change) = try Self.put(try Self.name(in: target), request, server)
      case ("DELETE", "/stubs/{name}"):
        let name = try Self.name(in: target)
        let isThere = server.stubs.contains { $0.name == name }
        change = isThere ? .removeStub(name) : nil
        let sentence = "The stub \(JSON.text(name)) does not exist."
        response = isThere ? Response(status: 204) : .problem(404, sentence)
      case ("POST", "/verify"): response = try Self.verify(request, server)
      case ("POST", "/reset"): (response, change) = (Response(status: 204), .reset)
      case ("PUT", "/scenario"):
        let order = try ScenarioOrder(data: request.body.data, among: server.shipped)
        if let reason = refusal?(order.scenario) {
          response = .problem(400, reason)
          return
        }
        var after = server
        (after.scenario, after.seed) = (order.scenario, order.seed ?? server.seed)
        response = .json(after.weather)
        change = .run(order)
      default: response = Self.lost(method, path)
      }
    } catch {
      response = .problem(400, "\(error)")
    }
  }

  private static func verify(
    _ request: Request,
    _ server: AdminSnapshot
  ) throws(FormatError) -> Response {
    let question = try RequestQuestion(data: request.body.data)
    guard question.isTold(by: server.records) else {
      return .problem(
        409,
        "The requests up to number \(server.records.droppedThrough) are no longer stored; the maximum "
          + "is \(ExchangeRecords.entriesMax). Pass that number as \"since\", or reset earlier."
      )
    }
    return .json(question.answer(from: server.records))
  }

  private static func load(
    _ request: Request,
    _ server: AdminSnapshot
  ) throws(FormatError) -> (Response, AdminChange?) {
    guard !server.isRecording else {
      return (
        .problem(409, "This server records to its cassette, which cannot be replaced."), nil
      )
    }
    let cassette = try Self.read { try Cassette(data: request.body.data, source: "cassette") }
    return (.json(["interactions": .number(cassette.interactions.count)]), .load(cassette))
  }

  private static func put(
    _ name: String,
    _ request: Request,
    _ server: AdminSnapshot
  ) throws(FormatError) -> (Response, AdminChange?) {
    let stub = try Self.read { try NamedStub(named: name, data: request.body.data) }
    guard server.stubs.count(where: { $0.name != name }) < NamedStub.countMax else {
      return (tooManyStubs, nil)
    }
    return (Response(status: 204), .put(stub))
  }

  static let tooManyStubs = Response.problem(
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

  static func tooLarge(_ count: Int, _ most: Int) -> Response {
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
}

/// The change of the server that precedes a response of the admin port.
enum AdminChange: Sendable, Hashable {
  case reset
  case run(ScenarioOrder)
  case load(Cassette)
  case put(NamedStub)
  case removeStub(String)
  case removeStubs
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
