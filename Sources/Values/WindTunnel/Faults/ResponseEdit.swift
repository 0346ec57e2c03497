internal import Foundation
internal import WindTunnelSymptoms

/// A change to a response that leaves it well-formed, or nearly so.
public enum ResponseEdit: Sendable, Hashable {
  /// Another body, with its own length.
  case body(Content)
  /// Another `Content-Type`, regardless of the body.
  case contentType(String)
  /// A `Content-Encoding` that is not the body's coding.
  case contentEncoding(Coding)
  /// The previous recording, if there is one, with an `Age` in seconds (RFC 9111 §5.1).
  case stale(seconds: Int)
  /// A version of the body, from 1, with its own `ETag`, and in parts if the client requests a
  /// `Range`.
  ///
  /// Version 1 is the recorded body, and each later one differs from it in letters and digits. If a
  /// response has several versions, the last one counts.
  case version(Int)
  /// A number of additional fields.
  case moreFields(Int)
  /// The names of all fields in lower case, as a proxy sends them that uses HTTP/2 to its origin
  /// (RFC 9110 §5.1: names are case-insensitive).
  case lowercaseFieldNames
  /// An additional field with a number of bytes.
  case longField(bytes: Int)
  /// A number of `103 Early Hints` responses before the final response (RFC 8297).
  case interimResponses(Int)
  /// White space without an end after the body, in chunks.
  ///
  /// A server stops after this number of bytes of the body, and never sends the last chunk.
  case endlessBody(bytes: Int)
  /// An empty JSON array that decompresses to this number of bytes (a decompression bomb).
  ///
  /// The gzip data has a thousandth of that size. It is only sent to a client that accepts gzip.
  case gzipBomb(bytes: Int)
  /// The body of another recording, by its number from 1, with its `Content-Type`.
  ///
  /// A content coding is removed if it can be decoded.
  case bodyOf(recording: Int)

  /// A body instead of the recorded one.
  public enum Content: String, Sendable, Hashable, CaseIterable {
    /// The recorded content twice in a row.
    case duplicated
    /// The recorded content and a megabyte of white space, which JSON and most texts ignore.
    case large
    /// A body without content.
    case empty
    /// The recorded content followed by bytes that are not UTF-8.
    case invalidUTF8
    /// The recorded content followed by a closing bracket, which makes JSON invalid.
    case invalidJSON
    /// The first half of a stream's events, rounded down, and then an event that reports a failure
    /// of the server.
    ///
    /// The stream ends with that event.
    case errorEvent
    /// The recorded server-sent events with a request to reconnect at once (`retry: 0`, WHATWG HTML
    /// §9.2.6).
    ///
    /// All `retry` cases have the field in the first line and in each recorded `retry`.
    case retryZero
    /// The events with `retry: -1`, which is an invalid number and must be ignored.
    case retryNegative
    /// The events with `retry: 99999999999999999999`, a number that no 64-bit integer can store.
    case retryHuge
    /// The events with `retry: soon`, which must be ignored.
    case retryGarbage
    /// The recorded server-sent events without their `id`, except the first.
    ///
    /// A client that reconnects receives all events after the first again.
    case missingEventIDs
    /// The recorded server-sent events with an empty `id` each, except the first.
    ///
    /// The client then has no last event ID, and receives the whole stream again when it
    /// reconnects.
    case emptyEventIDs
  }

  /// A content coding that is declared for a body.
  public enum Coding: String, Sendable, Hashable, CaseIterable {
    /// The coding `gzip` (RFC 9110 §8.4.1.3).
    case gzip
    /// The coding `deflate` (RFC 9110 §8.4.1.2).
    case deflate
    /// A coding that does not exist.
    case unknown
  }

  /// The error type in the event that replaces other events.
  package static let errorWord = "overloaded_error"
  /// The number of bytes of white space after a body that is enlarged.
  static let fillerBytes = 1 << 20
  /// The maximum number of fields that are added.
  public static let fieldsMax = 100_000
  /// The maximum length of a field, in bytes.
  public static let fieldBytesMax = 16 << 20
  /// The maximum number of interim responses.
  public static let interimResponsesMax = 10_000
  /// The maximum number of bytes of an endless body, or of decompressed gzip content.
  public static let bodyBytesMax = 1 << 30
  /// The maximum number of these bytes in process, where a client that stores a whole body is in
  /// the test's own process.
  static let inProcessBodyBytesMax = 16 << 20
  /// The size of the parts of an endless body.
  static let pieceBytes = 1 << 20
  /// The maximum field length of libcurl: `CURL_MAX_HTTP_HEADER`. In process, a longer field is an
  /// error as well.
  static let clientFieldBytesMax = 100 * 1024

