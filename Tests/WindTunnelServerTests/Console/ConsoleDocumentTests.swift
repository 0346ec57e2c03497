import Foundation
import Origins
import Schemas
import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelServer

/// The OpenAPI document of the console's port is what the port does.
@Suite(.timeLimit(.minutes(5))) struct ConsoleDocumentTests {
  /// A request, with the operation that it is and the status that it is answered by.
  private struct Asked {
    var line: String
    var body = ""
    var path: String
    var status: Int
    var isTyped = true

    var method: String { String(line.prefix { $0 != " " }) }
  }

  private static let asked: [Asked] = [
    Asked(line: "GET /exchanges", path: "/exchanges", status: 200),
    Asked(line: "GET /exchanges?since=x", path: "/exchanges", status: 400),
    Asked(line: "GET /exchanges?limit=1000000001", path: "/exchanges", status: 400),
    Asked(line: "GET /exchanges/1", path: "/exchanges/{id}", status: 200),
    Asked(line: "GET /exchanges/2", path: "/exchanges/{id}", status: 200),
    Asked(line: "GET /exchanges/99", path: "/exchanges/{id}", status: 404),
    Asked(line: "POST /exchanges/1/again", body: "{}", path: "/exchanges/{id}/again", status: 202),
    Asked(line: "POST /exchanges/99/again", body: "{}", path: "/exchanges/{id}/again", status: 404),
    Asked(line: "POST /exchanges/1/again", body: "[]", path: "/exchanges/{id}/again", status: 400),
    Asked(line: "GET /scenario", path: "/scenario", status: 200),
    Asked(line: "PUT /scenario", body: #"{"name":"rain"}"#, path: "/scenario", status: 200),
    Asked(line: "PUT /scenario", body: "{}", path: "/scenario", status: 400),
    Asked(line: "PUT /scenario", body: "{}", path: "/scenario", status: 415, isTyped: false),
    Asked(line: "PUT /link", body: #"{"latency":20}"#, path: "/link", status: 200),
    Asked(line: "PUT /link", body: #"{"loss":2}"#, path: "/link", status: 400),
    Asked(
      line: "POST /rules",
      body: #"{"id":1,"fault":{"status":503}}"#,
      path: "/rules",
      status: 200
    ),
    Asked(line: "POST /rules", body: #"{"id":1}"#, path: "/rules", status: 400),
    Asked(
      line: "POST /rules",
      body: #"{"id":99,"fault":{"status":503}}"#,
      path: "/rules",
      status: 404
    ),
    Asked(line: "DELETE /rules/1?segment=4", path: "/rules/{number}", status: 200, isTyped: false),
    Asked(line: "DELETE /rules/99", path: "/rules/{number}", status: 404, isTyped: false),
    Asked(line: "DELETE /rules/1?segment=x", path: "/rules/{number}", status: 400, isTyped: false),
    Asked(line: "DELETE /rules/1?segment=4", path: "/rules/{number}", status: 409, isTyped: false),
    Asked(line: "POST /cassettes", body: #"{"ids":[1]}"#, path: "/cassettes", status: 200),
    Asked(line: "POST /cassettes", body: #"{"ids":[]}"#, path: "/cassettes", status: 409),
    Asked(line: "GET /openapi.json", path: "/openapi.json", status: 200),
  ]

  /// Asks each path for a method that it does not have.
  private func methods(of document: JSONSchema) async throws {
    guard case .object(let paths)? = document.root["paths"] else { return }
    try await ConsoleStand.serving { stand in
      for path in paths {
        guard case .object(let methods) = path.value else { continue }
        let asked = path.name.value.replacing(#/\{.*?\}/#, with: "1")
        let answer = try await stand.ask("PATCH \(asked)", type: nil)
        #expect(answer.statusLine.contains(" 405 "), "\(asked): \(answer.statusLine)")
        let allowed = try #require(
          answer.split(separator: "\r\n").first { $0.hasPrefix("Allow: ") }
        )
        for method in methods {
          #expect(allowed.contains(method.name.value.uppercased()), "\(asked): \(allowed)")
        }
      }
      #expect(try await stand.ask("PATCH /nowhere").statusLine.contains(" 404 "))
    }
  }

  @Test func `what is answered is what the document says, and all that it says is asked`()
    async throws
  {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent(
      "../../../../Cassettes/format/console-1.openapi.json"
    ).standardized
    let document = try JSONSchema(contentsOf: file)
    try await ConsoleStand.serving { stand in
      _ = try await stand.get("/a")
      _ = try await stand.get("/b?page=2")
      for asked in Self.asked {
        let answer = try await stand.ask(
          asked.line,
          asked.body,
          type: asked.isTyped ? "application/json" : nil
        )
        #expect(
          answer.statusLine.contains(" \(asked.status) "),
          "\(asked.line): \(answer.prefix(300))"
        )
        let operation = document.root["paths"]?[asked.path]?[asked.method.lowercased()]
        let told = try #require(operation?["responses"]?["\(asked.status)"], "\(asked.line)")
        let schema = told["content"]?["application/json"]?["schema"]
        let body = try JSON(parsing: Data(answer.content.utf8), source: asked.line)
        if let schema { expectEqual(document.problems(body, schema), [], "\(asked.line)") }
      }
    }
    try await methods(of: document)
    guard case .object(let paths)? = document.root["paths"] else {
      Issue.record("no paths")
      return
    }
    let said = paths.flatMap { path -> [String] in
      guard case .object(let methods) = path.value else { return [] }
      return methods.map { "\($0.name.value.uppercased()) \(path.name.value)" }
    }
    let asked = Set(Self.asked.map { "\($0.method) \($0.path)" })
    expectEqual(Set(said).subtracting(asked), ["GET /events"])
  }
}
