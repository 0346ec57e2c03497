import Origins
import PlantedSecrets
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelURLSession

/// Secrets that pass a session while it records: none is in any file that is written meanwhile or at
/// the end.
@Suite(.timeLimit(.minutes(5))) struct PlantedSecretsTests {
  @Test func `no planted secret that passes a session is written in any form`() async throws {
    let planted = Planted.all.filter(\.travels) + [Planted.large]
    #expect(planted.count >= 40 && Set(planted.map(\.place)).count >= 20)
    var matcher = Matcher.pathAndQuery
    matcher.ignoredQuery = ["*"]
    let recording = try await RecordedSecrets(planted.map(\.interaction), matcher)
    let folder = recording.folder
    try Self.search(folder, for: planted)
    let (cassette, leftOut) = recording.deck.recorded()
    expectEqual(leftOut, [])
    expectEqual(cassette.interactions.count, planted.count)
    try cassette.write(to: recording.file)
    // The journal is still there, and so is a body beside the cassette.
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    expectEqual(names, ["a.bodies", "a.json", "a.json.journal"])
    try Self.search(folder, for: planted)
    expectEqual(CassetteLint(try Cassette(contentsOf: recording.file)).leaks, [])
    recording.end()
  }

  private static func search(_ folder: URL, for planted: [Planted]) throws {
    let texts = try Spellings.texts(in: folder)
    #expect(texts.contains { $0.contains("REDACTED-") })
    let bytes = Spellings.joined(texts)
    for planted in planted {
      #expect(!Spellings.leak(planted.secret, in: bytes), "\(planted.place)")
    }
  }
}

extension URLRequest {
  /// The request as a client makes it; `nil` where its address is none.
  init?(_ request: Request) {
    guard let url = URL(string: request.url.description) else { return nil }
    self.init(url: url)
    httpMethod = request.method
    httpShouldHandleCookies = false
    for field in request.headers { addValue(field.value, forHTTPHeaderField: field.name) }
    if !request.body.data.isEmpty { httpBody = request.body.data }
  }
}
