import TestSupport

@testable import WindTunnelCassettes

/// One row of the matcher matrix: whether a recording answers a request.
struct MatcherCase: Sendable, CustomTestStringConvertible {
  var matcher: Matcher
  var recorded: Request
  var asked: Request
  var answers: Bool

  init(_ matcher: Matcher, _ recorded: Request, _ asked: Request, _ answers: Bool) {
    self.matcher = matcher
    self.recorded = recorded
    self.asked = asked
    self.answers = answers
  }

  var testDescription: String {
    let bodies = [recorded, asked].map { $0.body.text ?? "\($0.body.data.count) bytes" }
    return
      "\(recorded.method) \(recorded.url) \(bodies[0]) | \(asked.method) \(asked.url) \(bodies[1]) | \(answers)"
  }

  /// Whether it does, by the index.
  var isFound: Bool {
    let index = MatchIndex([recorded], matcher: matcher)
    return index.sequence(for: asked, key: matcher.key(asked)) != nil
  }

  /// Expects that it does where it should. A miss has a difference to tell, and a hit none.
  func expectAnswer() {
    expectEqual(isFound, answers)
    let told = Mismatch(asked, among: [Interaction(recorded, Response())], matcher: matcher)
    expectEqual(told.candidates[0].differences.isEmpty, answers, "\(told)")
  }
}

extension Matcher {
  /// A copy with something changed.
  func with(_ change: (inout Matcher) -> Void) -> Matcher {
    var copy = self
    change(&copy)
    return copy
  }

  static func body(_ rule: BodyRule) -> Matcher { url.with { $0.body = rule } }
}

/// A POST of a body of a type.
func post(_ body: String, _ type: String = "application/json") -> Request {
  Request("POST", "https://a/x", headers: ["Content-Type": type], body: Body(body))
}

/// A POST of a form.
func form(_ body: String) -> Request { post(body, "application/x-www-form-urlencoded") }

/// A POST of parts, each a name and a content.
func multipart(_ parts: KeyValuePairs<String, String>, boundary: String) -> Request {
  let texts = parts.map { name, content in
    "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(content)\r\n"
  }
  return post(texts.joined() + "--\(boundary)--\r\n", "multipart/form-data; boundary=\(boundary)")
}
