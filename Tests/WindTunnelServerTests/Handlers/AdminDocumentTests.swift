import Schemas
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// The OpenAPI document of the admin port is what the port does, and the port does what it says.
@Suite struct AdminDocumentTests {
  private static let document: JSONSchema? = {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent(
      "../../../../Cassettes/format/admin-1.openapi.json"
    ).standardized
    do { return try JSONSchema(contentsOf: file) } catch {
      Issue.record("\(error)")
      return nil
    }
  }()

  /// A request, with the status that it is answered by.
  struct Asked: Sendable, CustomTestStringConvertible {
    var method: String
    var path: String
    var target: String
    var body: String
    var status: Int
    var host = "127.0.0.1"
    /// The deck of a server to which something has happened before; `nil`: nothing that matters.
    var deck: (@Sendable () -> Deck)?

    var testDescription: String { "\(method) \(target) \(status)" }
  }

  private static func asked(
    _ method: String,
    _ target: String,
    _ body: String,
    _ status: Int,
    as path: String? = nil,
    of deck: (@Sendable () -> Deck)? = nil
  ) -> Asked {
    let plain = String(target.prefix { $0 != "?" })
    return Asked(
      method: method,
      path: path ?? plain,
      target: target,
      body: body,
      status: status,
      deck: deck
    )
  }

  private static let stub = #"{"request":"GET /x","response":{"status":418,"text":"tea"}}"#
  private static let many = spaces(Scenario.fileBytesMax + 1)

  /// Returns text of so many spaces. `String(repeating:count:)` appends each of the millions.
  private static func spaces(_ count: Int) -> String {
    String(decoding: Data(repeating: 0x20, count: count), as: UTF8.self)
  }

  @Sendable private static func stubbed(_ names: [String]) -> Deck {
    let deck = AdminAnswerTests.deck()
    for name in names { deck.put(NamedStub(name, "GET /x", Response(status: 418))) }
    return deck
  }

