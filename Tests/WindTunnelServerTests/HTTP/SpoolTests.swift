import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// Content that is kept, however much it is.
@Suite(.timeLimit(.minutes(5))) struct SpoolTests {
  @Test(arguments: [0, 1, Spool.memoryBytesMax, Spool.memoryBytesMax + 1, 5_000_000])
  func `what comes is there as a whole`(count: Int) {
    var spool = Spool()
    let bytes = pattern(count)
    for start in stride(from: 0, to: count, by: 60_000) {
      spool.append(Data(bytes[start..<min(start + 60_000, count)]))
    }
    expectEqual(spool.count, count)
    #expect(areSame(spool.finish(), bytes))
    #expect(areSame(spool.finish(), bytes), "as often as it is asked for")
    spool.append(Data("more".utf8))
    #expect(areSame(spool.finish(), bytes + Array("more".utf8)))
  }

  @Test func `data returned by a spool stays valid after the spool is released`() {
    func whole() -> Data {
      var spool = Spool()
      spool.append(Data(pattern(3_000_000)))
      return spool.finish()
    }
    #expect(areSame(whole().dropFirst(2_999_000), pattern(3_000_000).suffix(1000)))
  }

  @Test func `a recorded upload goes on whole, and is a side file of its tape`() async throws {
    let content = pattern(Spool.memoryBytesMax + 1000)
    let folder = try TemporaryFolder()
    let file = folder.file("tape.json")
    let expected = Data(content)
    let put = Stub.post("/big") { .text(Body("\($0.body.data == expected)")) }
    try await ReplayServer.serving(Deck([put], matcher: .pathAndQuery)) { origin in
      let options = try ReplayServer.Options.before(RequestURL(origin.url))
      let journal = try RecordingJournal(besides: file)
      let deck = Deck(Cassette(), mode: .rewrite, recordingJournal: journal)
      try await ReplayServer.serving(deck, options) { server in
        let client = try server.client()
        let head = "POST /big HTTP/1.1\r\nHost: x\r\nContent-Length: \(content.count)\r\n\r\n"
        await client.send(Array(head.utf8) + content)
        client.socket.finishWriting()
        let heard = String(decoding: await client.finish().0, as: UTF8.self)
        #expect(heard.statusLine == "HTTP/1.1 200 OK" && heard.content == "true")
      }
      expectNil(journal.problem)
      let (tape, leftOut) = deck.recorded()
      #expect(leftOut.isEmpty)
      try tape.write(to: file)
      journal.remove()
    }
    let read = try Cassette(contentsOf: file)
    expectEqual(read.interactions.map(\.request.body), [Body(expected)])
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.utf8.count < 2000 && text.contains("\"file\": "))
  }
}
