// HAR 1.2 as its exporters write it, not as the specification wishes.
//
// A HAR shows messages to people: content codings are opened, chunks joined, texts turned into
// UTF-8. A cassette is played to clients, so every message is put back into a state that a client
// can read:
//
// - "Content-Encoding" goes where the body was opened, and stays where a body is still wrapped
//   (some exporters keep the gzip bytes in base64). A text is written in the charset that its
//   "Content-Type" announces, and where that cannot be done, the charset becomes UTF-8.
// - "Transfer-Encoding" and "Trailer" go; "Content-Length" takes the place of the first and is
//   counted anew. Answers without content (HEAD, 304) keep the length of what they stand for.
// - "content.text" is base64 if "encoding" says so; any other encoding is no encoding. A request's
//   body has no such mark in the specification: "encoding", "_encoding", "_base64" and "_isBase64"
//   are understood. Where "text" and "params" stand together, the text wins.
// - A body that is only named by "_file" is read from the HAR's folder, where that is known.
// - Status 0 (or none) is a failure; its name comes from "_error" or "_failureText". A status and
//   such a text together are a cut answer, if the connection was at fault.
// - Header fields come from "headers" alone; "cookies" and "queryString" say the same again.
// - "timings.wait" and "timings.receive" are the timing; what came before the request was sent
//   belongs to the connection. Entries are sorted by "startedDateTime"; equal dates keep the order
//   of the file, and an entry without a date stays behind the one in front of it.
// - "_webSocketMessages" are the messages. Other "_" keys of log, entry, request, response and
//   timings are notes, but for "_initiator", the call stack of a browser's page.
// - "_windtunnel" is ours (see ``HARExport``) and has the last word.
//
// Whatever is lost on the way is a warning. What comes out has passed the redaction of every
// write, so a HAR can be turned into a cassette without a look at its cookies.

public import Foundation

/// A HAR file turned into a cassette, without secrets, and what was lost on the way.
public struct HARImport: Sendable, Hashable {
  /// What was said, in the order of the requests' dates.
  public let cassette: Cassette
  /// What was left out, missing or changed, one sentence each: first what
  /// the file lacks, in its order, then what the redaction left out.
  public let warnings: [String]

  /// Reads a HAR's bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes of the file.
  ///   - source: What errors call it.
  ///   - keepingDates: Whether interactions keep the dates of their entries.
  ///   - keepingSecrets: Whether the values of credentials, cookies and user info stay, and with
  ///     them, as a note, whatever only a HAR says.
  ///   - attachments: Where bodies are that the HAR only names, as Playwright does.
  ///   - redaction: What is taken out beside what always is, where secrets do not stay.
  /// - Throws: `FormatError` for what is no HAR. What is merely odd becomes a warning.
  public init(
    _ data: Data,
    source: String,
    keepingDates: Bool = false,
    keepingSecrets: Bool = false,
    attachments: HARAttachments = .none,
    redaction: RedactionRules = .standard
  ) throws(FormatError) {
    let log = try HARLog(data, source: source)
    var warnings = log.warnings
    var dated: [(date: Duration, interaction: Interaction)] = []
    var latest = Duration.zero
    for (index, entry) in log.entries.enumerated() {
      var reader = HAREntryReader(source: source, index: index, attachments)
      let read = try reader.completed(entry)
      warnings += reader.warnings
      latest = reader.date ?? latest
      guard var interaction = read else { continue }
      if keepingDates, interaction.recordedAt == nil, reader.date != nil {
        interaction.recordedAt = entry["startedDateTime"]?.stringValue
      }
      if keepingSecrets, !log.isOurs { interaction.keepOverlay(of: entry) }
      dated.append((latest, interaction))
    }
    // Swift's sort keeps the order of equals, but does not promise to.
    let sorted = dated.enumerated().sorted {
      ($0.element.date, $0.offset) < ($1.element.date, $1.offset)
    }
    var whole = Cassette(sorted.map(\.element.interaction))
    whole.notes = log.notes
    if keepingSecrets { whole.notes += log.overlay }
    let leftOut: [String]
    (cassette, leftOut) =
      keepingSecrets ? (whole, []) : whole.withoutOverlays.redacted(by: redaction)
    self.warnings = warnings + leftOut.map { "\($0); it is left out." }
  }
}

