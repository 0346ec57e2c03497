/// The error of an invalid cassette, scenario or report: its file, the position, the problem and a
/// fix.
public struct FormatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the file, or another source of the text.
  public var source: String
  /// The line, counted from 1, or the path to the key, such as `rules[0].when.first`.
  public var place: String
  /// The problem, as half a sentence without a full stop.
  public var problem: String
  /// The fix, as a sentence; `nil` if it is obvious.
  public var fix: String?

  /// Creates an error. Control characters in place and problem are escaped, and long texts are
  /// shortened.
  public init(source: String, place: String, problem: String, fix: String? = nil) {
    self.source = source
    self.place = Self.told(place)
    self.problem = Self.told(problem)
    self.fix = fix
  }

  /// The maximum number of characters quoted from a file: its beginning and its end.
  static let toldMax = 400

  /// Returns a text from a file, shortened and without control characters, for sentences and
  /// terminals.
  private static func told(_ text: String) -> String {
    var scalars = Array(text.unicodeScalars.prefix(toldMax + 1))
    if scalars.count > toldMax {
      let rest = text.unicodeScalars.suffix(toldMax / 4)
      scalars = Array(scalars.prefix(toldMax * 3 / 4)) + ["…"] + rest
    }
    guard scalars.count > toldMax || scalars.contains(where: isControl) else { return text }
    return scalars.reduce(into: "") { told, scalar in
      if isControl(scalar) {
        told += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        told.unicodeScalars.append(scalar)
      }
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value
  }

  /// The source, the place, the problem and the fix, in sentences.
  public var description: String {
    "\(source)\(place.isEmpty ? "" : ", \(place)"): \(problem).\(fix.map { " \($0)" } ?? "")"
  }
}

extension JSON {
  /// Parses a text. Errors contain the line and the column.
  public init(parsing bytes: some Collection<UInt8>, source: String) throws(FormatError) {
    do {
      self = try JSONParser.parse(bytes)
    } catch {
      throw FormatError(error, in: bytes, source: source)
    }
  }
}

extension FormatError {
  /// Creates the error of a text that is not JSON. The line and the column in bytes are counted
  /// from one.
  package init(_ failure: JSONParser.Failure, in bytes: some Collection<UInt8>, source: String) {
    let before = Array(bytes.prefix(failure.offset))
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let column = before.count - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
    self.init(
      source: source,
      place: "line \(line), column \(column)",
      problem: "not JSON: \(failure.problem)"
    )
  }
}
