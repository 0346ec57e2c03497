// The cassette's text, version 1.
//
//   { "windtunnel": 1,
//     "interactions": [
//       { "request":  { "method": "GET", "url": "https://api.example.com/users/7",
//                       "headers": [["Accept", "application/json"]] },
//         "response": { "status": 200, "headers": [["Content-Type", "application/json"]],
//                       "json": { "id": 7, "name": "Ada" } },
//         "timing":   { "firstByteMilliseconds": 41.2, "lastByteMilliseconds": 43.0 } } ] }
//
// It is read in pull requests, so it is written for that reader: keys in one fixed order, a
// container that holds no other container on one line, everything else one thing a line, a line
// feed at the end. The same cassette is always the same text.
//
// Slots of an interaction: "request" (method, url, headers, body), then "response" (status,
// "reason" if it is not the usual one, headers, "trailers", "joined": names of fields that a
// platform may have joined of several, body), "failure" (symptom, text) or both, where the response
// was cut; "timing"
// (firstByteMilliseconds, lastByteMilliseconds, chunks: [[bytes, milliseconds], …]); "messages"
// of a WebSocket ([{ "from", a body or "close": the code of the side's last word, whose reason is a
// "text", "fragments": [bytes, …], "offsetMilliseconds", "after" }], where "after" is the number of
// the client's message that a server's answers, from 1, or 0 for the handshake; the response may be
// left out then, since it is a 101); "then" ("fail", "repeat", "cycle"); "recordedAt". By hand also
// "template", "critical" and "protocol" of an interaction, "informational" and "trailersOnly" of a
// response, and "stream" of a failure (`cassette-1-exchange-keys.json`). Keys that
// begin with "_" are anybody's and are kept; any other unknown key is refused.
//
// A text that was sent in gzip is there as "json" or "text", and "gzip": [level, memory, MTIME,
// XFL, OS] gives the bytes that were sent (`GzipForm`). Bytes that it does not give back, or for
// which a validator, a digest or a range vouches, stand as they are.
//
// A body is one of "json", "text", "base64" or "file". It is "json" only if the writer turns the
// structure back into the very same bytes: the order of keys and the spelling of numbers and
// strings are kept by `JSON`, the white space by a named "layout" ("compact" where none is named).
// What does not come back so is "text", what is not UTF-8 or is full of control characters
// "base64". A "file" lies in `NAME.bodies/` beside the cassette under the SHA-256 of its bytes.
//
// Opening proves the whole file, every key and every byte of every body (`CassetteScanner`); what a
// body's bytes are is worked out when they are first asked for (`StoredBody`). What is wrong or
// unusual is read from a tree (`InteractionReader`), which says what is wrong with it.
//
// By hand, only "url" and an answer are needed: the method is GET, the status 200, and where no
// headers are given the content type follows from the kind of body. Recorded answers always write
// their headers, an empty list where there were none.

package import Foundation

package enum CassetteFormat {
  /// The version that is written, and the newest that is read.
  package static let version = 1

  package static func decode(
    _ data: Data,
    source: String,
    sideFile: @escaping (String) throws -> Body
  ) throws -> Cassette {
    do {
      return try decodeOwn(data, source: source, sideFile: sideFile)
    } catch let error as FormatError {
      throw FormatError.ofHAR(data, source: source) ?? error
    }
  }

  private static func decodeOwn(
    _ data: Data,
    source: String,
    sideFile: @escaping (String) throws -> Body
  ) throws -> Cassette {
    let scan: CassetteScanner.Scan
    do {
      scan = try CassetteScanner.scan(data) { number, bytes in
        var reader = InteractionReader(sideFile: sideFile)
        let json = try JSON(parsing: bytes, source: source)
        let place = "interactions[\(number)]"
        return try reader.interaction(ObjectReader(json, source: source, path: place))
      }
    } catch {
      throw FormatError(error, in: data, source: source)
    }
    var top = try ObjectReader(scan.top, source: source, path: "")
    try checkVersion(&top, key: "windtunnel", noun: "cassette")
    let list = try top.array("interactions")
    // A misspelt key is told before the one that is missing for it.
    try top.refuseUnknownKeys()
    guard list != nil else {
      throw top.error("interactions", "a list of interactions should stand here")
    }
    if let refusal = scan.refusal { throw refusal }
    var cassette = Cassette(scan.interactions)
    cassette.notes = top.notes
    return cassette
  }

  /// Takes the version key, which comes first in each of our formats.
  package static func checkVersion(
    _ top: inout ObjectReader,
    key: String,
    noun: String
  ) throws(FormatError) {
    guard let value = top.take(key) else {
      throw FormatError(
        source: top.source,
        place: "",
        problem: "not a \(noun): the key \"\(key)\" is missing",
        fix: "A \(noun) begins with { \"\(key)\": \(version), …"
      )
    }
    guard let found = value.intValue, found >= 1 else {
      throw top.error(key, "\(value) is no version of a \(noun)")
    }
    guard found <= version else {
      throw FormatError(
        source: top.source,
        place: "",
        problem: "this is a version \(found) \(noun), and this windtunnel reads version \(version)",
        fix: "Update windtunnel."
      )
    }
  }

  /// Returns the text of a cassette. `sideFile` keeps a large body and answers its name, or answers
  /// `nil` for one that stays inside.
  static func encode(_ cassette: Cassette, sideFile: @escaping (Body) throws -> String?) throws
    -> Data
  {
    var members: [JSON.Member] = [JSON.Member("windtunnel", .number(version))]
    members += cassette.notes
    let interactions = try cassette.interactions.map {
      try InteractionWriter(sideFile: sideFile).json($0)
    }
    members.append(JSON.Member("interactions", .array(interactions)))
    return Data(JSON.object(members).fileBytes())
  }
}

extension JSONFields {
  /// Lists a version key, which comes first in each format.
  package mutating func version(_ key: String, of noun: String) throws(FormatError) {
    guard isReading else { return write(key, .number(CassetteFormat.version)) }
    try CassetteFormat.checkVersion(&object, key: key, noun: noun)
  }
}

extension FormatError {
  /// The maximum size of a file that is looked at as a HAR, in bytes.
  private static let harBytesMax = 64 << 20

  /// Returns the refusal of a HAR file in place of a cassette, with the command that converts it;
  /// `nil` if the file is no HAR.
  package static func ofHAR(_ data: Data, source: String) -> FormatError? {
    // The reader of cassettes reports why a text is no JSON.
    guard data.count <= harBytesMax, let json = try? JSON(parsing: data, source: ""),
      json["windtunnel"] == nil, let log = json["log"],
      log["entries"] != nil || log["creator"] != nil
    else { return nil }
    let words = source.split(separator: ".")
    let stem = words.count > 1 ? words.dropLast().joined(separator: ".") : source
    let convert = "windtunnel cassette convert \(stem).har \(stem).json"
    return FormatError(
      source: source,
      place: "",
      problem: "this is a HAR file and no cassette of WindTunnel's",
      fix: source.lowercased().hasSuffix(".har")
        ? "To make one of it: \(convert)" : "Name it \(stem).har, and make one of it: \(convert)"
    )
  }
}
