internal import Foundation

/// A scanner that validates the whole text of a cassette in one pass, and extracts the interactions
/// without building a tree of any: nearly all of a cassette is bodies, which stay where they are.
///
/// What is not as it should be, or only unusual, is left aside for ``InteractionReader``, which has
/// the last word and the sentence for it. So the two cannot disagree in what they refuse. It is
/// asked at once: behind the first that it refuses only the text is proved, and nothing more is
/// kept.
struct CassetteScanner {
  typealias Failure = JSONParser.Failure

  /// The result of a scan of a cassette's text.
  struct Scan {
    /// The whole text but for the interactions, whose list is empty here.
    var top: JSON
    /// The interactions in front of the first that was refused.
    var interactions: [Interaction] = []
    /// The numbers of those that were left aside.
    var leftAside: [Int] = []
    /// The error of the first interaction that was refused; `nil` where none was.
    var refusal: (any Error)?
  }

  /// A reader of an interaction that was left aside, by its number and its text.
  typealias SlowReader = (Int, Data) throws -> Interaction

  /// Thrown where reading on makes no sense; never seen outside.
  static let unusual = Failure(problem: "", offset: 0)

  var parser: JSONParser
  let text: Data
  var pool = StringPool()
  /// The buffer that fields are gathered in, so that a list of them is made in its final size.
  var fields: [HeaderField] = []
  /// The last address, since the next is likely to be of the same origin.
  var lastURL: RequestURL?
  /// The last list of request fields, response fields and trailers, and its place: often the next
  /// is the same to the byte.
  var lastHeaders: [(place: Range<Int>, fields: HeaderFields)?] = [nil, nil, nil]
  private var scan = Scan(top: .null)
  private let readSlowly: SlowReader

  private init(_ parser: JSONParser, _ text: Data, _ readSlowly: @escaping SlowReader) {
    (self.parser, self.text, self.readSlowly) = (parser, text, readSlowly)
  }

  /// Scans a text; bodies share its bytes.
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
        // What is wrong with the JSON is found once more, and told.
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

  /// After so many interactions the number of all is estimated.
  private static let sampleCount = 64

  /// For so many interactions room is made at most: the first may be small, and one body all the
  /// rest.
  static let reservedMax = 1 << 18

  /// A list that grows is there twice.
  private mutating func reserve(since start: Int) {
    let size = max(1, (parser.position - start) / Self.sampleCount)
    let rest = parser.bytes.count - parser.position
    let estimate = Self.sampleCount + rest / size * 5 / 4
    scan.interactions.reserveCapacity(min(estimate, Self.reservedMax))
  }
}
