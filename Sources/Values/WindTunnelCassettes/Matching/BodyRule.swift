internal import Foundation

/// The rule by which bodies are compared.
public struct BodyRule: Sendable, Hashable {
  /// The format as which bodies are compared. A body that is not of this format is compared byte by
  /// byte.
  public enum Reading: String, Sendable, Hashable, CaseIterable {
    /// No format: bodies are not compared.
    case ignored
    /// Bytes, each of which counts.
    case bytes
    /// JSON: the order of keys, white space, escapes and the spelling of numbers are ignored.
    case json
    /// `application/x-www-form-urlencoded`: the order of fields of different names is ignored.
    case form
    /// `multipart/…`: the boundary is ignored.
    case multipart
    /// The format that `Content-Type` names: one of the three above, else bytes.
    case byType
  }

  /// The format as which bodies are compared.
  public var reading: Reading
  /// The JSON values that are ignored.
  public var ignoredPaths: [JSONPath]
  /// The fields of forms and the parts of multiparts that are ignored.
  public var ignoredFields: [NamePattern]

  /// Makes a rule of a format and the values that are ignored.
  public init(_ reading: Reading, ignoring paths: [JSONPath] = [], fields: [NamePattern] = []) {
    (self.reading, ignoredPaths, ignoredFields) = (reading, paths, fields)
  }

  /// The rule that does not compare bodies.
  public static let ignored = BodyRule(.ignored)
  /// The rule that compares bodies byte by byte.
  public static let bytes = BodyRule(.bytes)
  /// Makes a rule that compares bodies as JSON, without the values at some paths.
  public static func json(ignoring paths: JSONPath...) -> BodyRule {
    BodyRule(.json, ignoring: paths)
  }
  /// Makes a rule that compares bodies as forms, without some fields.
  public static func form(ignoring fields: NamePattern...) -> BodyRule {
    BodyRule(.form, fields: fields)
  }
  /// Makes a rule that compares bodies as multiparts, without some parts.
  public static func multipart(ignoring fields: NamePattern...) -> BodyRule {
    BodyRule(.multipart, fields: fields)
  }

  /// Tells whether a multipart body is read apart from its boundary.
  var seesParts: Bool { reading == .multipart || reading == .byType }

  /// Returns the kind that one body is taken for, by its type.
  func reading(of type: String) -> Reading {
    guard reading == .byType else { return reading }
    let essence = ContentType(type).essence
    if essence.hasSuffix("/json") || essence.hasSuffix("+json") { return .json }
    if essence == "application/x-www-form-urlencoded" { return .form }
    return essence.hasPrefix("multipart/") ? .multipart : .bytes
  }
}
