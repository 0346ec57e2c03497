import TestSupport
import WindTunnelNetworkLayer
import WindTunnelReferenceSubject
import WindTunnelSearch

extension Searches {
  /// A search for fault sets over a flow with each kind of request that the reference client carries.
  @Suite(.world, .onThisSystem, .timeLimit(.minutes(5))) struct WholeCallTests {
    private static let film = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 5) })
    private static let feed =
      "retry: 100\n\n" + (1...5).map { "id: \($0)\ndata: \($0)\n\n" }.joined()

    private static func at(
      _ method: String,
      _ path: String,
      _ status: Int,
      _ type: String,
      _ body: Data,
      _ headers: HeaderFields = [:]
    ) -> Interaction {
      var headers = headers
      headers["Content-Type"] = type
      return Interaction(
        Request(method, RequestURL("https://shop.example\(path)")),
        .response(Response(status: status, headers: headers, body: Body(body)))
      )
    }

    private static let cassette = Cassette([
      at("GET", "/home", 200, "application/json", Data(#"{"title":"Shop"}"#.utf8)),
      at("POST", "/photos", 201, "application/json", Data(#"{"id":7}"#.utf8)),
      at("GET", "/film", 200, "video/mp4", film, ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]),
      at("GET", "/feed", 200, "text/event-stream", Data(feed.utf8)),
    ])

    /// What a screen does in one visit: a list, a photo that is sent up, a film that is fetched, and
    /// the first five events of a feed.
    private static func visit(_ flow: DrillCall, in folder: URL) async throws -> Data {
      let client = NetworkClient(
        builder: RequestBuilder(baseURL: flow.baseURL),
        transport: flow.transport,
        cache: ResponseCache(),
        limits: CallLimits(attemptTimeout: .seconds(5), deadline: .seconds(19))
      )
      var all = try await client.call(
        Endpoint(.get, "/home", priority: .critical, rules: .json(requiring: "title"))
      ).body
      let photo = try RequestBody.multipart([
        .init("text", "at the sea"),
        .init("photo", fileName: "sea.jpg", contentType: "image/jpeg", Data("sea".utf8)),
      ])
      all += try await client.call(Endpoint(.post, "/photos", body: photo)).body
      let file = folder.appending(path: UUID().uuidString)
      defer { try? FileManager.default.removeItem(at: file) }
      _ = try await client.download(Endpoint(.get, "/film"), to: file)
      // A film of which a byte is missing is no film.
      guard try Data(contentsOf: file) == film else { throw FilmIsBroken() }
      // A feed that is asked again begins again here, whatever event is named as the last.
      var seen: [String] = []
      for try await event in client.events(of: Endpoint(.get, "/feed")) {
        if !seen.contains(event.data) { seen.append(event.data) }
        if seen.count == 5 { break }
      }
      return all + Data(seen.joined(separator: ",").utf8)
    }

    private struct FilmIsBroken: Error {}

    @Test func `no single thing breaks a visit with each kind of request`() async throws {
      let folder = try TemporaryFolder()
      let plan = SearchPlan(faultSets: 3000, depth: 1)
      let found = try await Drill(Self.cassette).search(as: "whole-call", plan) { flow in
        try await Self.visit(flow, in: folder.url)
      }
      expectEqual(found.finds.map { "\($0.violation.rule) \($0.violation.seen) \($0.words)" }, [])
      try found.require("searchedDepth >= 1", "finds == 0", "faultSets > 300")
      try expectEqual(folder.names, [], "what was fetched in part is gone with its call")
    }
  }
}
