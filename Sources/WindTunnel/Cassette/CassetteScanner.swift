internal import Foundation

/// Proves the whole text of a cassette in one pass, and takes the interactions out of it without
/// making a tree of any: nearly all of a cassette is bodies, which stay where they are.
///
/// What is not as it should be, or only unusual, is left aside for ``InteractionReader``, which has
/// the last word and the sentence for it. So the two cannot disagree in what they refuse.
struct CassetteScanner {
  typealias Failure = JSONParser.Failure

  /// What a text holds.
  struct Scan {
    /// The whole text but for the interactions, whose list is empty here.
    var top: JSON
    /// The interactions; those that were left aside are placeholders.
    var interactions: [Interaction] = []
    /// Where those that were left aside stand in the text, by their number.
    var leftAside: [(number: Int, place: Range<Int>)] = []
  }

  /// Thrown where reading on makes no sense; never seen outside.
  static let unusual = Failure(problem: "", offset: 0)

  var parser: JSONParser
  let text: Data
  var pool = StringPool()
  /// Where fields are gathered, so that a list of them is made in its final size.
  var fields: [HeaderField] = []
  private var scan = Scan(top: .null)

  private init(_ parser: JSONParser, _ text: Data) {
    self.parser = parser
    self.text = text
  }

  /// Scans a text; bodies share its bytes.
  static func scan(_ text: Data) throws(Failure) -> Scan {
    let outcome = text.withUnsafeBytes { raw -> Result<Scan, Failure> in
      let read = { (parser: inout JSONParser) throws(Failure) -> Scan in
        var scanner = CassetteScanner(parser, text)
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
        scan.leftAside.append((scan.interactions.count, before.position..<parser.position))
        scan.interactions.append(Interaction(Request("GET", "/"), Response()))
      }
    } while try parser.goesOnInList()
  }

  /// After so many interactions the number of all is estimated.
  private static let sampleCount = 64

  /// Memory that is set aside and not used costs nothing; a list that grows is there twice.
  private mutating func reserve(since start: Int) {
    let size = max(1, (parser.position - start) / Self.sampleCount)
    let rest = parser.bytes.count - parser.position
    scan.interactions.reserveCapacity(Self.sampleCount + rest / size * 5 / 4)
  }
}
