// The text format of a cassette, version 1.
//
//   { "windtunnel": 1,
//     "interactions": [
//       { "request":  { "method": "GET", "url": "https://api.example.com/users/7",
//                       "headers": [["Accept", "application/json"]] },
//         "response": { "status": 200, "headers": [["Content-Type", "application/json"]],
//                       "json": { "id": 7, "name": "Ada" } },
//         "timing":   { "firstByteMilliseconds": 41.2, "lastByteMilliseconds": 43.0 } } ] }
//
// The format is designed for review in pull requests. Keys have a fixed order, a container without
// other containers is on one line, and every other value has its own line. A line feed ends the
// file. Equal cassettes have equal texts.
//
// Members of an interaction:
//
// - "request": method, url, headers, body.
// - "response": status, "reason" if it is not the usual one, headers, "trailers", body, and
//   "joined". The last lists names of fields whose values a platform may have joined from several
//   fields.
// - "failure": symptom, text. A truncated response has both "response" and "failure".
// - "timing": firstByteMilliseconds, lastByteMilliseconds, chunks: [[bytes, milliseconds], …].
// - "messages" of a WebSocket: [{ "from", a body or "close", "fragments": [bytes, …],
//   "offsetMilliseconds", "after" }]. The value of "close" is the code of a close frame, whose
//   reason is a "text". The value of "after" is the number of the client's message that caused a
//   server's message, from 1, or 0 for the handshake. The response may then be omitted, because it
//   is a 101.
// - "then" ("fail", "repeat", "cycle"); "recordedAt".
//
// Handwritten cassettes may also contain "template", "critical" and "protocol" of an interaction,
// "informational" and "trailersOnly" of a response, and "stream" of a failure
// (`cassette-1-exchange-keys.json`). Keys that begin with "_" are user notes and are kept. Any
// other unknown key is an error.
//
// A text that was sent as gzip is stored as "json" or "text", and "gzip": [level, memory, MTIME,
// XFL, OS] restores the sent bytes (`GzipForm`). Bytes are stored unchanged if they cannot be
// restored, or if a validator, a digest or a range describes them.
//
// A body is one of "json", "text", "base64" or "file". It is "json" only if the writer restores
// exactly the same bytes from the structure. `JSON` keeps the order of keys and the spelling of
// numbers and strings, and a "layout" names the white space ("compact" by default). Otherwise a
// body is "text", or "base64" if it is not UTF-8 or has many control characters. A "file" is in
// `NAME.bodies/` next to the cassette, named by the SHA-256 of its bytes.
//
// Opening a cassette validates the whole file, with every key and every byte of every body
// (`CassetteScanner`). The bytes of a body are decoded on first access (`StoredBody`).
//
// A handwritten interaction requires only "url" and a result: the default method is GET and the
// default status is 200. Without headers, the content type follows from the kind of body. Recorded
// responses always contain their headers, even an empty list.

package import Foundation

package enum CassetteFormat {
  /// The version that is written, and the newest that can be read.
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
      scan = try CassetteScanner.scan(data, source: source, sideFile: sideFile)
    } catch {
      throw FormatError(error, in: data, source: source)
    }
    var top = try ObjectReader(scan.top, source: source, path: "")
    try checkVersion(&top, key: "windtunnel", noun: "cassette")
    let list = try top.array("interactions")
    // An unknown key is reported first, because it may be the misspelling of the missing key.
    try top.refuseUnknownKeys()
    guard list != nil else {
      throw top.error("interactions", "expected a list of interactions")
    }
    if let refusal = scan.refusal { throw refusal }
    var cassette = Cassette(scan.interactions)
    cassette.notes = top.notes
    return cassette
  }

  /// Checks the version key, which is the first key in each format.
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
      throw top.error(key, "\(value) is not a version of a \(noun)")
    }
    guard found <= version else {
      throw FormatError(
        source: top.source,
        place: "",
        problem: "this is a version \(found) \(noun), but windtunnel reads version \(version)",
        fix: "Update windtunnel."
      )
    }
  }

  /// Returns the text of a cassette. `sideFile` stores a large body and returns its name, or `nil`
  /// for a body that stays in the text.
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
  /// Lists a version key, which is the first key in each format.
  package mutating func version(_ key: String, of noun: String) throws(FormatError) {
    guard isReading else { return write(key, .number(CassetteFormat.version)) }
    try CassetteFormat.checkVersion(&object, key: key, noun: noun)
  }
}

extension FormatError {
  /// The maximum size in bytes of a file that is checked for being a HAR.
  private static let harBytesMax = 64 << 20

  /// Returns the error for a HAR file in place of a cassette, with the command that converts it;
  /// `nil` if the file is not a HAR.
  package static func ofHAR(_ data: Data, source: String) -> FormatError? {
    // The reader of cassettes reports why a text is not JSON.
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
      problem: "this is a HAR file, not a cassette",
      fix: source.lowercased().hasSuffix(".har")
        ? "Convert it: \(convert)" : "Rename it to \(stem).har, and convert it: \(convert)"
    )
  }
}
