import Origins
import PlantedSecrets
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelURLSession

/// Secrets that are hard to see and pass a session while it records: in its journal, on its cassette
/// and in what it says of them.
@Suite(.timeLimit(.minutes(5))) struct HardSecretsTests {
  /// Those that redaction does not find; `HardSecretTests` counts them.
  private static let known: Set<String> = [
    "Chinese in GBK", "percent signs of percent signs", "bytes of Node as numbers", "redis-cli",
    // Part of these few digits is looked for, too, and is found by chance in a time.
    "PIN of a card",
  ]
  /// The field by which the origin finds the answer: several cases have one address.
  private static let field = "X-Case"

  private static func travels(_ interaction: Interaction) -> Bool {
    let (request, response) = (interaction.request, interaction.response)
    return response.map { $0.status >= 200 } == true && request.url.userInfo == nil
      && request.url.origin == "https://api.example.test"
  }

  @Test func `no hard secret that passes a session is written in any form`() async throws {
    let cases = HardSecret.all.filter { $0.interactions.allSatisfy(Self.travels) }
    expectEqual(cases.count, HardSecret.all.count - 3)
    let interactions = cases.flatMap(\.interactions).enumerated().map { index, interaction in
      var interaction = interaction
      interaction.request.headers.append(Self.field, "\(index + 1)")
      return interaction
    }
    var matcher = Matcher.pathAndQuery
    (matcher.ignoredQuery, matcher.headers) = (["*"], [Self.field])
    let recording = try await RecordedSecrets(interactions, matcher)
    let folder = recording.folder
    try expectEqual(Self.leaking(cases, in: folder), [])
    let (cassette, leftOut) = recording.deck.recorded()
    expectEqual(cassette.interactions.count, interactions.count - leftOut.count)
    #expect(leftOut.count <= 3)
    try Data(leftOut.joined(separator: "\n").utf8).write(to: folder.appendingPathComponent("out"))
    try cassette.write(to: recording.file)
    try expectEqual(Self.leaking(cases, in: folder), [])
    recording.end()
  }

  private static func leaking(_ cases: [HardSecret], in folder: URL) throws -> [String] {
    let texts = try Spellings.texts(in: folder)
    #expect(texts.contains { $0.contains("REDACTED-") })
    let bytes = Spellings.joined(texts)
    return cases.filter { hard in hard.secrets.contains { Spellings.leak($0, in: bytes) } }
      .map(\.title).filter { !known.contains($0) }
  }
}
