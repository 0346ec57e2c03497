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

  /// Journals so many answers as they come from an origin, for a profiler.
  static func keep(_ count: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Nobody misses a folder that stays behind in the system's temporary one.
    defer { try? FileManager.default.removeItem(at: folder) }
    let journal = try RecordingJournal(besides: folder.appendingPathComponent("a.json"))
    let deck = Deck(Cassette(), mode: .rewrite, recordingJournal: journal)
    let fields = Tape.fields.sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) }
    let response = Response(headers: HeaderFields(fields), body: Body(Tape.body))
    for number in 0..<count {
      let request = Request("GET", RequestURL("http://127.0.0.1:8000\(Tape.path(number))"))
      let outcome = deck.decide(request)
      let timing = Timing(firstByte: .zero, lastByte: .zero)
      deck.keep(Interaction(request, .response(response), timing: timing), for: outcome)
    }
    journal.remove()
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
