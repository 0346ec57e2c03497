internal import Foundation
internal import WindTunnelSymptoms

/// The rules that a response must satisfy before it is decoded.
public struct ResponseRules: Sendable, Hashable, Codable {
  /// The accepted status codes.
  public var statuses: ClosedRange<Int>
  /// The accepted media types (RFC 9110 §8.3.1), without parameters; empty accepts any.
  public var contentTypes: [String]
  /// The paths of required JSON values, which must not be null.
  ///
  /// A path consists of names and indices separated by dots, such as `data.items.*.id`. A `*`
  /// matches every item or field.
  public var requiredFields: [String]

  /// The envelope of errors; `nil` if only the status describes an error.
  ///
  /// If the status is not accepted, the code and the message in the envelope are the error.
  public var errors: Envelope?

  /// Whether a redirect to another URL is refused.
  package var refusesRedirects = false

  private enum CodingKeys: String, CodingKey {
    case statuses, contentTypes, requiredFields, errors
  }

  /// Creates rules; by default any status below 400 is accepted, and nothing else is required.
  public init(
    statuses: ClosedRange<Int> = 100...399,
    contentTypes: [String] = [],
    requiredFields: [String] = [],
    errors: Envelope? = nil
  ) {
    (self.statuses, self.contentTypes) = (statuses, contentTypes)
    (self.requiredFields, self.errors) = (requiredFields, errors)
  }

  /// Returns rules for a status of 200 to 299 and JSON content with these fields.
  public static func json(requiring fields: String...) -> ResponseRules {
    ResponseRules(statuses: 200...299, contentTypes: ["application/json"], requiredFields: fields)
  }

  /// Returns the first violated rule as the error to throw; `nil` if there is none.
  ///
  /// A type `application/x+json` is accepted for `application/json` (RFC 6839 §3.1). Content is
  /// parsed only if fields are required.
  public func breach(by answer: ServerResponse) -> NetworkError? {
    guard statuses.contains(answer.status) else { return refusal(in: answer) }
    if refusesRedirects, answer.isRedirected {
      return .transport(
        .tooManyRedirects,
        text: "After a redirect, another URL than the requested one responded."
      )
    }
    if !contentTypes.isEmpty {
      let type = answer.headers["Content-Type"]
      guard contentTypes.contains(where: { type?.isMediaType($0) ?? false }) else {
        return .decode(.contentType(type, expected: contentTypes))
      }
    }
    // Content that was passed to a file or a reader is checked there.
    guard !requiredFields.isEmpty, answer.bytesElsewhere == nil else { return nil }
    // Any error means that the content is not JSON.
    let tree = try? JSONSerialization.jsonObject(with: answer.body, options: .fragmentsAllowed)
    guard let tree else { return .decode(.notJSON) }
    let gap = requiredFields.lazy.compactMap { path in
      JSONTree.gap(in: tree, path.split(separator: ".").map(String.init)[...])
    }.first
    return gap.map { .decode(.missing($0)) }
  }
  /// Returns the error of a response whose status is not accepted.
  private func refusal(in answer: ServerResponse) -> NetworkError {
    switch answer.status {
    case 401: return .credentials(status: 401, body: answer.body)
    case 407: return .proxyCredentials
    default: break
    }
    if let words = errors?.words(in: answer.body) {
      return .business(code: words.code, message: words.message)
    }
    if answer.status == 403 { return .credentials(status: 403, body: answer.body) }
    return .server(status: answer.status, body: answer.body)
  }
}

extension String {
  /// Returns whether this value of a `Content-Type` field has a media type.
  func isMediaType(_ type: String) -> Bool {
    // Most values have neither parameters nor spaces, and this comparison is much cheaper.
    if self == type, !utf8.contains(where: { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ";") }) {
      return true
    }
    let own = prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    let type = type.lowercased()
    return own == type || (type == "application/json" && own.hasSuffix("+json"))
  }
}

/// JSON content in which rules look for fields.
private enum JSONTree {
  /// Returns the first missing or null value on a path such as `data.items.*.id`; `nil` if none is.
  ///
  /// A `*` matches every item of an array or field of an object.
  static func gap(in value: Any?, _ path: ArraySlice<String>, passed: [String] = []) -> String? {
    guard let value, !(value is NSNull) else { return passed.joined(separator: ".") }
    guard let name = path.first else { return nil }
    return children(of: value, named: name).lazy.compactMap { name, child in
      gap(in: child, path.dropFirst(), passed: passed + [name])
    }.first
  }

  private static func children(of value: Any, named name: String) -> [(String, Any?)] {
    if let fields = value as? [String: Any] {
      if name != "*" { return [(name, fields[name])] }
      return fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    guard let items = value as? [Any] else { return [(name, nil)] }
    if name == "*" { return items.enumerated().map { (String($0), $1) } }
    return [(name, Int(name).flatMap { items.indices.contains($0) ? items[$0] : nil })]
  }
}

/// A coding key with any name.
struct FieldName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
