internal import Foundation
internal import WindTunnel

/// What recording costs from the first answer to the written cassette, its journal included.
enum RecordBench {
  /// Times of twice as many interactions of 4 KiB by times of half.
  static func ratios(rounds: Int, count: Int, freshSecrets: Bool) throws -> [Double] {
    try (0..<rounds).map { _ in
      let half = try milliseconds(count / 2, freshSecrets)
      return try milliseconds(count, freshSecrets) / half
    }
  }

  /// Records so many into a folder of its own.
  static func milliseconds(_ count: Int, _ freshSecrets: Bool) throws -> Double {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Nobody misses a folder that stays behind in the system's temporary one.
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("a.json")
    let interactions = (0..<count).map { interaction($0, freshSecrets) }
    let start = ContinuousClock.now
    let journal = try RecordingJournal(besides: file)
    let deck = Deck(Cassette(), mode: .rewrite, recordingJournal: journal)
    for interaction in interactions {
      deck.keep(interaction, for: deck.decide(interaction.request))
    }
    try deck.recorded().cassette.write(to: file)
    journal.remove()
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  private static func interaction(_ number: Int, _ freshSecret: Bool) -> Interaction {
    let request = Request(
      "GET",
      RequestURL("\(Tape.origin)/\(number)"),
      headers: ["Authorization": "Bearer one-token-for-all-of-them"]
    )
    let text = String(repeating: "words of no meaning \(number) ", count: 200).prefix(4096)
    var response = Response.text(Body(String(text)))
    if freshSecret {
      response.head.headers.append("Set-Cookie", "sid=session-\(number)-\(number &* 7919)")
    }
    return Interaction(request, response)
  }
}
