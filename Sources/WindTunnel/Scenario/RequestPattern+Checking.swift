extension RequestPattern {
  /// Why a text that people wrote means no request that there is, and what was probably meant.
  struct Problem: Sendable, Hashable {
    var problem: String
    var remedy: String
  }

  private static let methods: Set<Substring> = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
  ]

  /// What is wrong with a text, or `nil`. A pattern takes any text and some match nothing; where people
  /// write one they should hear of that.
  static func problem(with text: String) -> Problem? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count <= 2, let target = words.last, !target.isEmpty else {
      return Problem(
        problem: "\"\(text)\" is no request pattern",
        remedy: "Write a method or *, one space, and a path, such as \"GET /home\"."
      )
    }
    if words.count == 2, !methods.contains(words[0]),
      methods.contains(Substring(words[0].uppercased()))
    {
      return Problem(
        problem: "\"\(words[0])\" is no method that clients send: methods are case-sensitive",
        remedy: "Write \"\(words[0].uppercased()) \(target)\"."
      )
    }
    if words.count == 2, words[0] == "CONNECT" { return nil }
    guard target == "*" || target == "**" || target.hasPrefix("/") || target.contains("://") else {
      return Problem(
        problem: "\"\(target)\" is no path: it does not begin with /",
        remedy: "Write for example \"GET /home\", or a whole URL."
      )
    }
    let path = RequestURL(String(target)).path
    let odd = path.split(separator: "/").first { $0.contains("*") && $0 != "*" && $0 != "**" }
    guard let odd else { return nil }
    return Problem(
      problem: "\"\(odd)\" stands for no segment but itself: * means a whole one",
      remedy: "Write * for one segment, or ** for the rest of a path."
    )
  }
}