  private static let plain: [Asked] = [
    asked("GET", "/health", "", 200),
    asked("GET", "/requests", "", 200),
    asked("GET", "/requests?source=recording&limit=1", "", 200),
    asked("GET", "/requests?limit=0", "", 400),
    asked("GET", "/interactions", "", 200),
    asked("POST", "/verify", #"{"request":"GET /home","times":2}"#, 200),
    asked("POST", "/verify", #"{"inOrder":["GET /home","GET /never"]}"#, 200),
    asked("POST", "/verify", "{}", 400),
    asked("POST", "/verify", #"{"request":"GET /home"}"#, 409, of: AdminAnswerTests.full),
    asked("POST", "/verify", many, 413),
    asked("POST", "/reset", "", 204),
    asked("POST", "/reset", many, 413),
    asked("GET", "/scenario", "", 200),
    asked("PUT", "/scenario", #"{"name":"rain","seed":7}"#, 200),
    asked("PUT", "/scenario", #"{"windtunnelScenario":1,"name":"own","rules":[]}"#, 200),
    asked("PUT", "/scenario", #"{"name":"rian"}"#, 400),
    asked("PUT", "/scenario", many, 413),
    asked("PUT", "/cassette", #"{"windtunnel":1,"interactions":[]}"#, 200),
    asked("PUT", "/cassette", #"{"interactions":[]}"#, 400),
    asked("PUT", "/cassette", #"{"windtunnel":1,"interactions":[]}"#, 409) {
      Deck(Cassette(), mode: .rewrite)
    },
    asked("PUT", "/cassette", spaces(Admin.cassetteBytesMax + 1), 413),
    asked("GET", "/stubs", "", 200) { stubbed(["tea"]) },
    asked("DELETE", "/stubs", "", 204),
    asked("DELETE", "/stubs", many, 413),
    asked("PUT", "/stubs/tea", stub, 204, as: "/stubs/{name}"),
    asked("PUT", "/stubs/a%2Fb", stub, 204, as: "/stubs/{name}"),
    asked("PUT", "/stubs/", stub, 400, as: "/stubs/{name}"),
    asked("PUT", "/stubs/tea", #"{"request":"get /x","response":{}}"#, 400, as: "/stubs/{name}"),
    asked("PUT", "/stubs/tea", stub, 409, as: "/stubs/{name}") {
      stubbed((1...NamedStub.countMax).map(String.init))
    },
    asked("PUT", "/stubs/tea", spaces(NamedStub.bytesMax + 1), 413, as: "/stubs/{name}"),
    asked("DELETE", "/stubs/tea", "", 204, as: "/stubs/{name}") { stubbed(["tea"]) },
    asked("DELETE", "/stubs/tea", "", 404, as: "/stubs/{name}"),
    asked("DELETE", "/stubs/%00", "", 400, as: "/stubs/{name}"),
    asked("DELETE", "/stubs/tea", spaces(NamedStub.bytesMax + 1), 413, as: "/stubs/{name}"),
    asked("GET", "/metrics", "", 200),
    asked("GET", "/openapi.json", "", 200),
  ]

  /// Each place is asked by a foreign name, too.
  private static let all: [Asked] =
    plain
    + AdminHandler.routes.map { route in
      var strange = asked(route.method, route.path, "", 403)
      strange.host = "rebound.example.test"
      return strange
    }

  private func operation(_ asked: Asked) throws -> JSON {
    let root = try #require(Self.document?.root)
    return try #require(root["paths"]?[asked.path]?[asked.method.lowercased()], "\(asked)")
  }

  private func response(_ asked: Asked) -> Response {
    AdminAnswerTests.ask(
      asked.method,
      asked.target,
      asked.body,
      headers: ["Host": asked.host],
      of: asked.deck?() ?? AdminAnswerTests.deck()
    )
  }

  @Test(arguments: all) func `what is answered is what the document says`(asked: Asked) throws {
    try check(response(asked), to: asked)
  }

  @Test(arguments: all.filter { $0.deck == nil })
  func `responses of a running server match the document`(asked: Asked) async throws {
    let deck = Deck(AdminServerTests.tape, matcher: .pathAndQuery, then: .repeat)
    try await ReplayServer.serving(deck, AdminServerTests.options()) { server in
      let port = try #require(server.adminURL.flatMap { RequestURL($0).port })
      let client = try RawClient(.loopback(port: port))
      // What is too long is refused by its head.
      let body = asked.status == 413 ? "" : asked.body
      let (bytes, _) = await client.all(
        after:
          "\(asked.method) \(asked.target) HTTP/1.1\r\nHost: \(asked.host)\r\n"
          + "Content-Length: \(asked.body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
      )
      let text = String(decoding: bytes, as: UTF8.self)
      let fields = text.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
      let type = fields.first { $0.hasPrefix("Content-Type: ") }?.dropFirst(14)
      let status = try #require(Int(text.statusLine.split(separator: " ")[1]))
      try check(
        Response(
          status: status,
          headers: type.map { ["Content-Type": String($0)] } ?? [:],
          body: Body(text.content)
        ),
        to: asked
      )
    }
  }

  @Test(arguments: [
    ("GARBAGE\r\n\r\n", 400),
    ("GET /health HTTP/1.1\r\n\r\n", 400),
    ("GET /health HTTP/3.0\r\nHost: localhost\r\n\r\n", 505),
    (
      "GET /health HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 1 << 17))", 431
    ),
    ("POST /verify HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
    (
      "PUT /cassette HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n4000001\r\n",
      413
    ),
  ])
  func `what is no request is told in the same shape`(bytes: String, status: Int) async throws {
    try await ReplayServer.serving(Deck(AdminServerTests.tape), AdminServerTests.options()) {
      server in
      let port = try #require(server.adminURL.flatMap { RequestURL($0).port })
      let text = String(
        decoding: try await RawClient(.loopback(port: port)).all(after: bytes).0,
        as: UTF8.self
      )
      #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text.prefix(300))")
      #expect(text.contains("\r\nContent-Type: application/json\r\n"))
      #expect(text.contains("\r\nConnection: close\r\n"))
      let body = try JSON(parsing: Data(text.content.utf8), source: "answer")
      let document = try #require(Self.document)
      let schema = try #require(document.root["components"]?["schemas"]?["Problem"])
      expectEqual(document.problems(body, schema), [])
    }
  }

  private func check(_ response: Response, to asked: Asked) throws {
    expectEqual(response.status, asked.status, "\(response.body.text ?? "")")
    let answer = try #require(try operation(asked)["responses"]?["\(response.status)"])
    guard let content = answer["content"] else {
      expectEqual(response.body.count, 0)
      return
    }
    guard case .object(let types) = content, let type = types.first else {
      Issue.record("no type of \(asked)")
      return
    }
    let sent = response.headers["Content-Type"] ?? ""
    #expect(sent.hasPrefix(type.name.value), "\(sent)")
    guard type.name.value == "application/json", let schema = type.value["schema"] else { return }
    let body = try JSON(parsing: response.body.data, source: "answer")
    try expectEqual(#require(Self.document).problems(body, schema), [])
  }

  @Test func `every place is documented, and nothing else is`() throws {
    guard case .object(let paths)? = Self.document?.root["paths"] else {
      Issue.record("no paths")
      return
    }
    let documented = paths.flatMap { path -> [String] in
      guard case .object(let methods) = path.value else { return [] }
      return methods.map { "\($0.name.value.uppercased()) \(path.name.value)" }
    }
    expectEqual(documented.sorted(), AdminHandler.routes.map { "\($0.method) \($0.path)" }.sorted())
  }

  @Test func `every answer that is documented is given`() throws {
    for (method, path) in AdminHandler.routes {
      let given = Set(
        Self.all.filter { $0.method == method && $0.path == path }.map { "\($0.status)" }
      )
      let some = try #require(Self.all.first { $0.method == method && $0.path == path })
      guard case .object(let answers)? = try operation(some)["responses"] else {
        Issue.record("\(method) \(path) has no responses")
        continue
      }
      expectEqual(Set(answers.map(\.name.value)), given, "\(method) \(path)")
    }
  }

  @Test func `another method is refused with those that are documented`() throws {
    for path in Set(AdminHandler.routes.map(\.path)) {
      guard case .object(let methods)? = Self.document?.root["paths"]?[path] else {
        Issue.record("\(path) is not documented")
        continue
      }
      let documented = Set(methods.map { $0.name.value.uppercased() })
      let implied: Set = documented.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]
      for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "QUERY"]
      where !documented.union(implied).contains(method) {
        let refusal = response(Self.asked(method, path, "", 405))
        expectEqual(refusal.status, 405, "\(method) \(path)")
        let allowed = refusal.headers["Allow"]?.components(separatedBy: ", ") ?? []
        #expect(Set(allowed) == documented.union(implied) && allowed.count == Set(allowed).count)
      }
      let options = response(Self.asked("OPTIONS", path, "", 204))
      #expect(options.status == 204 && options.headers["Allow"] != nil, "\(path)")
    }
  }

  @Test func `a HEAD is answered as a GET`() throws {
    for (method, path) in AdminHandler.routes where method == "GET" {
      let get = response(Self.asked("GET", path, "", 200))
      let head = response(Self.asked("HEAD", path, "", 200))
      #expect(head.status == get.status && head.headers == get.headers, "\(path)")
    }
  }

  @Test func `each example is well formed and is taken`() throws {
    let document = try #require(Self.document)
    var count = 0
    for (method, path) in AdminHandler.routes {
      let operation = document.root["paths"]?[path]?[method.lowercased()]
      guard let content = operation?["requestBody"]?["content"]?["application/json"] else {
        continue
      }
      guard case .object(let examples)? = content["examples"], let schema = content["schema"] else {
        Issue.record("\(method) \(path) has no example")
        continue
      }
      for example in examples {
        let value = try #require(example.value["value"])
        expectEqual(document.problems(value, schema), [], "\(method) \(path) \(example.name.value)")
        let text = String(decoding: value.bytes(JSON.Layout(.compact)), as: UTF8.self)
        let target = path.replacing("{name}", with: "example")
        let answer = response(Self.asked(method, target, text, 200))
        #expect(200..<300 ~= answer.status, "\(answer.body.text ?? "")")
        count += 1
      }
    }
    expectEqual(count, 8)
  }

  @Test func `bodies are as large as the document says`() throws {
    for (method, path) in AdminHandler.routes {
      let some = try #require(Self.all.first { $0.method == method && $0.path == path })
      guard let body = try operation(some)["requestBody"] else { continue }
      let most = AdminHandler.bytesMax(for: path)
      let words = try #require(body["description"]?.stringValue)
      #expect(words.contains("At most \(most) bytes."), "\(method) \(path): \(words)")
    }
  }

  @Test func `the port hands out the document itself`() throws {
    let bytes = response(Self.asked("GET", "/openapi.json", "", 200)).body.data
    try expectEqual(JSON(parsing: bytes, source: "document"), Self.document?.root)
  }
}
