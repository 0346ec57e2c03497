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
// - "content.text" is base64 by its "encoding"; another encoding is named. A request's body has no
//   such mark in the specification: "encoding", "_encoding", "_base64" and "_isBase64" are
//   understood. Where "text" and "params" stand together, the text wins.
// - A body that is only named by "_file", as Playwright attaches it, is missing.
// - Status 0 (or none) is a failure; its name comes from "_error" or "_failureText". A status and
//   such a text together are a cut answer, if the connection was at fault.
// - Some exporters write bytes as so many characters. Where no charset is named, a text is taken
//   for that if the length that is told says so; what is known to be UTF-8, only if it then is.
// - What a 304 shows as its body is the browser's cached copy; it is kept, and never played.
// - Of members with the same name the last counts, as in JavaScript.
// - Header fields come from "headers" alone; "cookies" and "queryString" say the same again.
// - "timings.wait" and "timings.receive" are the timing; what came before the request was sent
//   belongs to the connection. Entries are sorted by "startedDateTime"; equal dates keep the order
//   of the file, and an entry without a date stays behind the one in front of it.
// - Entries that no HTTP was spoken for ("data:", "blob:", tunnels), and entries with an error,
//   become no interactions.
// - A response whose body the exporter has lost is omitted if another entry has the same request,
//   the same status and a body; else it is empty, with the note "_bodyMissing".
// - "_webSocketMessages" are the messages. Other "_" keys of log, entry, request, response and
//   timings are notes, but for "_initiator", the call stack of a browser's page.
// - "_windtunnel" is ours (see ``HARExport``) and has the last word.
//
// Whatever is lost on the way is a warning. What comes out has passed the redaction of every
// write, so a HAR can be turned into a cassette without a look at its cookies.

public import Foundation

/// A HAR file converted to a cassette, without secrets, with warnings about what was lost.
///
/// ```swift
/// let har = try HARImport(Data(contentsOf: file), source: file.lastPathComponent)
/// for warning in har.warnings { print(warning) }
/// ```
public struct HARImport: Sendable, Hashable {
  /// The interactions, in the order of the requests' dates.
  public let cassette: Cassette
  /// The things that were left out, missing or changed, one sentence each: first those of the file,
  /// in its order, then those of the redaction.
  public let warnings: [String]

  /// Converts the bytes of a HAR.
  ///
  /// - Parameters:
  ///   - data: The bytes of the file.
  ///   - source: The name of the file in errors.
  ///   - keepingSecrets: True to keep the values of credentials, cookies and user info.
  ///   - redaction: Further rules of redaction, where secrets are not kept.
  /// - Throws: `FormatError` for bytes that are not a HAR. Oddities become warnings.
  public init(
    _ data: Data,
    source: String,
    keepingSecrets: Bool = false,
    redaction: RedactionRules = .standard
  ) throws(FormatError) {
    let log = try HARLog(data, source: source)
    var warnings = log.warnings
    var dated: [(date: Duration, interaction: Interaction)] = []
    var latest = Duration.zero
    var entries = try Self.entries(of: log, source: source)
    Self.settleLostBodies(of: &entries)
    for (var reader, read) in entries {
      latest = reader.date ?? latest
      if let reason = reader.whyOutside { reader.warn("\(reason); the entry is left out") }
      warnings += reader.warnings
      guard reader.whyOutside == nil, var interaction = read else { continue }
      if reader.lostBody != nil { interaction.noteMissingBody() }
      dated.append((latest, interaction))
    }
    var whole = Cassette(dated.stablySorted { $0.date < $1.date }.map(\.interaction))
    whole.notes = log.notes
    let leftOut: [String]
    (cassette, leftOut) = keepingSecrets ? (whole, []) : whole.redacted(by: redaction)
    self.warnings = warnings + leftOut.map { "\($0); it is left out." }
  }

  private typealias ReadEntry = (reader: HAREntryReader, read: Interaction?)

  /// Reads the entries.
  ///
  /// - Throws: The error of the first entry, if every entry has one.
  private static func entries(
    of log: HARLog,
    source: String
  ) throws(FormatError) -> [ReadEntry] {
    let entries = log.entries.enumerated().map { index, entry -> ReadEntry in
      var reader = HAREntryReader(source: source, index: index)
      let read = reader.completed(entry)
      return (reader, read)
    }
    let errors = entries.compactMap(\.reader.error)
    if let error = errors.first, errors.count == entries.count { throw error }
    return entries
  }

