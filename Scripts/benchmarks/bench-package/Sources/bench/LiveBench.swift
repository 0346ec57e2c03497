internal import Dispatch
internal import Foundation
internal import WindTunnel
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Recording through `URLSession` against the same way to the origin without keeping anything, round
/// about. The origin is another process's.
struct LiveBench {
  /// What of a recording is measured.
  enum Keeping: String, CaseIterable {
    /// In memory.
    case memory = "in memory"
    /// In memory and in the journal beside the cassette.
    case journal = "with its journal"
  }

  private let recording: URLSession
  private let passing: URLSession
  private let deck: Deck
  private let origin: String
  private let folder: URL
  private let bytes: Int

  struct Lost: Error {
    let kept: Int
    let asked: Int
  }

  /// Asks an origin whose answers are of so many bytes.
  init(_ origin: URL, bytes: Int, _ keeping: Keeping) throws {
    self.origin = origin.absoluteString
    self.bytes = bytes
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("a.json")
    deck = Deck(
      Cassette(),
      mode: .rewrite,
      recordingJournal: keeping == .journal ? try RecordingJournal(besides: file) : nil
    )
    recording = URLSession(configuration: .windTunnel(deck))
    let ignored = Deck(
      Cassette(),
      options: PlaybackOptions(mode: .rewrite, ignoring: [origin.host ?? ""])
    )
    passing = URLSession(configuration: .windTunnel(ignored))
  }

  /// The ratios of time with keeping to time without, one a round.
  func ratios(rounds: Int, requests: Int) throws -> [Double] {
    // Nobody misses a folder that stays behind in the system's temporary one.
    defer { try? FileManager.default.removeItem(at: folder) }
    let urls = (0..<requests).compactMap { URL(string: origin + Tape.path($0)) }
    for session in [recording, passing] { try SessionBench.ask(session, for: urls, bytes: bytes) }
    let ratios = try (0..<rounds).map { round in
      let order = round.isMultiple(of: 2) ? [recording, passing] : [passing, recording]
      let times = try order.map { session in
        try nanoseconds { try SessionBench.ask(session, for: urls, bytes: bytes) }
      }
      return round.isMultiple(of: 2) ? times[0] / times[1] : times[1] / times[0]
    }
    // Nothing is faster than not to record.
    let (kept, asked) = (deck.recorded().cassette.interactions.count, (rounds + 1) * requests)
    guard kept == asked else { throw Lost(kept: kept, asked: asked) }
    return ratios
  }
}
