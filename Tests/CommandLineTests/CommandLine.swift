/// The words of a command line, written as it is typed. An interpolated value is part of one word,
/// spaces included.
struct CommandLine: ExpressibleByStringInterpolation {
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var words = [""]

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ text: String) {
      let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      appendInterpolation(parts.first ?? "")
      words += parts.dropFirst()
    }

    mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      words[words.count - 1] += "\(value)"
    }
  }

  let words: [String]

  init(stringLiteral text: String) { words = text.split(separator: " ").map(String.init) }

  init(stringInterpolation text: StringInterpolation) { words = text.words.filter { !$0.isEmpty } }
}

/// The words of a command line.
func line(_ lines: CommandLine...) -> [String] { lines.flatMap(\.words) }
