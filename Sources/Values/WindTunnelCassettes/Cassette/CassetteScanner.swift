internal import Foundation

/// A scanner that validates the whole text of a cassette in one pass and extracts the interactions.
///
/// It builds no trees: most of a cassette consists of bodies, which stay encoded in the text. After
/// the first invalid interaction, the rest of the text is only validated, and nothing more is kept.
struct CassetteScanner {
  typealias Failure = JSONParser.Failure

  /// The result of a scan of a cassette's text.
  struct Scan {
    /// The whole text without the interactions; their list is empty here.
    var top: JSON
    /// The interactions before the first invalid one.
    var interactions: [Interaction] = []
    /// The error of the first invalid interaction; `nil` if there is none.
    var refusal: (any Error)?
  }

  /// A function that returns the body in a side file.
  typealias SideFile = (String) throws -> Body

  var parser: JSONParser
  let text: Data
  let source: String
  /// The path of an interaction that is not in a cassette; otherwise `nil`.
  let path: String?
  let sideFile: SideFile
  var pool: StringPool
  /// A buffer that collects fields, so that each list is allocated in its final size.
  var fields: [HeaderField] = []
  /// The previous URL, because the next one probably has the same origin.
  var lastURL: RequestURL?
  /// The previous list of request fields, response fields and trailers, with its range. The next
  /// list often has the same bytes.
  var lastHeaders: [(place: Range<Int>, fields: HeaderFields)?] = [nil, nil, nil]
  /// The name of the object being read, and its number in its list.
  var (part, index): (String, Int?) = ("", nil)
  /// The key whose value is being read, and its position.
  var (key, keyPlace) = ("", 0)
  /// The notes of the object being read.
  var notes: [JSON.Member] = []
  /// The body of the object being read.
  var content = BodyKeys()
  /// The notes of the parts, and the joined fields, of the interaction being read.
  var (innerNotes, joined): ([String: [JSON.Member]], [String]) = ([:], [])
  private(set) var scan = Scan(top: .null)

  private init(
    _ parser: JSONParser,
    _ text: Data,
    _ source: String,
    _ path: String?,
    _ sideFile: @escaping SideFile
  ) {
    (self.parser, self.text, self.source) = (parser, text, source)
    (self.path, self.sideFile) = (path, sideFile)
    // A single interaction repeats few fields.
    pool = StringPool(slots: path == nil ? 2048 : 16)
  }

  /// Scans a text; bodies share its memory.
  static func scan(
    _ text: Data,
    source: String,
    path: String? = nil,
    sideFile: @escaping SideFile
  ) throws(Failure) -> Scan {
    let outcome = text.withUnsafeBytes { raw -> Result<Scan, Failure> in
      let read = { (parser: inout JSONParser) throws(Failure) -> Scan in
        var scanner = CassetteScanner(parser, text, source, path, sideFile)
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
        let interaction = try interaction()
        scan.interactions.append(interaction)
      } catch {
        // Errors in the JSON are found again.
        parser = before
        try parser.skipValue()
        scan.refusal = error
      }
    } while try parser.goesOnInList()
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

extension Interaction {
  /// Reads an interaction in the format of a cassette. `sideFile` returns the body in a side file.
  ///
  /// - Throws: `FormatError` if it is invalid or, within a cassette, would be nested too deeply.
  package init(
    onCassette json: JSON,
    source: String,
    path: String,
    sideFile: @escaping (String) throws -> Body
  ) throws {
    let text = Data((["interactions": [json]] as JSON).bytes())
    let scan: CassetteScanner.Scan
    do throws(JSONParser.Failure) {
      scan = try CassetteScanner.scan(text, source: source, path: path, sideFile: sideFile)
    } catch {
      throw FormatError(source: source, place: path, problem: "not JSON: \(error.problem)")
    }
    if let refusal = scan.refusal { throw refusal }
    self = scan.interactions[0]
  }
}

extension Response {
  /// Reads the member `response` of an object in the format of a cassette, with its whole body
  /// inline.
  ///
  /// - Throws: `FormatError` if it is not a response or references a side file.
  package init(onCassette json: JSON, of object: ObjectReader) throws {
    let json: JSON = ["request": ["url": "/"], "response": json]
    let interaction = try Interaction(onCassette: json, source: object.source, path: object.path) {
      let problem = "\(JSON.text($0)) is a side file, but this is not in a cassette"
      throw object.error("response.file", problem)
    }
    self = interaction.response ?? Response()
  }
}
