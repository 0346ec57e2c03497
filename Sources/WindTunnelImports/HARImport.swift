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
// - Some exporters write bytes as so many characters. Where no charset is named, a text is taken for
//   that if the length that is told says so; what is known to be UTF-8, only if it then is.
// - What a 304 shows as its body is the browser's cached copy; it is kept, and never played.
// - Of members with the same name the last counts, as in JavaScript.
// - Header fields come from "headers" alone; "cookies" and "queryString" say the same again.
// - "timings.wait" and "timings.receive" are the timing; what came before the request was sent
//   belongs to the connection. Entries are sorted by "startedDateTime"; equal dates keep the order
//   of the file, and an entry without a date stays behind the one in front of it.
// - Entries that no HTTP was spoken for ("data:", "blob:", tunnels) become no interactions. With the
//   secrets kept they stand aside (see ``HARLogOverlay``).
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
    var around = keepingSecrets ? log.overlay : nil
    var dated: [(date: Duration, entry: JSON, interaction: Interaction?)] = []
    let isKeptAside = log.keepsAsides
    var latest = Duration.zero
    for (index, entry) in log.entries.enumerated() {
      var reader = HAREntryReader(source: source, index: index, attachments)
      let read = try reader.completed(entry)
      latest = reader.date ?? latest
      if let reason = reader.whyOutside {
        // Where the log brings its note with it, the entry stands in there.
        if keepingSecrets, isKeptAside { continue }
        let fate =
          around == nil ? "the entry is left out" : "it is kept for a HAR, and never played"
        reader.warn("\(reason); \(fate)")
      }
      warnings += reader.warnings
      guard var interaction = read else {
        dated.append((latest, entry, nil))
        continue
      }
      if keepingDates, interaction.recordedAt == nil, reader.date != nil {
        interaction.recordedAt = entry["startedDateTime"]?.stringValue
      }
      if keepingSecrets, !log.isOurs { interaction.keepOverlay(of: reader.including(entry)) }
      dated.append((latest, entry, interaction))
    }
    // Swift's sort keeps the order of equals, but does not promise to.
    let sorted = dated.enumerated().sorted {
      ($0.element.date, $0.offset) < ($1.element.date, $1.offset)
    }
    var whole = Cassette()
    for (_, (_, entry, interaction)) in sorted {
      if let interaction {
        whole.interactions.append(interaction)
      } else if let sound = HARSanitizer.object(entry, of: "entry") {
        around?.asides.append(.init(after: whole.interactions.count, entry: sound))
      }
    }
    whole.notes = log.notes + (around?.notes ?? [])
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
