internal import Foundation

/// What an answer has to be before anybody decodes it.
public struct ResponseRules: Sendable, Hashable {
  /// Which statuses are good.
  public var statuses: ClosedRange<Int>
  /// The media types that are good (RFC 9110 §8.3.1), without parameters; none: any.
  public var contentTypes: [String]
  /// Paths into the JSON text at which something other than null has to be: names and indices with
  /// dots between them, `*` for every item or field, as in `data.items.*.id`.
  public var requiredFields: [String]

  /// Makes rules; by default any status below 400 is good and nothing else is asked.
  public init(
    statuses: ClosedRange<Int> = 100...399,
    contentTypes: [String] = [],
    requiredFields: [String] = []
  ) {
    self.statuses = statuses
    self.contentTypes = contentTypes
    self.requiredFields = requiredFields
  }

  /// Status 200 to 299 with JSON in it, and these fields.
  public static func json(requiring fields: String...) -> ResponseRules {
    ResponseRules(
      statuses: 200...299,
      contentTypes: ["application/json"],
      requiredFields: fields
    )
  }

  /// The first rule that an answer breaks, as the error to surface; `nil` where it breaks none.
  ///
  /// A type `application/x+json` passes where `application/json` is asked for (RFC 6839 §3.1).
  /// Content is looked at only where fields are required.
  public func breach(by answer: HTTPAnswer) -> NetworkError? {
    guard statuses.contains(answer.status) else {
      return .server(status: answer.status, body: answer.body)
    }
    if !contentTypes.isEmpty {
      let type = answer.headers["Content-Type"]
      guard contentTypes.contains(where: { type?.isMediaType($0) ?? false }) else {
        return .decode(.contentType(type, expected: contentTypes))
      }
    }
    guard !requiredFields.isEmpty else { return nil }
    let tree: JSONTree
    do { tree = try JSONDecoder().decode(JSONTree.self, from: answer.body) } catch {
      return .decode(.notJSON)
    }
    let gap = requiredFields.lazy.compactMap { tree.firstGap(in: $0) }.first
    return gap.map { .decode(.missing($0)) }
  }
}

extension String {
  /// Whether this value of a `Content-Type` field is of a media type.
  fileprivate func isMediaType(_ type: String) -> Bool {
    let own = prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    let type = type.lowercased()
    return own == type || (type == "application/json" && own.hasSuffix("+json"))
  }
}
