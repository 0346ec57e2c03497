import Foundation
import WindTunnelReports
import Testing

@testable import WindTunnel
@testable import WindTunnelCassettes
@testable import WindTunnelImports

/// The schema that ships beside the format describes what the writer writes.
@Suite struct ReportSchemaTests {
  private static let file = ShippedFileTests.folder.appending(path: "format/report-1.schema.json")

  /// As much of JSON Schema 2020-12 as the schema uses; an unknown word in it is a problem.
  private struct Schema {
    let root: JSON

    func problems(_ value: JSON, _ schema: JSON, _ place: String = "$") -> [String] {
      guard case .object(let words) = schema else { return ["\(place): no schema"] }
      return words.flatMap { word in problems(value, word, schema, place) }
    }

    private func problems(
      _ value: JSON,
      _ word: JSON.Member,
      _ schema: JSON,
      _ place: String
    ) -> [String] {
      switch (word.name.value, word.value) {
      case ("$ref", .string(let target)):
        let name = target.value.replacing("#/$defs/", with: "")
        return problems(value, root["$defs"]?[name] ?? .null, place)
      case ("type", .string(let type)):
        return isA(type.value, value) ? [] : ["\(place): no \(type.value)"]
      case ("type", .array(let types)):
        return types.contains { isA($0.stringValue ?? "", value) } ? [] : ["\(place): \(value)"]
      case ("const", let only): return value == only ? [] : ["\(place): \(value)"]
      case ("enum", .array(let all)): return all.contains(value) ? [] : ["\(place): \(value)"]
      case ("minimum", let least):
        guard let number = value.doubleValue, let least = least.doubleValue else { return [] }
        return number >= least ? [] : ["\(place): \(number)"]
      case ("maximum", let most):
        guard let number = value.doubleValue, let most = most.doubleValue else { return [] }
        return number <= most ? [] : ["\(place): \(number)"]
      case ("items", let items):
        guard case .array(let elements) = value else { return [] }
        return elements.enumerated().flatMap { problems($1, items, "\(place)[\($0)]") }
      case ("required", .array(let names)):
        guard case .object = value else { return [] }
        return names.compactMap(\.stringValue).filter { value[$0] == nil }.map {
          "\(place): no \($0)"
        }
      case ("properties", _):
        guard case .object(let members) = value else { return [] }
        return members.flatMap { member -> [String] in
          let name = member.name.value
          if let inner = schema["properties"]?[name] {
            return problems(member.value, inner, "\(place).\(name)")
          }
          return schema["additionalProperties"] == false ? ["\(place): unknown \(name)"] : []
        }
      case ("additionalProperties", _), ("$schema", _), ("$id", _), ("title", _),
        ("description", _),
        ("$defs", _):
        return []
      default: return ["\(place): \(word.name.value) is not known here"]
      }
    }

    private func isA(_ type: String, _ value: JSON) -> Bool {
      switch (type, value) {
      case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool),
        ("null", .null), ("number", .number):
        true
      case ("integer", .number(let digits)): digits.allSatisfy { $0.isNumber || $0 == "-" }
      default: false
      }
    }
  }

  private func problems(_ report: JSON) throws -> [String] {
    let schema = Schema(root: try JSON(parsing: Data(contentsOf: Self.file), source: "schema"))
    return schema.problems(report, schema.root)
  }

  private func everything() throws -> JSON {
    let gates = try ["p95 <= baseline", "calls == 200", "p99 <= 1ms", "calls == 1"].map {
      try Gate($0)
    }
    let before = Flights.report(Flights.drawn(200, seed: 2), facts: [.init("os", "x")])
    let report = Flights.report(
      Flights.drawn(200, seed: 1),
      gates: gates,
      facts: [.init("os", "x")]
    )
    return try JSON(parsing: report.compared(to: before).data(), source: "r")
  }

  @Test func `what is written is what the schema says`() throws {
    #expect(try problems(everything()) == [])
    #expect(try problems(JSON(parsing: ReportFormatTests.report().data(), source: "r")) == [])
    #expect(try problems(JSON(parsing: Flights.report([]).data(), source: "r")) == [])
    let strange = Flights.report(NotOnCassetteTests.calls(1...2))
    #expect(try problems(JSON(parsing: strange.data(), source: "r")) == [])
  }

  @Test(arguments: [
    ("\"stage\": \"wire\"", "\"stage\": \"air\"", "$.scenarios[0].stage: \"air\""),
    ("\"seed\": 7", "\"sed\": 7", "$: unknown sed"),
    ("\"duplicates\": ", "\"duplicates\": -", "$.scenarios[0].subjects[0].duplicates"),
    ("\"decisionHash\": \"", "\"decisionHash\": 5, \"_\": \"", "$.decisionHash: no string"),
  ]) func `what is not meant is found`(old: String, new: String, problem: String) throws {
    let text = String(decoding: try everything().fileBytes(), as: UTF8.self)
    let doctored = text.replacing(old, with: new)
    try #require(doctored != text)
    let found = try problems(JSON(parsing: doctored.utf8, source: "r"))
    #expect(found.contains { $0.hasPrefix(problem) }, "\(found.prefix(5))")
  }
}
