import TestSupport
import WindTunnelCore

@Suite struct HarnessFileTests {
  @Test(arguments: [
    (#"{"windtunnel":1,"interactions":[]}"#, "a cassette"),
    ("\u{FEFF} \n{ \"windtunnelScenario\" :\t1, \"rules\": [] }", "a scenario"),
    (#"{"windtunnelJournal":1,"rewrites":true}"# + "\n{}", "the journal of a recording"),
    (#"{"windtunnelDNS": 1}"#, "a DNS script"),
    (#"{"windtunnelReport": 1}"#, "a drill report"),
    (#" [{"windtunnel":1,"interactions":[]}]"#, "a cassette"),
    (#"{"windtunnelSearch": 1}"#, "a search certificate"),
    (#"{"fixtures": {"windtunnel": 1, "interactions": "#, "a cassette"),
  ])
  func `a file of the harness is found by its key, wherever and however it ends`(
    text: String,
    noun: String
  ) {
    expectEqual(look(Array(text.utf8)), ["found it file: \(noun)"])
    let packed = Made.zip([.init(name: "assets/data.bin", content: Made.gzip(Array(text.utf8)))])
    expectEqual(look(packed), ["found it:assets/data.bin file: \(noun)"])
  }

  @Test(arguments: [
    #"{"name": "windtunnel", "version": 1}"#, #"{"windtunnel": {"license": "MIT"}}"#,
    #"["windtunnel", 1]"#, #"windtunnel: 1, "windtunnel": 1"#, #"{"windtunnel"}"#, #"{"windtunnel"#,
    #"{"windtunnel":"#, #"{"windtunnel": 2, "name": "app"}"#, #"{"windtunnelRelease": 1}"#,
    #"{"windtunnelTurbines": 4, "interactions": []}"#, #"{"text": "a \"windtunnel\": 1"}"#,
    #"{"windtunnel-app": 1}"#, "", "{",
  ])
  func `no other text is found`(text: String) {
    expectEqual(look(Array(text.utf8)), [])
  }

  @Test func `a large body of a cassette is found by its name`() {
    let name = String(repeating: "0aF9", count: 16)
    let noun = "a recorded body of a cassette"
    for place in ["users.bodies/\(name)", "App/x/users.bodies/\(name)"] {
      let file = Made.zip([.init(name: place, content: Made.gzip([1]))])
      expectEqual(look(file), ["found it:\(place) file: \(noun)"])
    }
    for place in [
      "users.bodies/\(name)0", "users.bodies/\(name.dropLast())g", ".bodies/\(name)",
      "bodies/\(name)", "users.bodies/a/\(name)", "\(name)",
    ] {
      expectEqual(look(Made.zip([.init(name: place, content: [1])])), [], "\(place)")
    }
  }

  /// A format that is not on the list would be shipped.
  @Test func `every format of the package is on the list`() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
    let paths = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String }
    var keys: Set<String> = []
    for path in paths ?? [] where path.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      keys.formUnion(text.matches(of: /"(windtunnel[A-Z][A-Za-z]+)"/).map { String($0.output.1) })
    }
    keys.remove("windtunnelRelease")
    #expect(keys.count > 8)
    for key in keys { expectEqual(look(Array("{\"\(key)\": 1}".utf8)).count, 1, "\(key)") }
  }

  @Test func `a text full of the key is read in linear time`() {
    func work(_ piece: String, _ count: Int) -> Int {
      let before = Work.done
      let text = "{" + String(repeating: piece, count: count) + String(repeating: "l", count: count)
      expectEqual(look(Array(text.utf8)), [])
      return Work.done - before
    }
    for piece in ["\"windtunnel\"  ", "\"windtunnel", "\"windtunnel\":"] {
      let (short, long) = (work(piece, 100), work(piece, 400))
      #expect(short > 100 && long * 10 <= short * 42, "\(piece): \(short), \(long)")
    }
  }
}