extension Cassette {
  /// Reads a HAR's bytes and takes its secrets out; ``HARImport`` tells what was lost on the way.
  public init(har data: Data, source: String) throws(FormatError) {
    self = try HARImport(data, source: source).cassette
  }
}

/// The outermost layers of a HAR, down to the list of its entries.
private struct HARLog {
  let entries: [JSON]
  let notes: [JSON.Member]
  /// Whether it was written here; then it says itself what it cannot say.
  let isOurs: Bool
  /// What the log says beside that, as a note; none in one that was written here.
  let overlay: [JSON.Member]
  var warnings: [String] = []

  init(_ data: Data, source: String) throws(FormatError) {
    func refusal(_ problem: String, remedy: String? = nil) -> FormatError {
      FormatError(source: source, place: "", problem: "not a HAR: \(problem)", remedy: remedy)
    }
    guard data.count <= Cassette.fileBytesMax else {
      let problem = "it has \(data.count) bytes; at most \(Cassette.fileBytesMax) are read"
      throw FormatError(source: source, place: "", problem: problem)
    }
    switch [UInt8](data.prefix(2)) {
    case []: throw refusal("there is nothing in it")
    case [0x1F, 0x8B]: throw refusal("it is packed with gzip", remedy: "Unpack it first.")
    // RFC 1950 §2.2; one proxy exports such files.
    case [0x78, 0x01], [0x78, 0x5E], [0x78, 0x9C], [0x78, 0xDA]:
      throw refusal("it is packed with zlib", remedy: "Unpack it first.")
    case [0xFF, 0xFE], [0xFE, 0xFF]:
      throw refusal("it is in UTF-16", remedy: "Save it in UTF-8 (RFC 8259 §8.1).")
    default: break
    }
    let json = try JSON(parsing: data, source: source)
    guard case .object(let members) = json else {
      throw refusal("\(json.noun) stands where { \"log\": … } should")
    }
    guard let log = json["log"] else {
      let names = members.prefix(3).map { "\"\($0.name.value.prefix(40))\"" }
      let more = members.count > names.count ? ", …" : ""
      let found = names.isEmpty ? "nothing" : names.joined(separator: ", ") + more
      let isCassette = json["windtunnel"] != nil
      throw refusal(
        "the key \"log\" is missing, there is \(found)",
        remedy: isCassette ? "This is a cassette already." : nil
      )
    }
    guard case .object = log else { throw refusal("\"log\" is \(log.noun), not an object") }
    guard let list = log["entries"] else {
      throw refusal("\"log\" has no \"entries\"")
    }
    guard case .array(let entries) = list else {
      throw refusal("\"log.entries\" is \(list.noun), not a list")
    }
    self.entries = entries
    notes = try HARAddition.notes(ofLog: log, source: source)
    isOurs = log.present(HARAddition.key) != nil
    let names = Set(notes.map(\.name.value)).union(["entries", HARAddition.key])
    let rest = HAROverlay.removing(names, from: log)
    let isNoted = isOurs || names.contains(HAROverlay.key.value)
    let difference =
      isNoted ? nil : HAROverlay.difference(rest, from: ["version": "1.2"], as: "log")
    overlay = difference.map { [JSON.Member(HAROverlay.key, $0)] } ?? []
    if let version = log["version"]?.spelled, !version.isEmpty, !version.hasPrefix("1.") {
      warnings.append("log: this is HAR version \(version.prefix(20)); it is read as 1.2.")
    }
  }
}

extension JSON {
  /// What this is, for a sentence that finds it in a wrong place.
  fileprivate var noun: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// The member of a name, if it is there and not null.
  func present(_ name: String) -> JSON? {
    let value = self[name]
    return value == .null ? nil : value
  }

  /// A string, or a number or word as it is spelled; `nil` for anything else.
  var spelled: String? {
    switch self {
    case .string(let text): text.value
    case .number(let digits): digits
    case .bool(let flag): flag ? "true" : "false"
    case .null, .array, .object: nil
    }
  }

  /// A number, be it fractional or written as a string, without its fraction.
  var wholeValue: Int? {
    // Within these bounds the conversion is exact.
    guard let number = spelled.flatMap({ Double($0) }), number.magnitude < 1e15 else { return nil }
    return Int(number)
  }

  /// The elements, if this is a list.
  var elements: [JSON] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }
}
