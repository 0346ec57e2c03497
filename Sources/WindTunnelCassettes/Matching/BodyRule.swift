internal import Foundation

/// The rule that bodies are compared by.
public struct BodyRule: Sendable, Hashable {
  /// The kind that a body is taken for. One that is not what it is taken for is compared by its
  /// bytes.
  public enum Reading: String, Sendable, Hashable, CaseIterable {
    /// Nothing: bodies are not compared.
    case ignored
    /// Bytes, and nothing else.
    case bytes
    /// JSON: the order of keys, white space, escapes and the spelling of numbers do not count.
    case json
    /// `application/x-www-form-urlencoded`: the order of fields of different names does not count.
    case form
    /// `multipart/…`: the boundary does not count.
    case multipart
    /// The kind that `Content-Type` names: one of the three above, else bytes.
    case byType
  }

  /// The kind that bodies are taken for.
  public var reading: Reading
  /// Values of JSON that do not count.
  public var ignoredPaths: [JSONPath]
  /// Fields of forms and parts of multiparts that do not count.
  public var ignoredFields: [NamePattern]

  /// Makes a rule of a reading.
  public init(
    _ reading: Reading,
    ignoring paths: [JSONPath] = [],
    fields: [NamePattern] = []
  ) {
    self.reading = reading
    ignoredPaths = paths
    ignoredFields = fields
  }

  /// Bodies are not compared.
  public static let ignored = BodyRule(.ignored)
  /// Bodies are the same bytes.
  public static let bytes = BodyRule(.bytes)
  /// Bodies are the same JSON but for some values.
  public static func json(ignoring paths: JSONPath...) -> BodyRule {
    BodyRule(.json, ignoring: paths)
  }
  /// Bodies are the same form but for some fields.
  public static func form(ignoring fields: NamePattern...) -> BodyRule {
    BodyRule(.form, fields: fields)
  }
  /// Bodies are the same parts but for some.
  public static func multipart(ignoring fields: NamePattern...) -> BodyRule {
    BodyRule(.multipart, fields: fields)
  }

  /// Tells whether a multipart body is read apart from its boundary.
  var seesParts: Bool { reading == .multipart || reading == .byType }

  /// The kind that one body is taken for, by its type.
  func reading(of type: String) -> Reading {
    guard reading == .byType else { return reading }
    let essence = ContentType(type).essence
    if essence.hasSuffix("/json") || essence.hasSuffix("+json") { return .json }
    if essence == "application/x-www-form-urlencoded" { return .form }
    return essence.hasPrefix("multipart/") ? .multipart : .bytes
  }
}
