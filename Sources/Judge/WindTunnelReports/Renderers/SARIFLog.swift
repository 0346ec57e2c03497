internal import Foundation

/// Results of a check in the format of code hosts and editors: SARIF 2.1.0 (OASIS, 2020).
package struct SARIFLog {
  /// A rule to which results refer.
  package struct Rule {
    fileprivate let json: JSON
    fileprivate let id: String

    /// Creates a rule. `link` is the URL of a page about it.
    package init(_ id: String, finds: String, help: String, link: String? = nil) {
      self.id = id
      json = .object(
        JSON.members([
          "id": .text(id), "shortDescription": ["text": .text(finds)],
          "help": ["text": .text(help)], "helpUri": link.map { .text($0) },
        ])
      )
    }
  }

  /// A violation of a rule.
  package struct Result {
    /// The name of its ``Rule``.
    package var rule: String
    /// The level: `error`, `warning` or `note`.
    package var level: String
    /// The sentence that is shown.
    package var message: String
    /// The path of the file to which the result is attached; `nil` if there is none.
    package var file: String?
    /// The identifier of the call in this tool, such as `metro/payments/17`.
    package var place: String
    /// The reason for which the result is accepted; `nil` if it is not.
    package var acceptance: String?

    /// Creates a result that is not accepted.
    package init(
      _ rule: String,
      _ level: String,
      _ message: String,
      in file: String?,
      at place: String
    ) {
      (self.rule, self.level, self.message) = (rule, level, message)
      (self.file, self.place) = (file, place)
    }

    fileprivate var json: JSON {
      let physical: JSON? = file.map { path in
        ["artifactLocation": ["uri": .text(SARIFLog.uri(path))], "region": ["startLine": 1]]
      }
      let location = JSON.members([
        "physicalLocation": physical,
        "logicalLocations": [["fullyQualifiedName": .text(place)]],
      ])
      return .object(
        JSON.members([
          "ruleId": .text(rule), "level": .text(level), "message": ["text": .text(message)],
          "locations": [.object(location)],
          // Without it, a host treats two results at the same line as equal.
          "partialFingerprints": ["place/v1": .text("\(rule) \(place)")],
          "suppressions": acceptance.map {
            [["kind": "external", "justification": .text($0)]]
          },
        ])
      )
    }
  }

  private let rules: [Rule]
  private let results: [Result]

  /// Creates a log of results. Rules that no result names are omitted.
  package init(_ results: [Result], of rules: [Rule]) {
    (self.results, self.rules) = (results, rules)
  }

  /// The log as the object of a `.sarif` file.
  package var json: JSON {
    let used = Set(results.map(\.rule))
    let found = rules.filter { used.contains($0.id) }.map(\.json)
    let driver: JSON = ["name": "windtunnel", "rules": .array(found)]
    return [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
      "runs": [["tool": ["driver": driver], "results": .array(results.map(\.json))]],
    ]
  }

  /// Returns a path in the form that code hosts compare: without a dot at its beginning.
  static func path(_ path: String) -> String {
    path.hasPrefix("./") ? String(path.dropFirst(2)) : path
  }

  /// Returns the URI of a path: relative to the repository, or with the scheme `file` (RFC 8089).
  private static func uri(_ path: String) -> String {
    if path.hasPrefix("/") { return URL(filePath: path).absoluteString }
    // A colon in the first segment would be read as the end of a scheme (RFC 3986 §4.2).
    let allowed = CharacterSet.urlPathAllowed.subtracting([":"])
    let name = Self.path(path)
    return name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
  }
}
