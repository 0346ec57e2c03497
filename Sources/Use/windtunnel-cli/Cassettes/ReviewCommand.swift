/// Lists the values that were removed from a cassette, with reasons, for a review before a commit.
enum ReviewCommand: Command {
  static let name = "cassette review"
  static let summary =
    "List the values replaced in a cassette, each with its reason and --keep flag."
  static let synopsis = "FILE [--json]"
  static let example = "windtunnel cassette review Cassettes/examples/shop.json"
  static let operandsMax = 1
  static let flags = [Flag("--json", nil, "Print the list as JSON.")]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let path = try arguments.operand(0, "FILE", "the cassette to check")
    let review = CassetteReview(try CassetteFile.read(path))
    if arguments.has("--json") {
      let report: JSON = [
        "windtunnelReview": 1, "file": .text(path),
        "placeholders": .array(review.placeholders.map { json($0) }),
        "alike": .array(review.alike.map { .numbers($0) }),
      ]
      return Terminal.answer(indented: report)
    }
    for line in lines(review) { Terminal.answer(line: line) }
    if review.placeholders.isEmpty { Terminal.answer(line: "\(path): no value was replaced") }
    return .done
  }

  /// Returns a line for each placeholder, and for each group of recordings that only their order
  /// distinguishes.
  static func lines(_ review: CassetteReview) -> [String] {
    review.placeholders.map { placeholder in
      let first = placeholder.places.prefix(3).joined(separator: ", ")
      let more =
        placeholder.places.count > 3 ? " and \(placeholder.places.count - 3) more places" : ""
      return "\(placeholder.text) [\(placeholder.rule)]: \(placeholder.reason); \(first)\(more); "
        + "not a secret? Record again with \(RedactionFlags.keep) '\(placeholder.keep)'"
    } + review.alikeLines
  }

  static func json(_ placeholder: CassetteReview.Placeholder) -> JSON {
    [
      "placeholder": .text(placeholder.text), "rule": .text(placeholder.rule),
      "reason": .text(placeholder.reason), "places": .texts(placeholder.places),
      "keep": .text(placeholder.keep),
    ]
  }
}

extension CassetteReview {
  /// The maximum number of a group's recordings that are named.
  private static let numbersMax = 10

  /// A line for each group of recordings that differ only in redacted values.
  var alikeLines: [String] {
    alike.map { numbers in
      let list = numbers.prefix(Self.numbersMax).map { "#\($0)" }.joined(separator: ", ")
      let rest = numbers.count - Self.numbersMax
      return list + (rest > 0 ? " and \(rest) more" : "")
        + " differ only in redacted values: the order of requests decides between them"
    }
  }
}