  /// Whether the client still receives the recorded response, so that the recording is used up.
  var passesAnswer: Bool {
    switch self {
    case .moreFields, .lowercaseFieldNames, .interimResponses, .version: true
    case .body, .contentType, .contentEncoding, .stale, .longField, .endlessBody, .gzipBomb,
      .bodyOf:
      false
    }
  }

  /// Whether the client may mistake the response for the recorded one.
  var misleads: Bool {
    if case .version(let number) = self { number > 1 } else { !passesAnswer }
  }

  /// The catalogue's entries, one for each case except ``otherBodyKind``.
  static let kinds =
    Content.allCases.map { content in
      FaultKind("body-\(FaultKind.dashed(content.rawValue))", .http, .alter(.body(content)))
    }
    + [
      FaultKind("content-type", .http, .alter(.contentType("text/html"))),
      FaultKind("stale", .http, .alter(.stale(seconds: 86_400))),
      FaultKind("version", .http, .alter(.version(2))),
      FaultKind("many-fields", .http, .alter(.moreFields(1000))),
      FaultKind("lowercase-field-names", .http, .alter(.lowercaseFieldNames)),
      FaultKind("huge-field", .http, .alter(.longField(bytes: 600_000))),
      FaultKind("interim-responses", .http, .alter(.interimResponses(100))),
      FaultKind("endless-body", .http, .alter(.endlessBody(bytes: 100))),
      FaultKind("gzip-bomb", .http, .alter(.gzipBomb(bytes: 1000))),
    ]
    + Coding.allCases.map { coding in
      FaultKind("content-encoding-\(coding.rawValue)", .http, .alter(.contentEncoding(coding)))
    }

  /// The catalogue's entry of ``bodyOf(recording:)``, which follows all others of its kind.
  static let otherBodyKind = FaultKind("body-of", .http, .alter(.bodyOf(recording: 2)))

  /// The results of the edit in clients.
  var expected: FaultExpectation {
    switch self {
    case .body, .contentType, .stale, .version, .moreFields, .lowercaseFieldNames,
      .interimResponses, .gzipBomb, .bodyOf:
      FaultExpectation(200)
    case .endlessBody: FaultExpectation(.truncated, apple: .connectionLost, 18)
    case .contentEncoding: FaultExpectation(.undecodableBody, apple: .undecodableBody, 61)
    case .longField: FaultExpectation(.malformedResponse, apple: .malformedResponse, 27, 56)
    }
  }

  /// The spellings of field names in a scenario's file.
  fileprivate static let fieldNames: [(word: String, value: ResponseEdit)] = [
    ("lowercase", .lowercaseFieldNames)
  ]

  var json: JSON {
    switch self {
    case .body(let content): ["body": .text(content.rawValue)]
    case .contentType(let type): ["contentType": .text(type)]
    case .contentEncoding(let coding): ["contentEncoding": .text(coding.rawValue)]
    case .stale(let seconds): ["staleSeconds": .number(seconds)]
    case .version(let number): ["version": .number(number)]
    case .moreFields(let count): ["headerFields": .number(count)]
    case .lowercaseFieldNames: ["fieldNames": "lowercase"]
    case .longField(let count): ["headerFieldBytes": .number(count)]
    case .interimResponses(let count): ["interimResponses": .number(count)]
    case .endlessBody(let count): ["endlessBodyBytes": .number(count)]
    case .gzipBomb(let count): ["gzipBombBytes": .number(count)]
    case .bodyOf(let number): ["bodyOf": .number(number)]
    }
  }

  /// Returns an event that reports a failure of the server.
  fileprivate static func errorEvent(in format: EventStream.Format) -> Data {
    let error =
      #"{"type":"error","error":{"type":"\#(errorWord)","message":"The server is overloaded."}}"#
    return switch format {
    case .serverSent: Data("event: error\ndata: \(error)\n\n".utf8)
    case .lines: Data("\(error)\n".utf8)
    case .sequence: Data("\u{1E}\(error)\n".utf8)
    }
  }
}

extension Fault {
  var isStale: Bool { if case .alter(.stale) = self { true } else { false } }

