internal import WindTunnelSymptoms

/// A contradiction in a valid cassette that no server would have sent.
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
  /// Properties of the cassette that may surprise a client: bodies lost before the import, absolute
  /// URLs, and keys that are not played yet.
  package var remarks: [String] {
    zip(1..., interactions).filter { $1.lacksBody }.map { number, _ in
      "#\(number): the imported file lacked the body; an empty body is played"
    } + [absoluteURLs].compactMap(\.self) + unplayed
  }

  /// Sentences without a full stop, one for each kind of content that is not played yet.
  package var unplayed: [String] {
    let all = zip(1..., interactions).flatMap { number, one in one.unplayed.map { ($0, number) } }
    return Dictionary(grouping: all, by: \.0).map { words, rows in
      (rows[0].1, "\(words): #\(rows[0].1)" + (rows.count > 1 ? " and \(rows.count - 1) more" : ""))
    }.sorted { $0 < $1 }.map(\.1)
  }

  /// A sentence about absolute URLs in JSON bodies; `nil` if there are none.
  ///
  /// Such URLs lead a client to the recorded origin instead of the server that plays the cassette.
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
      + "follow to that origin; serve --rewrite-urls redirects them"
  }

  /// The contradictions in the cassette: lengths and codings that do not match the bodies, and
  /// content where HTTP allows none.
  ///
  /// A handwritten cassette with flaws still plays, because responses are made consistent before
  /// they are played. In a recorded cassette, flaws show that it was edited.
  public var flaws: [CassetteFlaw] {
    zip(1..., interactions).flatMap { number, interaction in
      interaction.problems.map { CassetteFlaw(number: number, problem: $0) }
    }
  }
}

extension Interaction {
  /// Sentences without a full stop, one for each part that is kept but not played yet.
  package var unplayed: [String] {
    // Fast path: most interactions have no notes, and each is checked when a cassette is loaded.
    if notes.isEmpty, innerNotes.isEmpty { return [] }
    func note(_ key: String, _ place: String? = nil) -> JSON? {
      (place.map { innerNotes[$0] ?? [] } ?? notes).first { $0.name.value == key }?.value
    }
    let parts = [
      ("protocol", note("protocol")), ("key trailersOnly", note("trailersOnly", "response")),
      ("stream failure", note("stream", "failure")),
    ]
    return parts.filter { ![nil, false, "HTTP/1.1"].contains($0.1) }.map { words, value in
      "the \(words)\(value?.stringValue.map { " \($0)" } ?? "") cannot be played yet"
    }
  }

  private static let bodyMissing = JSON.Member("_bodyMissing", true)

  /// Notes that the response had a body that the imported file lacks.
  package mutating func noteMissingBody() {
    if !lacksBody { innerNotes["response", default: []].append(Self.bodyMissing) }
  }

  fileprivate var lacksBody: Bool {
    response?.body.count == 0 && innerNotes["response"]?.contains(Self.bodyMissing) == true
  }

  fileprivate var problems: [String] {
    var problems = Self.problems("request", request.headers, request.body)
    // Earlier recorders recorded this as a failure of the origin.
    if failure?.text?.contains(FileShortage.words) == true {
      problems.append(
        "the recorder itself failed because it had too many open files; record it again"
      )
    }
    // Handwritten failures have no text.
    if let failure, failure.symptom == .malformedResponse, let text = failure.text {
      let part = self.response == nil ? "not recorded" : "recorded in part"
      problems.append("the response was \(part), because it is malformed: \(text)")
    }
    guard let response else { return problems }
    let isWhole = failure == nil
    if Response.hasNoContent(method: request.method, status: response.status) {
      // The length is that of the response to a GET (RFC 9110 §9.3.2).
      guard response.body.count > 0 else { return problems }
      // The body of a 304 is the client's cached copy, which a browser's HAR contains.
      if response.status == 304, request.method != "HEAD" { return problems }
      problems.append(
        "the response has \(response.body.count) bytes, but \(request.method) with status "
          + "\(response.status) has none (RFC 9110, section 6.4.1)"
      )
    } else if isWhole {
      problems += Self.problems("response", response.headers, response.body)
    }
    return problems
  }

  private static func problems(_ noun: String, _ headers: HeaderFields, _ body: Body) -> [String] {
    var problems: [String] = []
    let lengths = Set(headers.elements("Content-Length").map { Int($0)?.description ?? "\($0)" })
    if let length = headers["Content-Length"], lengths.count < 2,
      headers.contentLength != body.count
    {
      // A body that the player compresses has the length that the local zlib produces.
      if !headers.haveFreeGzip || GzipForm.of(body.data) == nil {
        problems.append(
          "the \(noun)'s Content-Length is \(length), but its body has \(body.count) bytes; remove "
            + "the field to have it computed"
        )
      }
    } else if lengths.count > 1 {
      problems.append("the \(noun) has \(lengths.count) different Content-Lengths")
    }
    let coding = headers.values("Content-Encoding").joined(separator: ", ").lowercased()
    let opened = Inflate.opened(body.data, coding: coding)
    let isClosed = coding.listElements.contains { !Inflate.codings.contains(String($0)) }
    if body.count > 0, Inflate.isThere, !(opened?.isAsLabelled ?? isClosed) {
      problems.append("the \(noun)'s body is not \(coding), as its Content-Encoding claims")
    }
    return problems
  }
}