  /// Omits responses whose body is lost if another entry has it, and names the others.
  private static func settleLostBodies(of entries: inout [ReadEntry]) {
    var whole: [Interaction: Int] = [:]
    for (index, entry) in entries.enumerated() where entry.reader.lostBody == nil {
      guard entry.read?.response?.body.count ?? 0 > 0, let key = entry.read?.asked else { continue }
      whole[key] = whole[key] ?? index
    }
    for index in entries.indices {
      guard let lost = entries[index].reader.lostBody else { continue }
      if let other = entries[index].read.flatMap({ whole[$0.asked] }) {
        entries[index].reader.leaveOut("\(lost), and log.entries[\(other)] has one")
      } else {
        entries[index].reader.warn("\(lost); an empty one is played")
      }
    }
  }
}

extension Interaction {
  /// The request, without its fields, and the status of the response.
  fileprivate var asked: Interaction {
    let bare = Request(request.method, request.url, body: request.body)
    return Interaction(bare, Response(status: response?.status ?? 0))
  }
}

extension Cassette {
  /// Converts the bytes of a HAR and removes its secrets; ``HARImport`` has the warnings, too.
  public init(har data: Data, source: String) throws(FormatError) {
    self = try HARImport(data, source: source).cassette
  }
}

/// The outermost layers of a HAR, down to the list of its entries.
private struct HARLog {
  let entries: [JSON]
  let notes: [JSON.Member]
  private(set) var warnings: [String] = []

  init(_ data: Data, source: String) throws(FormatError) {
    func refusal(_ problem: String, fix: String? = nil) -> FormatError {
      FormatError(source: source, place: "", problem: "not a HAR: \(problem)", fix: fix)
    }
    guard data.count <= Cassette.fileBytesMax else {
      let problem = "it has \(data.count) bytes; at most \(Cassette.fileBytesMax) are read"
      throw FormatError(source: source, place: "", problem: problem)
    }
    guard !data.isEmpty else { throw refusal("there is nothing in it") }
    if let wrapping = HARWrapping(of: data) {
      throw refusal("it is \(wrapping.words)", fix: wrapping.fix)
    }
    let json = try JSON(parsing: data, source: source).withoutRepeats
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
        fix: isCassette ? "This is a cassette already." : nil
      )
    }
    guard case .object = log else { throw refusal("\"log\" is \(log.noun), not an object") }
    guard let list = log["entries"] else { throw refusal("\"log\" has no \"entries\"") }
    guard case .array(let entries) = list else {
      throw refusal("\"log.entries\" is \(list.noun), not a list")
    }
    self.entries = entries
    notes = try HARAddition.notes(ofLog: log, source: source)
    if let version = log["version"]?.spelled, !version.isEmpty, !version.hasPrefix("1.") {
      warnings.append("log: this is HAR version \(version.prefix(20)); it is read as 1.2.")
    }
  }
}

/// The packing or encoding of a file that is no HAR yet, by its first bytes.
private struct HARWrapping {
  let words: String
  let fix: String

  private init(_ words: String, _ fix: String) { (self.words, self.fix) = (words, fix) }

  /// `nil` for what may be a text in UTF-8.
  init?(of data: Data) {
    let mark = Self.marks.first { mark in
      data.count >= mark.bytes.count
        && zip(data, mark.bytes).allSatisfy { byte, wanted in
          wanted.map { $0 == byte } ?? (byte != 0)
        }
    }
    guard let mark else { return nil }
    self = mark.wrapping
  }

  private static let utf16 = Self("in UTF-16", "Save it in UTF-8 (RFC 8259 §8.1).")
  private static let utf32 = Self("in UTF-32", "Save it in UTF-8 (RFC 8259 §8.1).")
  private static let zlib = Self("packed with zlib", "Unpack it first.")
  // Playwright puts bodies into files beside the HAR in such an archive.
  private static let archive = Self(
    "a zip archive",
    "Record with content: 'embed', or unpack it, and convert the .har in it without bodies in other "
      + "files."
  )

  /// The narrower ones stand in front; `nil` is any byte but zero.
  private static let marks: [(bytes: [UInt8?], wrapping: Self)] = [
    ([0x1F, 0x8B], Self("packed with gzip", "Unpack it first.")),
    // RFC 1950 §2.2; one proxy exports such files.
    ([0x78, 0x01], zlib), ([0x78, 0x5E], zlib), ([0x78, 0x9C], zlib), ([0x78, 0xDA], zlib),
    // APPNOTE.TXT §4.3.7, and §4.3.16 for one with nothing in it.
    ([0x50, 0x4B, 3, 4], archive),
    ([0x50, 0x4B, 5, 6], Self("an empty zip archive", "Export it anew.")),
    ([0xFF, 0xFE, 0, 0], utf32), ([0, 0, 0xFE, 0xFF], utf32),
    ([0xFF, 0xFE], utf16), ([0xFE, 0xFF], utf16),
    // A JSON text begins with a character of ASCII, so zeros tell how wide one is.
    ([0, 0, 0, nil], utf32), ([nil, 0, 0, 0], utf32),
    ([0, nil, 0, nil], utf16), ([nil, 0, nil, 0], utf16),
  ]
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 10)
