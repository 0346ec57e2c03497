// HAR 1.2 as other tools read it, without loss of cassette data.
//
// The standard fields contain all data that HAR supports: bodies without content coding, texts as
// texts, and also lists of cookies and query parameters. All other data is in "_windtunnel":
//
//   { "log": { "version": "1.2", "creator": { "name": "windtunnel", … },
//       "_windtunnel": { "version": 1 },
//       "entries": [ { …, "_windtunnel": { "then": "repeat",
//           "failure": { "symptom": "truncated" } } } ] } }
//
// It contains members of an interaction in the cassette's format. Each replaces the data of the
// standard fields: "request" and "response" (without a body that is already correct), "failure",
// "timing" with its chunks, "messages", "then", "recordedAt", notes. The writer determines the
// necessary members itself: it reads the entry back like any HAR and writes every member that
// differs.
//
// The other non-standard keys are conventions of other tools. "_error" is the reason for a missing
// response. "_webSocketMessages" is Chrome's list. "_encoding" marks a request's text as base64,
// for which HAR has a field only in responses. Notes keep their position: the cassette's notes in
// "log", an interaction's in its entry, those in request, response and timing in theirs.
//
// A cassette contains dates only on request, but HAR requires one in each entry. An entry without a
// date begins at the end of the previous entry, and the first at the start of 1970.

public import Foundation

/// A cassette converted to a HAR file, without secrets, with warnings about lost data.
///
/// ```swift
/// try HARExport(cassette).data.write(to: file)
/// ```
public struct HARExport: Sendable, Hashable {
  /// The contents of the file.
  public let data: Data
  /// Warnings about data that redaction removed, one sentence each.
  public let warnings: [String]
  /// The number of interactions in the file.
  public let interactionCount: Int

  /// Converts a cassette to a HAR.
  ///
  /// - Parameters:
  ///   - cassette: The cassette to convert.
  ///   - keepingSecrets: Whether to keep the values of credentials, cookies and user info.
  ///   - redaction: Rules in addition to the default ones; ignored if secrets are kept.
  public init(
    _ cassette: Cassette,
    keepingSecrets: Bool = false,
    redaction: RedactionRules = .standard
  ) {
    let (cassette, leftOut) =
      keepingSecrets ? (cassette, []) : cassette.redacted(by: redaction)
    var writer = HAREntryWriter()
    let notes = cassette.notes.withoutHAR
    let head = JSON.members([
      "version": "1.2",
      "creator": ["name": "windtunnel", "version": .text("\(CassetteFormat.version)")],
      "_windtunnel": HARAddition.ofLog(notes),
    ])
    interactionCount = cassette.interactions.count
    let entries = cassette.interactions.map { writer.entry($0) }
    let plain = notes.filter { !HARAddition.isAmbiguous($0) }
    let log = JSON.object(head + plain + [JSON.Member("entries", .array(entries))])
    data = Data(JSON.object([JSON.Member("log", log)]).fileBytes())
    warnings = leftOut.map { "\($0); it is omitted." }
  }
}

extension Cassette {
  /// Returns a HAR of the cassette without secrets. ``HARExport`` also provides the warnings.
  public func har() -> Data { HARExport(self).data }
}
