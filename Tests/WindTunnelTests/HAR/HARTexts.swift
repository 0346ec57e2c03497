import TestSupport

@testable import WindTunnel
@testable import WindTunnelHAR

/// A HAR of entries that are written as text.
func har(_ entries: String...) -> Data {
  Data(
    """
    {"log": {"version": "1.2", "creator": {"name": "test", "version": "1"},
     "entries": [\(entries.joined(separator: ","))]}}
    """.utf8
  )
}

/// One entry, of which a test writes only what it is about.
func entry(
  _ url: String = "https://api.example.test/a",
  method: String = "GET",
  started: String = "2024-05-01T10:00:00.000Z",
  request: String = "",
  response: String = #""status": 200, "headers": [], "content": {"size": 0}"#,
  more: String = ""
) -> String {
  """
  {"startedDateTime": "\(started)",
   "request": {"method": "\(method)", "url": "\(url)" \(request.isEmpty ? "" : "," + request)},
   "response": {\(response)} \(more.isEmpty ? "" : "," + more)}
  """
}

/// The import of a HAR of one entry.
func importing(
  _ url: String = "https://api.example.test/a",
  method: String = "GET",
  request: String = "",
  response: String = #""status": 200, "headers": [], "content": {"size": 0}"#,
  more: String = ""
) throws -> HARImport {
  let entry = entry(url, method: method, request: request, response: response, more: more)
  return try HARImport(har(entry), source: "a.har")
}

extension HARImport {
  /// The first interaction.
  var interaction: Interaction? { cassette.interactions.first }
}

/// The one interaction of a HAR of one entry.
func imported(_ entry: String) throws -> Interaction? {
  try Cassette(har: har(entry), source: "a.har").interactions.first
}

/// A HAR that became a cassette with its secrets and a HAR again, which is sound and comes back as that
/// cassette.
func turnedRound(_ har: Data) throws -> (cassette: Cassette, file: JSON, warnings: [String]) {
  let read = try HARImport(har, source: "a.har", keepingSecrets: true)
  let stored = try Cassette(data: read.cassette.data(), source: "a.json")
  expectEqual(stored, read.cassette)
  let written = HARExport(stored, keepingSecrets: true).data
  let file = try JSON(parsing: written, source: "b.har")
  expectEqual(HARSchema.problems(in: file), [])
  try expectEqual(HARImport(written, source: "b.har", keepingSecrets: true).cassette, read.cassette)
  return (read.cassette, file, read.warnings)
}

/// The one entry of a HAR of one entry that was turned round.
func turnedRound(_ entry: String) throws -> JSON? {
  try turnedRound(har(entry)).file["log"]?["entries"]?.elements.first
}

/// An entry as other tools write it, odd in more ways than one.
let oddEntry = entry(
  "https://ada:secret@api.example.test/{a}?b#c",
  method: "POST",
  request: """
    "headers": [{"name": "Cookie", "value": "a=bcdefgh"}, {"name": "Content-Type",
      "value": "multipart/form-data; boundary=x"}], "bodySize": 12,
    "postData": {"params": [{"name": "a", "value": "b", "fileName": "c"}]}
    """,
  response: """
    "status": 200, "headers": [{"name": "Content-Encoding", "value": "gzip"},
      {"name": "Set-Cookie", "value": ["a=b; Path=/", "c=d"]}],
    "content": {"size": 4, "text": "aGVsbG8=", "encoding": "base64"}
    """,
  more: """
    "timings": {"wait": 41.5, "receive": 1}, "_note": {"a": "b"}, "_webSocketMessages":
    [{"type": "send", "time": 1714557601.5, "opcode": 2, "data": "AAE="}]
    """
)