  var isVersion: Bool { if case .alter(.version) = self { true } else { false } }

  /// The number of the recording whose body the fault sends; `nil` if it sends none.
  var bodySource: Int? {
    if case .alter(.bodyOf(let number)) = self { number } else { nil }
  }

  /// Whether the fault sends a body that only a limit of the client can end.
  package var isUnbounded: Bool {
    switch self {
    case .alter(.endlessBody), .alter(.gzipBomb): true
    default: false
    }
  }

  // In a scenario's file:
  //
  // { "body": NAME }   { "contentType": "text/html" }   { "contentEncoding": NAME }
  // { "staleSeconds": 86400 }   { "version": 2 }
  // { "headerFields": 5000 }   { "headerFieldBytes": 600000 }
  // { "fieldNames": "lowercase" }
  // { "interimResponses": 100 }   { "endlessBodyBytes": 536870912 }
  // { "gzipBombBytes": 536870912 }
  // { "bodyOf": 2 }

  static func edits(_ object: inout ObjectReader) throws(FormatError) -> [Fault] {
    var found: [Fault] = []
    func add(_ edit: ResponseEdit?) {
      if let edit { found.append(.alter(edit)) }
    }
    add(try object.choice("body", ResponseEdit.Content.self).map { .body($0) })
    if let type = try object.string("contentType") {
      guard !type.breaksFieldLine else {
        throw object.error("contentType", "a field value cannot contain line breaks or NUL")
      }
      add(.contentType(type))
    }
    let coding = try object.choice("contentEncoding", ResponseEdit.Coding.self)
    add(coding.map { .contentEncoding($0) })
    add(try object.int("staleSeconds", in: 0...1_000_000_000).map { .stale(seconds: $0) })
    add(try object.int("version", in: 1...ResponseEdit.versionsMax).map { .version($0) })
    add(try object.int("headerFields", in: 1...ResponseEdit.fieldsMax).map { .moreFields($0) })
    add(try object.row("fieldNames", of: ResponseEdit.fieldNames)?.value)
    let fieldBytes = try object.int("headerFieldBytes", in: 1...ResponseEdit.fieldBytesMax)
    add(fieldBytes.map { .longField(bytes: $0) })
    let interim = try object.int("interimResponses", in: 1...ResponseEdit.interimResponsesMax)
    add(interim.map { .interimResponses($0) })
    let endless = try object.int("endlessBodyBytes", in: 1...ResponseEdit.bodyBytesMax)
    add(endless.map { .endlessBody(bytes: $0) })
    let opened = GzipBomb.openedBytesMin...ResponseEdit.bodyBytesMax
    add(try object.int("gzipBombBytes", in: opened).map { .gzipBomb(bytes: $0) })
    add(try object.int("bodyOf", in: Self.recordingNumbers).map { .bodyOf(recording: $0) })
    return found
  }
}

extension ResponseEdit.Content {
  /// Returns the changed body, and the edits if most of the recorded body stays the same; otherwise
  /// `nil` edits.
  func applied(
    to body: Data,
    of head: ResponseHead
  ) throws(Mutation.Misfit) -> (body: Data, edits: [Edit]?) {
    switch self {
    case .duplicated: return (body + body, nil)
    case .large:
      return (body + Data(repeating: UInt8(ascii: " "), count: ResponseEdit.fillerBytes), nil)
    case .empty: return (Data(), nil)
    // RFC 3629 §3: 0xC3 requires another byte, and 0xFF is never valid.
    case .invalidUTF8: return (body + Data([0xC3, 0xFF]), nil)
    case .invalidJSON: return (body + Data("]".utf8), nil)
    case .errorEvent:
      guard let format = EventStream.Format(of: head.headers) else {
        throw Mutation.Misfit("the response has no event stream")
      }
      let events = EventStream(body, format).events
      let half = events.prefix(events.count / 2).last?.end ?? 0
      return (body.prefix(half) + ResponseEdit.errorEvent(in: format), nil)
    case .retryZero, .retryNegative, .retryHuge, .retryGarbage, .missingEventIDs, .emptyEventIDs:
      guard EventStream.Format(of: head.headers) == .serverSent else {
        throw Mutation.Misfit("the response has no server-sent events")
      }
      let edits = try eventEdits(of: body)
      return (Data(Edit.applied(edits, to: Bytes(body))), edits)
    }
  }
}
