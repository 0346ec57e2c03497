internal import Foundation
internal import WindTunnel
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension CassettePlace {
  /// Where `WINDTUNNEL_RECORD` is `verify`: how the live origins answer what a test was played.
  ///
  /// Asked by `URLSession`, like what tests record. Only what is safe is asked; what needs a secret
  /// is skipped, for which there is `windtunnel record --mode verify --secret`.
  func drift(of deck: Deck) async -> Drift {
    var drift = Drift()
    guard mode == .verify else { return drift }
    for (index, interaction) in deck.interactions.enumerated() {
      let verdict = await Self.verdict(on: interaction)
      drift.entries.append(Drift.Entry(index + 1, interaction.request, verdict))
    }
    return drift
  }

  private static func verdict(on interaction: Interaction) async -> Drift.Verdict {
    if let reason = Drift.reasonToSkip(interaction, asksUnsafe: false) { return .skipped(reason) }
    let asked: Request
    do throws(Secrets.Missing) {
      asked = try Secrets([:]).restored(interaction.request)
    } catch {
      return .skipped("there is no secret for \(error.part)")
    }
    guard asked.url.host != nil, let url = URL(string: asked.url.description) else {
      return .skipped("it names no host")
    }
    var request = URLRequest(url: url)
    request.httpMethod = asked.method
    for field in asked.headers { request.setValue(field.value, forHTTPHeaderField: field.name) }
    let live = Deck(Cassette(), mode: .rewrite)
    await ask(request, through: live)
    // Of a redirect the first hop; the others are interactions of their own.
    guard let answer = live.recorded().cassette.interactions.first?.answer else {
      return .skipped("its live answer repeats a credential, so that it cannot be shown")
    }
    return Drift.Verdict(interaction, asked: asked, live: answer)
  }

  /// By completion handler: it is safe on every platform. The deck keeps what came.
  private static func ask(_ request: URLRequest, through deck: Deck) async {
    let session = URLSession(configuration: .windTunnel(deck))
    await withCheckedContinuation { continuation in
      session.dataTask(with: request) { _, _, _ in continuation.resume() }.resume()
    }
    session.finishTasksAndInvalidate()
  }
}
