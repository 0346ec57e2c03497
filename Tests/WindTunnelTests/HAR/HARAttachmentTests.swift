import Foundation
import TestSupport
import Testing

@testable import WindTunnelHAR

/// Bodies that stand beside a HAR and not in it, as Playwright writes them.
@Suite struct HARAttachmentTests {
  private static func har(_ name: String, post: String? = nil) -> Data {
    let request = post.map {
      ", \"postData\": {\"mimeType\": \"text/plain\", \"_file\": \"\($0)\"}"
    }
    return Data(
      """
      {"log": {"version": "1.2", "creator": {"name": "Playwright", "version": "1.45"}, "entries": [
        {"startedDateTime": "2024-05-01T10:00:00.000Z", "time": 1,
         "request": {"method": "\(post == nil ? "GET" : "POST")", "url": "https://a.test/a",
           "headers": []\(request ?? "")},
         "response": {"status": 200,
           "headers": [{"name": "Content-Type", "value": "text/plain"}],
           "content": {"size": 5, "mimeType": "text/plain", "_file": "\(name)"}},
         "timings": {"send": 0, "wait": 1, "receive": 0}}]}}
      """.utf8
    )
  }

  private func inFolder(_ body: (_ har: URL, _ folder: URL) throws -> Void) throws {
    let outer = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    let folder = outer.appendingPathComponent("har")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("in"),
      withIntermediateDirectories: true
    )
    defer { try? FileManager.default.removeItem(at: outer) }
    try Data("outside".utf8).write(to: outer.appendingPathComponent("secret.txt"))
    try body(folder.appendingPathComponent("a.har"), folder)
  }

  private func read(_ data: Data, _ har: URL) throws -> (body: Body?, sent: Body?, told: [String]) {
    let result = try HARImport(data, source: "a.har", attachments: HARAttachments(besides: har))
    let interaction = result.cassette.interactions.first
    return (interaction?.response?.body, interaction?.request.body, result.warnings)
  }

  @Test func `they are read from the HAR's folder, bytes as they are`() throws {
    try inFolder { har, folder in
      let bytes = Data([0, 0xFF, 0x1F, 0x8B, 0x0A])
      try bytes.write(to: folder.appendingPathComponent("b1.bin"))
      try Data("sent".utf8).write(to: folder.appendingPathComponent("in/c2.txt"))
      let found = try read(Self.har("b1.bin", post: "in/c2.txt"), har)
      #expect(found.body == Body(bytes) && found.sent == Body("sent") && found.told == [])
    }
  }

  @Test func `the messages of a WebSocket are read from their file, one a line`() throws {
    try inFolder { har, folder in
      let lines = """
        {"type":"send","time":1714557600010.5,"opcode":1,"data":"hellö"}
        {"type":"receive","time":1714557600020.5,"opcode":2,"data":"AP8B"}
        cut off
        """
      try Data(lines.utf8).write(to: folder.appendingPathComponent("ws.jsonl"))
      let text = String(decoding: Self.har("ws.jsonl"), as: UTF8.self)
        .replacingOccurrences(of: "\"status\": 200", with: "\"status\": 101")
      let data = Data(text.utf8)
      let result = try HARImport(data, source: "a.har", attachments: HARAttachments(besides: har))
      let interaction = try #require(result.cassette.interactions.first)
      let messages = interaction.messages
      expectEqual(messages.map(\.body), [Body("hellö"), Body(Data([0, 0xFF, 1]))])
      expectEqual(messages.map(\.isText), [true, false])
      expectEqual(interaction.response?.body, .empty)
      expectEqual(
        result.warnings,
        [
          "log.entries[0], GET https://a.test/a: 1 of 3 WebSocket messages carry no data that is kept."
        ]
      )
    }
  }

  @Test func `what they hold is redacted like any body`() throws {
    try inFolder { har, folder in
      try Data("password=hunter22".utf8).write(to: folder.appendingPathComponent("a.txt"))
      try expectEqual(read(Self.har("a.txt"), har).body, Body("password=REDACTED-password-1"))
    }
  }

  @Test func `none is read where nobody says where the HAR lies`() throws {
    let result = try HARImport(Self.har("a.txt"), source: "a.har")
    expectEqual(result.cassette.interactions.first?.response?.body, Body(""))
    expectEqual(
      result.warnings,
      [
        "log.entries[0], GET https://a.test/a: the body is in the file \"a.txt\", which was not read; "
          + "an empty one is played."
      ]
    )
  }

  @Test(arguments: [
    ("../secret.txt", "is not in the HAR's folder and was not read"),
    ("in/../../secret.txt", "is not in the HAR's folder and was not read"),
    ("link.txt", "is not in the HAR's folder and was not read"),
    ("/etc/hostname", "is not in the HAR's folder and was not read"),
    ("in", "cannot be read: it is a directory"), ("none.txt", "is not there"),
  ])
  func `no other file is read, and that is said`(name: String, reason: String) throws {
    try inFolder { har, folder in
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent("link.txt"),
        withDestinationURL: folder.deletingLastPathComponent().appendingPathComponent("secret.txt")
      )
      let found = try read(Self.har(name), har)
      expectEqual(found.body, Body(""))
      expectEqual(
        found.told,
        [
          "log.entries[0], GET https://a.test/a: the body is in the file \"\(name)\", which \(reason); "
            + "an empty one is played."
        ]
      )
    }
  }
}
