internal import Foundation

/// The rule for comparing bodies.
public struct BodyRule: Sendable, Hashable {
  /// The format in which bodies are compared. A body that is not in this format is compared byte by
  /// byte.
  public enum Reading: String, Sendable, Hashable, CaseIterable {
    /// None: bodies are not compared.
    case ignored
    /// Bodies are compared byte by byte.
    case bytes
    /// JSON: the order of keys, white space, escapes and the spelling of numbers are ignored.
    case json
    /// `application/x-www-form-urlencoded`: the order of fields with different names is ignored.
    case form
    /// `multipart/…`: the boundary is ignored.
    case multipart
    /// The format of `Content-Type`: JSON, form or multipart, otherwise bytes.
    case byType
  }

  /// The format in which bodies are compared.
  public var reading: Reading
  /// The paths of ignored JSON values.
  public var ignoredPaths: [JSONPath]
  /// The names of ignored form fields and multipart parts.
  public var ignoredFields: [NamePattern]

  /// Creates a rule with a format and the ignored values.
  public init(_ reading: Reading, ignoring paths: [JSONPath] = [], fields: [NamePattern] = []) {
    (self.reading, ignoredPaths, ignoredFields) = (reading, paths, fields)
  }

  /// The rule that does not compare bodies.
  public static let ignored = BodyRule(.ignored)
  /// The rule that compares bodies byte by byte.
  public static let bytes = BodyRule(.bytes)
  /// Creates a rule that compares bodies as JSON, ignoring the values at some paths.
  public static func json(ignoring paths: JSONPath...) -> BodyRule {
    BodyRule(.json, ignoring: paths)
  }
  /// Creates a rule that compares bodies as forms, ignoring some fields.
  public static func form(ignoring fields: NamePattern...) -> BodyRule {
    BodyRule(.form, fields: fields)
  }
  /// Creates a rule that compares bodies as multiparts, ignoring some parts.
  public static func multipart(ignoring fields: NamePattern...) -> BodyRule {
    BodyRule(.multipart, fields: fields)
  }

  /// Whether multipart bodies are compared without their boundary.
  var seesParts: Bool { reading == .multipart || reading == .byType }

  /// Returns the format for a body of a type.
  func reading(of type: String) -> Reading {
    guard reading == .byType else { return reading }
    let essence = ContentType(type).essence
    if essence.hasSuffix("/json") || essence.hasSuffix("+json") { return .json }
    if essence == "application/x-www-form-urlencoded" { return .form }
    return essence.hasPrefix("multipart/") ? .multipart : .bytes
  }
}
