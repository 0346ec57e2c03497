// HAR 1.2 as exporters actually write it, rather than as the specification requires.
//
// A HAR shows messages to people: content codings are decoded, chunks are joined, and texts are
// converted to UTF-8. A cassette is played to clients, so every message is converted back into a
// form that a client can read:
//
// - "Content-Encoding" is removed if the body was decoded, and kept if the body is still encoded
//   (some exporters keep the gzip bytes in base64). A text is encoded in the charset of its
//   "Content-Type". If that is impossible, the charset becomes UTF-8.
// - "Transfer-Encoding" and "Trailer" are removed. "Content-Length" replaces the first and is
//   recomputed. Responses without content (HEAD, 304) keep the length of the omitted content.
// - "content.text" is base64 if its "encoding" is; any other encoding is reported. The
//   specification has no such field for a request's body: "encoding", "_encoding", "_base64" and
//   "_isBase64" are supported. If both "text" and "params" are present, the text wins.
// - A body that is only referenced by "_file", as Playwright attaches it, is missing.
// - Status 0 (or none) is a failure; its name is in "_error" or "_failureText". A status together
//   with such a text is a truncated response, if the connection failed.
// - Some exporters write each byte as a character. Without a charset, a text is decoded that way if
//   it then has the announced length. Text in a UTF-8 type must then also be valid UTF-8.
// - The body of a 304 is the browser's cached copy; it is kept and never played.
// - Of several members with the same name the last wins, as in JavaScript.
// - Header fields are read from "headers" only; "cookies" and "queryString" repeat them.
// - "timings.wait" and "timings.receive" are the timing. Earlier phases belong to the connection.
//   Entries are sorted by "startedDateTime". Entries with equal dates keep the order of the file,
//   and an entry without a date stays after the previous one.
// - Entries without HTTP ("data:", "blob:", tunnels) and entries with an error are skipped.
// - A response whose body the exporter has lost is omitted if another entry has the same request,
//   the same status and a body. Otherwise it is empty, with the note "_bodyMissing".
// - "_webSocketMessages" are the messages. Other "_" keys of log, entry, request, response and
//   timings are notes, except "_initiator", which is the call stack of a browser's page.
// - "_windtunnel" is written by this project (see ``HARExport``) and overrides all other fields.
//
// Every loss causes a warning. The result is redacted like every written cassette, so a HAR can be
// converted to a cassette without checking its cookies.

public import Foundation

/// A HAR file converted to a cassette, without secrets, with warnings about lost data.
///
/// ```swift
/// let har = try HARImport(Data(contentsOf: file), source: file.lastPathComponent)
/// for warning in har.warnings { print(warning) }
/// ```
public struct HARImport: Sendable, Hashable {
  /// The interactions, in the order of the requests' dates.
  public let cassette: Cassette
  /// Warnings about omitted, missing or changed data, one sentence each: first about the file, in
  /// its order, then about redaction.
  public let warnings: [String]

  /// Converts the bytes of a HAR.
  ///
  /// - Parameters:
  ///   - data: The bytes of the file.
  ///   - source: The name of the file for errors.
  ///   - keepingSecrets: Whether to keep the values of credentials, cookies and user info.
  ///   - redaction: Rules in addition to the default ones; ignored if secrets are kept.
  /// - Throws: `FormatError` if the bytes are not a HAR. Deviations from the specification cause
  ///   warnings.
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
      if let reason = reader.whyOutside { reader.warn("\(reason); the entry is omitted") }
      warnings += reader.warnings
      guard reader.whyOutside == nil, var interaction = read else { continue }
      if reader.lostBody != nil { interaction.noteMissingBody() }
      dated.append((latest, interaction))
    }
    var whole = Cassette(dated.stablySorted { $0.date < $1.date }.map(\.interaction))
    whole.notes = log.notes
    let leftOut: [String]
    (cassette, leftOut) = keepingSecrets ? (whole, []) : whole.redacted(by: redaction)
    self.warnings = warnings + leftOut.map { "\($0); it is omitted." }
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

  /// Omits responses with a lost body if another entry has the body, and adds a warning to the
  /// others.
  private static func settleLostBodies(of entries: inout [ReadEntry]) {
    var whole: [Interaction: Int] = [:]
    for (index, entry) in entries.enumerated() where entry.reader.lostBody == nil {
      guard entry.read?.response?.body.count ?? 0 > 0, let key = entry.read?.asked else { continue }
      whole[key] = whole[key] ?? index
    }
    for index in entries.indices {
      guard let lost = entries[index].reader.lostBody else { continue }
      if let other = entries[index].read.flatMap({ whole[$0.asked] }) {
        entries[index].reader.leaveOut("\(lost), but log.entries[\(other)] has one")
      } else {
        entries[index].reader.warn("\(lost); an empty one is played")
      }
    }
  }
}

