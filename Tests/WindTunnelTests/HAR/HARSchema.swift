import Schemas
import TestSupport

@testable import WindTunnel

/// What HAR 1.2 asks of a file: members that must be there, their types and the form of dates, by
/// the specification (http://www.softwareishard.com/blog/har-12-spec).
enum HARSchema {
  /// The text of the schema.
  static let text = TestData.text("HAR/har-1.2.schema.json")
  private static let schema = Result { try JSONSchema(parsing: text) }

  /// What is wrong with a file, each with its place.
  static func problems(in json: JSON) -> [String] {
    switch schema {
    case .success(let schema): schema.problems(json, schema.root) + repeated(json, "$")
    case .failure(let error): ["\(error)"]
    }
  }

  /// The objects in which a name stands twice, but for those in notes.
  private static func repeated(_ json: JSON, _ place: String) -> [String] {
    switch json {
    case .array(let elements):
      return elements.enumerated().flatMap { repeated($1, "\(place)[\($0)]") }
    case .object(let members):
      let names = members.map(\.name.value)
      let own = Set(names).count == names.count ? [] : ["\(place): a name stands twice"]
      let inner = members.filter { !$0.name.value.hasPrefix("_") }
      return own + inner.flatMap { repeated($0.value, "\(place).\($0.name.value)") }
    default: return []
    }
  }
}
