package import Foundation
package import WindTunnel

/// As much of JSON Schema 2020-12 as the schemas that ship use; an unknown word in it is a problem.
package struct JSONSchema {
  package let root: JSON

  package init(contentsOf file: URL) throws {
    root = try JSON(parsing: Data(contentsOf: file), source: "schema")
  }

  package init(parsing text: String) throws {
    root = try JSON(parsing: text.utf8, source: "schema")
  }

  package func problems(_ value: JSON, _ schema: JSON, _ place: String = "$") -> [String] {
    if schema == true { return [] }
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
        .replacing("#/components/schemas/", with: "")
      let all = root["$defs"] ?? root["components"]?["schemas"]
      return problems(value, all?[name] ?? .null, place)
    case ("type", .string(let type)):
      return isA(type.value, value) ? [] : ["\(place): no \(type.value)"]
    case ("type", .array(let types)):
      return types.contains { isA($0.stringValue ?? "", value) } ? [] : ["\(place): \(value)"]
    case ("const", let only): return value == only ? [] : ["\(place): \(value)"]
    case ("enum", .array(let all)): return all.contains(value) ? [] : ["\(place): \(value)"]
    case ("minimum", let least):
      guard case .number = value, let least = least.doubleValue else { return [] }
      return (value.doubleValue ?? -.infinity) >= least ? [] : ["\(place): \(value)"]
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
        if name.hasPrefix("_"), schema["patternProperties"]?["^_"] == true { return [] }
        return schema["additionalProperties"] == false ? ["\(place): unknown \(name)"] : []
      }
    case ("oneOf", .array(let all)):
      let fitting = all.count { problems(value, $0, place).isEmpty }
      return fitting == 1 ? [] : ["\(place): \(value) is \(fitting) of \(all.count)"]
    case ("anyOf", .array(let all)):
      return all.contains { problems(value, $0, place).isEmpty } ? [] : ["\(place): \(value)"]
    case ("minItems", let least):
      guard case .array(let elements) = value, let least = least.doubleValue else { return [] }
      return Double(elements.count) >= least ? [] : ["\(place): \(elements.count) items"]
    case ("minLength", let least):
      guard let text = value.stringValue, let least = least.doubleValue else { return [] }
      return Double(text.unicodeScalars.count) >= least ? [] : ["\(place): \(text)"]
    case ("dependentRequired", .object(let members)):
      guard case .object = value else { return [] }
      return members.filter { value[$0.name.value] != nil }.flatMap {
        problems(value, .object([.init("required", $0.value)]), place)
      }
    case ("not", let other):
      return problems(value, other, place).isEmpty ? ["\(place): \(value)"] : []
    case ("pattern", .string(let pattern)):
      guard let text = value.stringValue, let regex = try? Regex(pattern.value) else { return [] }
      return text.firstMatch(of: regex) != nil ? [] : ["\(place): \(text)"]
    case ("additionalProperties", _), ("patternProperties", _), ("$schema", _), ("$id", _),
      ("title", _), ("description", _), ("default", _), ("contentEncoding", _), ("$defs", _):
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
