// HAR 1.2 as other tools read it, with nothing of the cassette lost.
//
// The standard fields say what they can: bodies with their content coding opened, texts as texts,
// cookies and query strings once more as lists. What they cannot say stands in "_windtunnel":
//
//   { "log": { "version": "1.2", "creator": { "name": "windtunnel", … },
//       "_windtunnel": { "version": 1 },
//       "entries": [ { …, "_windtunnel": { "then": "repeat",
//           "failure": { "symptom": "truncated" } } } ] } }
//
// It holds members of an interaction in the cassette's own words, and each takes the place of what
// the standard fields say: "request" and "response" (without their body where that is right
// already), "failure", "timing" with its chunks, "messages", "then", "recordedAt", notes. Which of
// them are needed nobody has to know: the entry is read back the way every HAR is read, and what
// is not as it was is written.
//
// Other keys of ours are those that others have chosen before: "_error" tells why there is no
// answer, "_webSocketMessages" are Chrome's, and "_encoding" says that a request's text is base64,
// for which HAR has a field in answers alone. Notes stand where they stood: those of the cassette
// in "log", of an interaction in its entry, of request, response and timing in theirs.
//
// A cassette knows no dates unless somebody asked for them, and HAR demands one of each entry. An
// entry without a date begins when the one in front of it ended, the first one with the year 1970.

public import Foundation

/// A cassette converted to a HAR file, without secrets, with warnings about what was lost.
///
/// ```swift
/// try HARExport(cassette).data.write(to: file)
/// ```
public struct HARExport: Sendable, Hashable {
  /// The contents of the file.
  public let data: Data
  /// The things that redaction left out, one sentence each.
  public let warnings: [String]
  /// The number of interactions in it.
  public let interactionCount: Int

  /// Converts a cassette to a HAR.
  ///
  /// - Parameters:
  ///   - cassette: The cassette to convert.
  ///   - keepingSecrets: True to keep the values of credentials, cookies and user info.
  ///   - redaction: Further rules of redaction, where secrets are not kept.
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
    warnings = leftOut.map { "\($0); it is left out." }
  }
}

extension Cassette {
  /// Returns a HAR of the cassette without secrets; ``HARExport`` has the warnings, too.
  public func har() -> Data { HARExport(self).data }
}
