import Foundation
import WindTunnel

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

/// The one interaction of a HAR of one entry.
func imported(_ entry: String) throws -> Interaction? {
  try Cassette(har: har(entry), source: "a.har").interactions.first
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
