import TestSupport

/// Bytes that a client sends, and what comes back.
struct RequestCase: Sendable, CustomTestStringConvertible {
  var name: String
  var bytes: String
  /// The methods of the requests that are answered.
  var methods: [String]
  /// Status and, of a 200, content.
  var answers: [String]
  var isKept: Bool

  var testDescription: String { name }

  /// The cases of two tables. What asks for `/smuggled` would be a request of its own for whoever
  /// frames it otherwise.
  static func all() throws -> [RequestCase] {
    let served =
      try TestData.rows("served-requests.json", count: 21)
      as [(String, String, [String], [String], Bool)]
    let refused =
      try TestData.rows("refused-requests.json", count: 70) as [(Int, String, String)]
    return served.map {
      RequestCase(name: $0.0, bytes: $0.1, methods: $0.2, answers: $0.3, isKept: $0.4)
    } + (refused + long).map(Self.refused)
  }

  /// A request that is refused, with the end of the connection.
  private static func refused(_ status: Int, _ name: String, _ bytes: String) -> RequestCase {
    RequestCase(name: name, bytes: bytes, methods: ["GET"], answers: ["\(status)"], isKept: false)
  }

  /// Those that are too long for a table.
  private static let long = [
    (
      414, "a long target",
      "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: x\r\n\r\n"
    ),
    (431, "a long field", get("X: \(String(repeating: "a", count: 70_000))\r\n")),
    (431, "many fields", get((0..<201).map { "X\($0): 1\r\n" }.joined())),
  ]

  private static func get(_ fields: String) -> String {
    "GET /a HTTP/1.1\r\nHost: x\r\n\(fields)\r\n"
  }
}
