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

/// The part of a body that counts.
enum ComparedBody {
  case nothing
  case bytes(Data)
  case fields([FormField])
  case json(JSON)

  /// Reads a body by a rule; what is not what it is taken for is bytes.
  ///
  /// Only bytes are compared as they came; for all else a content coding is opened first.
  init(_ request: Request, _ rule: BodyRule) {
    guard rule.reading != .ignored, !request.body.data.isEmpty else {
      self = .nothing
      return
    }
    let type = request.headers["Content-Type"] ?? ""
    let reading = rule.reading(of: type)
    guard reading != .bytes, request.body.count <= Body.openedBytesMax else {
      self = .bytes(request.body.data)
      return
    }
    let data =
      Inflate.open(request.body.data, coding: request.headers["Content-Encoding"] ?? "")
      ?? request.body.data
    switch reading {
    case .json:
      // What is no JSON is compared as the bytes that it is.
      self =
        (try? JSONParser.parse(data)).map { .json($0.canonical(ignoring: rule.ignoredPaths)) }
        ?? .bytes(data)
    case .form: self = .fields(FormFields.sorted(data, ignoring: rule.ignoredFields))
    case .multipart:
      self =
        Multipart.fields(data, type: type, ignoring: rule.ignoredFields).map { .fields($0) }
        ?? .bytes(data)
    case .ignored, .bytes, .byType: self = .bytes(data)
    }
  }

  /// Reads a body whose bytes are compared and some of which were redacted, so that they cannot be
  /// the request's: JSON with its order and spelling, a form with its order, else text. White space
  /// between the tokens of JSON does not count then.
  init(opening request: Request) {
    let data = request.body.data
    // What is no JSON is looked at otherwise.
    if data.count > Body.openedBytesMax {
      self = .bytes(data)
    } else if let json = try? JSONParser.parse(data) {
      self = .json(json)
    } else if BodyRule(.byType).reading(of: request.headers["Content-Type"] ?? "") == .form {
      self = .fields(FormFields.fields(data))
    } else {
      self = data.isEmpty ? .nothing : .bytes(data)
    }
  }

  /// The SHA-256 of what counts; empty where nothing does.
  var digest: String {
    switch self {
    case .nothing: return ""
    case .bytes(let data): return SHA256.hexadecimal(data)
    case .json(let json): return SHA256.hexadecimal(json.bytes())
    case .fields(let fields):
      var digest = SHA256()
      for field in fields {
        // The lengths, so that nothing can pass from a name into a value.
        digest.update("\(field.label.utf8.count) \(field.value.count)\n\(field.label)\n".utf8)
        digest.update(field.value)
      }
      return digest.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }
}
