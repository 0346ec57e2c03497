internal import Foundation

/// A scanner that validates the whole text of a cassette in one pass and extracts the interactions.
///
/// It builds no trees: most of a cassette consists of bodies, which stay encoded in the text. An
/// invalid or unusual interaction is passed to ``InteractionReader``, which decides and provides
/// the error. So the two cannot disagree. After the first rejected interaction, the rest of the
/// text is only validated, and nothing more is kept.
struct CassetteScanner {
  typealias Failure = JSONParser.Failure

  /// The result of a scan of a cassette's text.
  struct Scan {
    /// The whole text without the interactions; their list is empty here.
    var top: JSON
    /// The interactions before the first rejected one.
    var interactions: [Interaction] = []
    /// The numbers of the interactions that the slow reader read.
    var leftAside: [Int] = []
    /// The error of the first rejected interaction; `nil` if there is none.
    var refusal: (any Error)?
  }

  /// A slow reader of one interaction, by its number and its text.
  typealias SlowReader = (Int, Data) throws -> Interaction

  /// Thrown if the fast path cannot read an interaction; never visible outside.
  static let unusual = Failure(problem: "", offset: 0)

  var parser: JSONParser
  let text: Data
  var pool = StringPool()
  /// A buffer that collects fields, so that each list is allocated in its final size.
  var fields: [HeaderField] = []
  /// The previous URL, because the next one probably has the same origin.
  var lastURL: RequestURL?
  /// The previous list of request fields, response fields and trailers, with its range. The next
  /// list often has the same bytes.
  var lastHeaders: [(place: Range<Int>, fields: HeaderFields)?] = [nil, nil, nil]
  private var scan = Scan(top: .null)
  private let readSlowly: SlowReader

  private init(_ parser: JSONParser, _ text: Data, _ readSlowly: @escaping SlowReader) {
    (self.parser, self.text, self.readSlowly) = (parser, text, readSlowly)
  }

  /// Scans a text; bodies share its memory.
  static func scan(_ text: Data, _ readSlowly: @escaping SlowReader) throws(Failure) -> Scan {
    let outcome = text.withUnsafeBytes { raw -> Result<Scan, Failure> in
      let read = { (parser: inout JSONParser) throws(Failure) -> Scan in
        var scanner = CassetteScanner(parser, text, readSlowly)
        scanner.scan.top = try scanner.top()
        parser = scanner.parser
        return scanner.scan
      }
      return JSONParser.whole(raw.assumingMemoryBound(to: UInt8.self), read)
    }
    return try outcome.get()
  }

  private mutating func top() throws(Failure) -> JSON {
    guard try parser.kind() == .object else { return try parser.value() }
    var members: [JSON.Member] = []
    guard try parser.enterObject() else { return .object([]) }
    repeat {
      try parser.beginKey()
      let name = try parser.string()
      try parser.endKey()
      let isList = try parser.kind() == .array
      if isList, name.value == "interactions" {
        try interactions()
        members.append(JSON.Member(name, .array([])))
      } else {
        members.append(JSON.Member(name, try parser.value()))
      }
    } while try parser.goesOnInObject()
    return .object(members)
  }

  private mutating func interactions() throws(Failure) {
    let start = parser.position
    guard try parser.enterList() else { return }
    repeat {
      guard scan.refusal == nil else {
        try parser.skipValue()
        continue
      }
      if scan.interactions.count == Self.sampleCount { reserve(since: start) }
      parser.skipSpace()
      let before = parser
      do {
        let usual = try interaction()
        scan.interactions.append(usual)
      } catch {
        // The slow reader finds errors in the JSON again and reports them.
        parser = before
        try parser.skipValue()
        leaveAside(before.position..<parser.position)
      }
    } while try parser.goesOnInList()
  }

  private mutating func leaveAside(_ place: Range<Int>) {
    let number = scan.interactions.count
    let bytes = text[(text.startIndex + place.lowerBound)..<(text.startIndex + place.upperBound)]
    do {
      scan.interactions.append(try readSlowly(number, bytes))
      scan.leftAside.append(number)
    } catch {
      scan.refusal = error
    }
  }

  /// The number of interactions after which the total number is estimated.
  private static let sampleCount = 64

  /// The maximum number of interactions for which memory is reserved. An estimate may be wrong, for
  /// example if one body is most of the file.
  static let reservedMax = 1 << 18

  /// Reserves memory for the estimated number of interactions, because a growing array is copied.
  private mutating func reserve(since start: Int) {
    let size = max(1, (parser.position - start) / Self.sampleCount)
    let rest = parser.bytes.count - parser.position
    let estimate = Self.sampleCount + rest / size * 5 / 4
    scan.interactions.reserveCapacity(min(estimate, Self.reservedMax))
  }
}
