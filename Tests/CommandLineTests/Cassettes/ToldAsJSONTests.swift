import TestSupport
import WindTunnel

/// What programs read of cassettes.
@Suite struct ToldAsJSONTests {
  private func json(_ words: String..., code: Int32, in scratch: Scratch) async throws -> JSON {
    let run = try await scratch.run(words)
    #expect(run.code == code && run.err.isEmpty, "\(run)")
    return try JSON(parsing: run.out.utf8, source: "out")
  }

  private static let tape = """
    {"windtunnel":1,"interactions":[
      {"request":{"url":"/a"},"response":{"headers":{"Content-Type":"text/plain"},"text":"four"}},
      {"request":{"method":"POST","url":"/b","headers":{"X-A":"1"},"base64":"AP8="},
       "failure":{"symptom":"timedOut"}}]}
    """

  @Test func `show tells each interaction`() async throws {
    let scratch = try Scratch()
    try scratch.write(Self.tape, to: "a.json")
    let first: JSON = [
      "number": 1, "method": "GET", "url": "/a", "status": 200, "bytes": 4, "type": "text/plain",
      "failure": nil, "recordedAt": nil,
    ]
    let second: JSON = [
      "number": 2, "method": "POST", "url": "/b", "status": nil, "bytes": nil, "type": nil,
      "failure": "timedOut", "recordedAt": nil,
    ]
    let all = try await json("cassette", "show", "a.json", "--json", code: 0, in: scratch)
    expectEqual(all, ["windtunnelShow": 1, "file": "a.json", "interactions": [first, second]])
    let one = try await json(
      "cassette",
      "show",
      "a.json",
      "--number",
      "2",
      "--json",
      code: 0,
      in: scratch
    )
    expectEqual(one["request"], ["headers": [["X-A", "1"]], "text": nil])
    #expect(one["response"] == .null && one["failure"] == "timedOut" && one["windtunnelShow"] == 1)
  }

  @Test func `diff tells each change`() async throws {
    let scratch = try Scratch()
    try scratch.write(Self.tape, to: "a.json")
    try scratch.write(
      Self.tape.replacingOccurrences(of: "four", with: "five!")
        .replacingOccurrences(of: "\"/b\"", with: "\"/c\""),
      to: "b.json"
    )
    let same = try await json(
      "cassette",
      "diff",
      "a.json",
      "a.json",
      "--json",
      code: 0,
      in: scratch
    )
    expectEqual(
      same,
      [
        "windtunnelDiff": 1,
        "files": [["title": "a.json → a.json", "same": 2, "notes": [], "changes": []]],
      ]
    )
    let other = try await json(
      "cassette",
      "diff",
      "a.json",
      "b.json",
      "--json",
      code: 1,
      in: scratch
    )
    let part: JSON = ["part": "response.text, line 1", "old": "\"four\"", "new": "\"five!\""]
    expectEqual(
      other["files"]?[0]?["changes"],
      [
        ["change": "changed", "request": "GET /a", "from": 1, "to": 1, "parts": [part]],
        ["change": "added", "request": "POST /c", "from": nil, "to": 2, "parts": []],
        ["change": "removed", "request": "POST /b", "from": 2, "to": nil, "parts": []],
      ]
    )
  }
}
