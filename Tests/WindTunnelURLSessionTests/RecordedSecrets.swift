import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelURLSession

/// A session that records what an origin answers, and the folder to which it writes.
final class RecordedSecrets {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  let journal: RecordingJournal
  let deck: Deck
  let session: URLSession

  /// Records the answers to some requests.
  init(_ interactions: [Interaction], _ matcher: Matcher) async throws {
    let answers = Deck(Cassette(interactions), matcher: matcher, then: .repeat)
    let origin = try await ReplayServer(answers, .patient)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    journal = try RecordingJournal(besides: folder.appendingPathComponent("a.json"))
    let mapping = ["api.example.test": RequestURL(origin.url)]
    let options = PlaybackOptions(mode: .rewrite, mapping: mapping)
    deck = Deck(Cassette(), options: options, recordingJournal: journal)
    session = deck.session()
    for interaction in interactions {
      let request = interaction.request
      let seen = await session.seen(try #require(URLRequest(request)))
      expectEqual(
        seen.status,
        interaction.response?.status,
        "\(request.method) \(request.url.path)"
      )
    }
    await origin.stop(grace: .zero)
    expectNil(journal.problem)
  }

  // What cannot be removed is left to the system's own cleaning.
  deinit { try? FileManager.default.removeItem(at: folder) }

  var file: URL { folder.appendingPathComponent("a.json") }

  func end() {
    journal.remove()
    session.finishTasksAndInvalidate()
  }
}
