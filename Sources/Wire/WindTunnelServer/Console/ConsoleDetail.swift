internal import Foundation
package import WindTunnel

/// The details of an exchange that every console displays in the same way.
package enum ConsoleDetail {
  /// The maximum number of displayed bytes of a body.
  static let bodyBytesMax = 64 << 10

  /// Content that is not displayed.
  struct Unshown {
    var bytes: Int
    /// The reason, as the end of a sentence about it.
    var words: String
  }

  /// Returns the details of an exchange that is not on a cassette.
  ///
  /// - Parameters:
  ///   - request: The request as it was sent.
  ///   - response: The response; `nil` if there is none or it is not kept.
  ///   - rules: The redaction rules in addition to the default ones.
  ///   - words: A description of the exchange in sentences, without secrets.
  /// - Returns: The members of a JSON object.
  package static func members(
    _ request: Request,
    _ response: Response?,
    by rules: RedactionRules,
    match words: String
  ) -> [JSON.Member] {
    let safe = Interaction(request, response ?? Response()).withoutSecrets(by: rules)
    return members(safe, hasResponse: response != nil) + [
      .init("stages", .array([])), .init("match", match(words)), .init("messages", .null),
    ]
  }

  /// Returns the details of an exchange without stored messages.
  ///
  /// - Parameters:
  ///   - words: A description of the exchange in sentences, without secrets.
  ///   - stages: The stages with their durations.
  /// - Returns: The members of a JSON object.
  package static func withoutMessages(_ words: String, stages: [JSON] = []) -> [JSON.Member] {
    JSON.members([
      "request": .null, "response": .null, "stages": .array(stages), "match": match(words),
      "messages": .null, "curl": "",
    ])
  }

  /// Returns the URL of a request without its secrets, including those in its fields and its body;
  /// `nil` if it cannot be redacted.
  package static func address(of request: Request, by rules: RedactionRules) -> RequestURL? {
    var request = request
    // A large body is not searched for a single row.
    if request.body.count > bodyBytesMax { request.body = Body() }
    let asked = Interaction(request, Response())
    if let safe = asked.withoutSecrets(by: rules) { return safe.request.url }
    request.body = Body()
    return Interaction(request, Response()).withoutSecrets(by: rules)?.request.url
  }

  /// Returns the messages of an exchange, and a command that repeats it.
  static func members(
    _ safe: Interaction?,
    hasResponse: Bool,
    without unshown: (request: Unshown?, response: Unshown?) = (nil, nil)
  ) -> [JSON.Member] {
    let response = safe?.response.map { message($0, unshown.response) }
    return [
      .init("request", safe.map { message($0.request, unshown.request) } ?? .null),
      .init("response", hasResponse ? response ?? .null : .null),
      .init("curl", .text(safe.map { curl($0.request) } ?? "")),
    ]
  }

  /// Returns why a request matched or not.
  static func match(_ words: String, _ candidates: [JSON] = []) -> JSON {
    ["words": .text(words), "candidates": .array(candidates)]
  }

  private static func message(_ request: Request, _ unshown: Unshown?) -> JSON {
    let line = "\(request.method) \(request.url) HTTP/1.1"
    return message(line, request.headers, request.body, unshown)
  }

  private static func message(_ response: Response, _ unshown: Unshown?) -> JSON {
    message("HTTP/1.1 \(response.status)", response.headers, response.body, unshown)
  }

  private static func message(
    _ line: String,
    _ headers: HeaderFields,
    _ body: Body,
    _ unshown: Unshown? = nil
  ) -> JSON {
    let type = headers["Content-Type"] ?? ""
    let shown = Data(body.data.prefix(bodyBytesMax))
    // The text may be cut within a scalar.
    let text = body.text.map { _ in String(decoding: shown, as: UTF8.self) }
    let kind =
      unshown != nil
      ? "unknown"
      : body.count == 0 ? "empty" : text == nil ? "binary" : type.contains("json") ? "json" : "text"
    return [
      "line": .text(line),
      "headers": .array(headers.map { .array([.text($0.name), .text($0.value)]) }),
      "body": body.count == 0 ? .null : .orNull(text),
      "bodyBytes": .number(unshown?.bytes ?? body.count),
      "bodyKind": .text(kind), "cutAt": body.count > bodyBytesMax ? .number(bodyBytesMax) : .null,
      "note": .orNull(unshown?.words),
    ]
  }

  private static func curl(_ request: Request) -> String {
    func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
    var words = ["curl", "-X", quoted(request.method)]
    for field in request.headers where field.name.lowercased() != "content-length" {
      words += ["-H", quoted("\(field.name): \(field.value)")]
    }
    if let text = request.body.text, !text.isEmpty { words += ["--data-raw", quoted(text)] }
    words.append(quoted("\(request.url)"))
    return words.joined(separator: " ")
  }
}
