/// The test cases in a JUnit XML file, as pytest, Gradle, npm packages and `swift test` write it.
enum JUnitResults {
  /// A test case, with its location in the source if the file contains it.
  struct TestCase: Hashable {
    /// The class and the name.
    let id: String
    var file = ""
    var line = 0
    /// The kind of its failure and the message; `nil` if it passed or was skipped.
    var failure: MutantResult?
    var isSkipped = false
  }

  /// The maximum size of a file.
  private static let bytesMax = 16 << 20

  /// Reads the test cases by their identifiers.
  ///
  /// If several have the same identifier, it failed if one of them did, and was skipped if all
  /// were.
  ///
  /// - Throws: An error if the file is missing, too large or not JUnit XML.
  static func read(_ file: URL) throws -> [String: TestCase] {
    let data = try FileError.reading(file, bytesMax: bytesMax)
    let text = String(decoding: data, as: UTF8.self)
      .replacing(/(?s)<!--.*?-->|<!\[CDATA\[.*?\]\]>/, with: "")
    var cases: [String: TestCase] = [:]
    for element in text.split(separator: "<testcase").dropFirst() {
      let values = attributes(element)
      let id = [values["classname"], values["name"]].compactMap(\.self).joined(separator: ".")
      var test = TestCase(id: id)
      (test.file, test.line) = (values["file"] ?? "", values["line"].flatMap { Int($0) } ?? 0)
      let body = element.split(separator: "</testcase>", maxSplits: 1).first ?? ""
      test.isSkipped = body.contains("<skipped")
      if let failure = body.firstMatch(of: /<(failure|error)\b/) {
        let message = attributes(body[failure.range.upperBound...])["message"] ?? ""
        let killer = failure.1 == "error" ? MutantResult.Killer.error : .assertion
        test.failure = .killed(by: killer, message: message.withoutSecrets)
      }
      if let known = cases[id], known.failure != nil || test.isSkipped { continue }
      cases[id] = test
    }
    guard !cases.isEmpty, text.contains("</testsuite") else {
      throw FormatError(
        source: file.relativePath,
        place: "",
        problem: "not JUnit XML, or not complete",
        fix: "The command must write this file, as in pytest --junit-xml=\(file.relativePath)."
      )
    }
    return cases
  }

  /// Returns the attributes after a tag's name.
  private static func attributes(_ text: Substring) -> [String: String] {
    let tag = text.prefixMatch(of: /(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*/)?.0 ?? ""
    return tag.matches(of: /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/).reduce(into: [:]) {
      let bytes = Bytes(($1.2 ?? $1.3 ?? "").utf8)
      $0[String($1.1)] = String(
        decoding: EscapedText(bytes, .html)?.bytes ?? bytes,
        as: UTF8.self
      )
    }
  }
}
