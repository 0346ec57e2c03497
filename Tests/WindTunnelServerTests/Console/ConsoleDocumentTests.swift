import Origins
import Schemas
import TestSupport

@testable import WindTunnel

/// The OpenAPI document of the console's port is what the port does.
@Suite(.timeLimit(.minutes(5))) struct ConsoleDocumentTests {
  /// A request, with the operation that it is and the status that it is answered by.
  private struct Asked: Decodable {
    var line: String
    var body: String
    var path: String
    var status: Int
    var isTyped: Bool

    var method: String { String(line.prefix { $0 != " " }) }
  }

  private static let asked = Result {
    try TestData.rows("console-requests.json", count: 25) as [Asked]
  }

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

  @Test func `the console's responses match its document, and each of its operations is requested`()
    async throws
  {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent(
      "../../../../Cassettes/format/console-1.openapi.json"
    ).standardized
    let document = try JSONSchema(contentsOf: file)
    try await ConsoleStand.serving { stand in
      _ = try await stand.get("/a")
      _ = try await stand.get("/b?page=2")
      for asked in try Self.asked.get() {
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
    let asked = try Set(Self.asked.get().map { "\($0.method) \($0.path)" })
    expectEqual(Set(said).subtracting(asked), ["GET /events"])
  }
}