extension Interaction {
  /// The request without its fields, and the status of the response.
  fileprivate var asked: Interaction {
    let bare = Request(request.method, request.url, body: request.body)
    return Interaction(bare, Response(status: response?.status ?? 0))
  }
}

extension Cassette {
  /// Converts the bytes of a HAR and removes its secrets. ``HARImport`` also provides the warnings.
  public init(har data: Data, source: String) throws(FormatError) {
    self = try HARImport(data, source: source).cassette
  }
}

/// The outer objects of a HAR, down to the list of its entries.
private struct HARLog {
  let entries: [JSON]
  let notes: [JSON.Member]
  private(set) var warnings: [String] = []

  init(_ data: Data, source: String) throws(FormatError) {
    func refusal(_ problem: String, fix: String? = nil) -> FormatError {
      FormatError(source: source, place: "", problem: "not a HAR: \(problem)", fix: fix)
    }
    guard data.count <= Cassette.fileBytesMax else {
      let problem = "it has \(data.count) bytes; the maximum is \(Cassette.fileBytesMax)"
      throw FormatError(source: source, place: "", problem: problem)
    }
    guard !data.isEmpty else { throw refusal("it is empty") }
    if let wrapping = HARWrapping(of: data) {
      throw refusal("it is \(wrapping.words)", fix: wrapping.fix)
    }
    let json = try JSON(parsing: data, source: source).withoutRepeats
    guard case .object(let members) = json else {
      throw refusal("expected { \"log\": … }, found \(json.noun)")
    }
    guard let log = json["log"] else {
      let names = members.prefix(3).map { "\"\($0.name.value.prefix(40))\"" }
      let more = members.count > names.count ? ", …" : ""
      let found = names.isEmpty ? "nothing" : names.joined(separator: ", ") + more
      let isCassette = json["windtunnel"] != nil
      throw refusal(
        "the key \"log\" is missing, there is \(found)",
        fix: isCassette ? "This is already a cassette." : nil
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

/// The compression or encoding of a file that must be unpacked before it is a HAR, detected by its
/// first bytes.
private struct HARWrapping {
  let words: String
  let fix: String

  private init(_ words: String, _ fix: String) { (self.words, self.fix) = (words, fix) }

  /// Creates a description of the packing; `nil` if the file may be UTF-8 text.
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
  // In such an archive, Playwright stores bodies in files next to the HAR.
  private static let archive = Self(
    "a zip archive",
    "Record with content: 'embed', or unpack it, and convert the .har in it without bodies in other "
      + "files."
  )

  /// The longer patterns come first; `nil` matches any byte except zero.
  private static let marks: [(bytes: [UInt8?], wrapping: Self)] = [
    ([0x1F, 0x8B], Self("packed with gzip", "Unpack it first.")),
    // Zlib headers (RFC 1950 §2.2); one proxy exports such files.
    ([0x78, 0x01], zlib), ([0x78, 0x5E], zlib), ([0x78, 0x9C], zlib), ([0x78, 0xDA], zlib),
    // Zip signatures (APPNOTE.TXT §4.3.7; §4.3.16 for an empty archive).
    ([0x50, 0x4B, 3, 4], archive),
    ([0x50, 0x4B, 5, 6], Self("an empty zip archive", "Export it again.")),
    ([0xFF, 0xFE, 0, 0], utf32), ([0, 0, 0xFE, 0xFF], utf32),
    ([0xFF, 0xFE], utf16), ([0xFE, 0xFF], utf16),
    // A JSON text begins with an ASCII character, so the zeros reveal the width of a code unit.
    ([0, 0, 0, nil], utf32), ([nil, 0, 0, 0], utf32),
    ([0, nil, 0, nil], utf16), ([nil, 0, nil, 0], utf16),
  ]
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 10)
