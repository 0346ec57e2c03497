internal import WindTunnelSymptoms

/// A contradiction on a cassette that can be parsed, but that no server would have sent.
public struct CassetteFlaw: Sendable, Hashable, CustomStringConvertible {
  /// The number of the interaction, from 1.
  public var number: Int
  /// The flaw, as a sentence without its full stop.
  public var problem: String

  /// The number and the flaw: `#3: the body is no gzip, which its Content-Encoding says it is`.
  public var description: String { "#\(number): \(problem)" }

  /// The flaw as JSON, for programs.
  public var json: JSON { ["interaction": .number(number), "problem": .text(problem)] }
}

extension Cassette {
  /// Properties of the cassette that surprise a client: bodies that were lost before the import,
  /// absolute URLs, and keys that are not played yet.
  package var remarks: [String] {
    zip(1..., interactions).filter { $1.lacksBody }.map { number, _ in
      "#\(number): the imported file lacked the body; an empty one is played"
    } + [absoluteURLs].compactMap(\.self) + unplayed
  }

  /// A sentence without its full stop for each kind of content that is not played yet.
  package var unplayed: [String] {
    let all = zip(1..., interactions).flatMap { number, one in one.unplayed.map { ($0, number) } }
    return Dictionary(grouping: all, by: \.0).map { words, rows in
      (rows[0].1, "\(words): #\(rows[0].1)" + (rows.count > 1 ? " and \(rows.count - 1) more" : ""))
    }.sorted { $0 < $1 }.map(\.1)
  }

  /// The absolute URLs in JSON bodies that lead a client to the recorded origin and not to the
  /// server that plays it, in a sentence; `nil` if there are none.
  package var absoluteURLs: String? {
    guard let origin = RequestURL.mostFrequentOrigin(of: interactions.map(\.request))?.origin else {
      return nil
    }
    let count = interactions.reduce(0) { sum, interaction in
      var interaction = interaction
      return sum + interaction.replaceURLs(OriginURLs([origin]))
    }
    guard count > 0 else { return nil }
    return
      "\(count) absolute URL\(count == 1 ? "" : "s") of \(origin) in JSON bodies, which clients "
      + "follow to that origin; serve --rewrite-urls leads them back"
  }

  /// The contradictions on the cassette: lengths and codings that the bodies do not have, and
  /// content where there can be none. A cassette written by hand plays with these all the same,
  /// since an answer is made consistent before it is played; on a recorded one they show that it
  /// was edited.
  public var flaws: [CassetteFlaw] {
    zip(1..., interactions).flatMap { number, interaction in
      interaction.problems.map { CassetteFlaw(number: number, problem: $0) }
    }
  }
}

extension Interaction {
  /// A sentence without its full stop for each part that is kept but not played yet.
  package var unplayed: [String] {
    // Most have no notes, and each is asked when a cassette is loaded.
    if notes.isEmpty, innerNotes.isEmpty { return [] }
    func note(_ key: String, _ place: String? = nil) -> JSON? {
      (place.map { innerNotes[$0] ?? [] } ?? notes).first { $0.name.value == key }?.value
    }
    let parts = [
      ("protocol", note("protocol")), ("key trailersOnly", note("trailersOnly", "response")),
      ("stream failure", note("stream", "failure")),
    ]
    return parts.filter { ![nil, false, "HTTP/1.1"].contains($0.1) }.map { words, value in
      "the \(words)\(value?.stringValue.map { " \($0)" } ?? "") is not played yet"
    }
  }

  private static let bodyMissing = JSON.Member("_bodyMissing", true)

  /// Notes that the response had a body, which the file that it was imported from does not have.
  package mutating func noteMissingBody() {
    if !lacksBody { innerNotes["response", default: []].append(Self.bodyMissing) }
  }

  fileprivate var lacksBody: Bool {
    response?.body.count == 0 && innerNotes["response"]?.contains(Self.bodyMissing) == true
  }

  fileprivate var problems: [String] {
    var problems = Self.problems("request", request.headers, request.body)
    // Recorders before this one took it for the origin's.
    if failure?.text?.contains(FileShortage.words) == true {
      problems.append(
        "the failure is the recorder's own, which had too many open files; record it again"
      )
    }
    // By hand a failure has no text.
    if let failure, failure.symptom == .malformedResponse, let text = failure.text {
      problems.append("the response was not recorded, since it is malformed: \(text)")
    }
    guard let response else { return problems }
    let isWhole = failure == nil
    if Response.hasNoContent(method: request.method, status: response.status) {
      // RFC 9110 §9.3.2: a length is that of the answer to a GET.
      guard response.body.count > 0 else { return problems }
      // What stands with a 304 is the client's cached copy, which a browser's HAR shows as its
      // body.
      if response.status == 304, request.method != "HEAD" { return problems }
      problems.append(
        "the response has \(response.body.count) bytes, and \(request.method) with status "
          + "\(response.status) brings none (RFC 9110, section 6.4.1)"
      )
    } else if isWhole {
      problems += Self.problems("response", response.headers, response.body)
    }
    return problems
  }

  private static func problems(_ noun: String, _ headers: HeaderFields, _ body: Body) -> [String] {
    var problems: [String] = []
    let lengths = Set(headers.values("Content-Length"))
    if let length = lengths.first, lengths.count == 1, length != String(body.count) {
      // What is put into gzip for a player has the length that this machine's zlib gives it.
      if !headers.haveFreeGzip || GzipForm.of(body.data) == nil {
        problems.append(
          "the \(noun)'s Content-Length says \(length), and its body has \(body.count) bytes; "
            + "remove the field, and a player works it out"
        )
      }
    } else if lengths.count > 1 {
      problems.append("the \(noun) has \(lengths.count) different Content-Lengths")
    }
    let coding = headers.values("Content-Encoding").joined(separator: ", ").lowercased()
    let opened = Inflate.opened(body.data, coding: coding)
    let isClosed = coding.listElements.contains { !Inflate.codings.contains(String($0)) }
    if body.count > 0, Inflate.isThere, !(opened?.isAsLabelled ?? isClosed) {
      problems.append("the \(noun)'s body is no \(coding), which its Content-Encoding says it is")
    }
    return problems
  }
}
