import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelSymptoms
import WindTunnelURLSession

/// A deck that plays never lets a packet out: a server that would notice counts none.
@Suite(.timeLimit(.minutes(5))) struct NeverLiveConformanceTests {
  @Test(arguments: [RecordMode.none, .once, .verify], [Stage.inProcess, .onTheWire])
  func `nothing leaves after exhaustion and mismatch`(mode: RecordMode, stage: Stage) async throws {
    let canary = Deck([
      .get("/once") { _ in .text(Body("live")) }, .get("/other") { _ in .text(Body("live")) },
    ])
    let bait = try await ReplayServer(canary, .patient)
    let tape = Cassette(
      [Interaction(Request("GET", RequestURL("\(bait.url)/once")), .text(Body("taped")))]
    )
    let deck = Deck(tape, matcher: .pathAndQuery, mode: mode)
    let paths = ["/once", "/once", "/other", "/once?a=1"]
    var statuses: [Int?] = []
    switch stage {
    case .inProcess:
      let configuration = URLSessionConfiguration.windTunnel(deck)
      for path in paths { statuses.append(try await status(bait.url + path, configuration)) }
    case .onTheWire:
      var options = ReplayServer.Options.patient
      // It even knows where it could ask.
      options.upstream = try Upstream(RequestURL(bait.url))
      let server = try await ReplayServer(deck, options)
      for path in paths { statuses.append(try await status(server.url + path, .ephemeral)) }
      await server.stop(grace: .zero)
    }
    expectEqual(statuses, [200, 501, 501, 501])
    expectEqual(deck.mismatches.count, 3)
    // The canary sings for whoever does ask.
    expectEqual(canary.journal.all.map(\.take), [])
    try await expectEqual(status(bait.url + "/other", .ephemeral), 200)
    expectEqual(canary.journal.all.map(\.take), [.computed])
    await bait.stop(grace: .zero)
  }

  private func status(_ url: String, _ configuration: URLSessionConfiguration) async throws -> Int?
  {
    let request = URLRequest(url: try #require(URL(string: url)))
    configuration.urlCache = nil
    return await Seen.asking(request, configuration, follows: true).status
  }
}
