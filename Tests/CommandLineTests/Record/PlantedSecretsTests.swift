import PlantedSecrets
import TestSupport
import WindTunnel

/// Secrets that pass `windtunnel record`: none is in any file or on any stream, and what was recorded
/// is found again by requests with other secrets.
@Suite(.timeLimit(.minutes(5))) struct PlantedSecretsTests {
  private static let planted = Planted.all.filter(\.travels) + [Planted.large]

  private static let match = """
    { "match": 1, "ignoreQuery": ["nothing"], "headers": ["Authorization", "Cookie", "X-Api-Key"],
      "body": "byType" }
    """

  @Test func `no planted secret that passes the proxy is written in any form`() async throws {
    let planted = Self.planted
    #expect(planted.count >= 40 && Set(planted.map(\.place)).count >= 20)
    let (scratch, tape) = (try Scratch(), try Scratch())
    try Cassette(planted.map(\.interaction)).write(to: scratch.file("origin.json"))
    try scratch.write(#"{ "match": 1, "ignoreQuery": ["*"] }"#, to: "any.json")
    let (upstream, url) = try await Server.start("origin.json", "--match any.json", in: scratch)
    let (flight, proxy) = try await tape.start(
      "record --upstream \(url) --cassette a.json --as https://api.example.test"
    )
    for planted in planted {
      let status = await ask(planted.interaction.request, of: proxy)
      expectEqual(status, planted.interaction.response?.status, "\(planted.place)")
    }
    #expect(tape.has("a.json.journal") && !tape.has("a.json"))
    try search(tape, for: planted)
    let run = try await flight.interrupt()
    expectEqual(run.err, "a.json: \(planted.count) interactions\n")
    #expect(run.code == 0 && tape.has("a.json") && tape.has("a.bodies"))
    try await upstream.interrupt()
    try search(tape, for: planted)
    try await tape.expect("cassette lint a.json")
    try await replay(tape)
  }

  /// With the secrets of another season.
  private func replay(_ tape: Scratch) async throws {
    try tape.write(Self.match, to: "match.json")
    let (server, url) = try await Server.start("a.json", "--match match.json", in: tape)
    for planted in Planted.all(season: 1) where planted.travels {
      let status = await ask(planted.interaction.request, of: url)
      expectEqual(status, planted.interaction.response?.status, "\(planted.place)")
    }
    try await server.interrupt()
  }

  @Test func `lint finds every planted secret in an unredacted copy and prints none`() async throws
  {
    let planted = Planted.all
    let scratch = try Scratch()
    try Cassette(planted.map(\.interaction)).write(to: scratch.file("a.json"))
    let run = try await scratch.run("cassette lint a.json").exits(1)
    let told = Spellings.joined([run.out, run.err])
    for (index, planted) in planted.enumerated() {
      #expect(run.out.contains("a.json: #\(index + 1) "), "\(planted.place)")
      #expect(!Spellings.leak(planted.secret, in: told), "\(planted.place)")
    }
  }

  private func search(_ scratch: Scratch, for planted: [Planted]) throws {
    let texts = try Spellings.texts(in: scratch.folder)
    #expect(texts.contains { $0.contains("REDACTED-") })
    let bytes = Spellings.joined(texts)
    for planted in planted {
      #expect(!Spellings.leak(planted.secret, in: bytes), "\(planted.place)")
    }
  }

  private func ask(_ request: Request, of server: String) async -> Int? {
    guard let url = URL(string: server + request.url.target) else { return nil }
    var asked = URLRequest(url: url)
    asked.httpMethod = request.method
    asked.httpShouldHandleCookies = false
    for field in request.headers { asked.addValue(field.value, forHTTPHeaderField: field.name) }
    if !request.body.data.isEmpty { asked.httpBody = request.body.data }
    let session = URLSession(configuration: .ephemeral)
    defer { session.finishTasksAndInvalidate() }
    return await session.result(of: asked).response?.statusCode
  }
}
