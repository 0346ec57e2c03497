import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

@Suite struct StubTests {
  /// The deliveries of requests for one address, in words.
  private func told(_ stubs: [Stub], _ methods: String, on stage: Stage = .inProcess) -> [String] {
    let deck = Deck(stubs)
    return methods.split(separator: " ").map { method in
      let outcome = deck.decide(Request(String(method), "https://api.example.test/x"))
      return Delivery(outcome, on: stage).steps.compactMap { step in
        switch step {
        case .head(let head):
          "\(head.status)" + head.headers.map { ", \($0.name): \($0.value)" }.joined()
        case .bytes(.data(let data)): String(decoding: data, as: UTF8.self)
        case .wait(let time): "wait \(time)"
        case .fail(let symptom): "\(symptom)"
        case .stall: "stall"
        default: nil
        }
      }.joined(separator: " | ")
    }
  }

  private static let json = "200, Content-Type: application/json, Content-Length: 8 | {\"id\":7}"
  private static let one = "Content-Type: application/json, Content-Length: 1"
  private static let text = "Content-Type: text/plain; charset=utf-8, Content-Length: 2"
  private static let link = Stub.Method("LINK")
  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Data/templates.json").path

  private static let rows: [(Stub, String, String)] = [
    (.get("/x", json: ["id": 7]), "GET", json), (.get("/{id}", .json(["id": 7])), "GET", json),
    (.post("/x", status: 201, headers: ["A": "b"], json: 1), "POST", "201, \(one), A: b | 1"),
    (.put("/x", text: "hi"), "PUT", "200, \(text) | hi"),
    (.patch("/x", data: Data("a".utf8), type: "application/json"), "PATCH", "200, \(one) | a"),
    (.delete("/x", .status(204)), "DELETE", "204"), (.delete("/x", status: 404), "DELETE", "404"),
    (.head("/x", text: "hi"), "HEAD", "200, \(text)"),
    (.get("/x", text: "hi"), "HEAD", "200, \(text)"),
    (.any("/x", text: "hi"), "LINK", "200, \(text) | hi"),
    (.get("/x", status: 401, headers: ["A": "b"], text: "hi"), "GET", "401, \(text), A: b | hi"),
    (
      .get("/x", status: 500, headers: ["A": "b"], data: Data("a".utf8), type: "application/json"),
      "GET", "500, \(one), A: b | a"
    ), (.get("/x", status: 429, headers: ["A": "b"]), "GET", "429, A: b"),
    (.any("/{id}", text: "hi"), "HEAD", "200, \(text)"),
    (link("/x", .text("hi")), "LINK", "200, \(text) | hi"),
    (.get("/x", json: ["id": 7], delay: .seconds(1)), "GET", "wait 1.0 seconds | \(json)"),
    (.delete("/x") { .json(["id": 7], status: $0.method == "DELETE" ? 200 : 1) }, "DELETE", json),
    (.any("/x", delay: .seconds(2)) { _ in .empty() }, "LINK", "wait 2.0 seconds | 204"),
  ]

  @Test(arguments: rows)
  func `every kind of stub is played on both stages`(stub: Stub, method: String, told: String) {
    for stage in [Stage.inProcess, .onTheWire] {
      expectEqual(self.told([stub], method, on: stage), [told])
    }
  }

  @Test func `a file is a stub's content, and one that is missing is told in a sentence`() throws {
    let deck = Deck([.get("/x", file: Self.file), .get("/y", file: "/nowhere/a.json")])
    let found = ["/x", "/y"].map { deck.decide(Request("GET", RequestURL($0))).recording?.response }
    let data = try Data(contentsOf: URL(fileURLWithPath: Self.file))
    expectEqual(found[0], .data(data, type: "application/json"))
    let refused = Deck([.get("/x", status: 422, headers: ["A": "b"], file: Self.file)])
    let response = refused.decide(Request("GET", "/x")).recording?.response
    expectEqual(response, .data(data, type: "application/json", status: 422, headers: ["A": "b"]))
    let sentence = "The stub's file cannot be played. /nowhere/a.json: no such file.\n"
    expectEqual(found[1], .text(sentence, status: 501))
  }

  @Test func `URLs, patterns and JSON are written with interpolations`() throws {
    let (name, id) = ("users", 7)
    let deck = Deck([.get("/\(name)/\(id)", json: ["url": "/\(name)", "tags": ["\(id)"]])])
    let outcome = deck.decide(Request("GET", "https://api.example.test/users/\(id)"))
    expectEqual(outcome.recording?.response, .json(["url": "/users", "tags": ["7"]]))
    expectEqual(deck.requests("GET /\(name)/\(id)").count, 1)
  }

  @Test func `a failure and a sequence are played as recordings are`() {
    let stub = Stub.get("/x", .failure(.timedOut), delay: .seconds(1))
    expectEqual(told([stub], "GET", on: .onTheWire), ["wait 1.0 seconds | stall"])
    let all: [StubResponse] = [.text("hi"), .failure(.connectionLost), .status(503)]
    let some = ["200, \(Self.text) | hi", "connectionLost", "503"]
    let gets = { told([.get("/x", .responses(all), then: $0)], "GET GET GET GET") }
    expectEqual(gets(nil), some + ["503"])
    expectEqual(gets(.cycle), some + some.prefix(1))
    #expect(gets(.fail)[3].hasPrefix("501, "))
  }

  @Test func `a stub of any method answers what no other does, all methods in one order`() {
    let any = Stub.any("/x", .responses([.status(201), .status(202)]))
    let told = told([any, .get("/x", .status(200), then: .repeat)], "POST GET PUT HEAD GET LINK")
    expectEqual(told, ["201", "200", "202", "200, Content-Length: 0", "200", "202"])
    #expect(self.told([.post("/x", status: 200)], "GET")[0].hasPrefix("501, "))
  }
}
