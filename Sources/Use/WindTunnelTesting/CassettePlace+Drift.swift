internal import Foundation
internal import WindTunnel
internal import WindTunnelServer
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension CassettePlace {
  /// Compares, where `WINDTUNNEL_RECORD` is `verify`, the live origins' answers with what a test
  /// was played.
  ///
  /// Asked by `URLSession`, like what tests record. Only what is safe is asked, and what needs a
  /// secret only where the environment has it; and each interaction once a process, however many
  /// tests play it.
  func drift(of deck: Deck, _ settings: CassetteSettings = CassetteSettings()) async -> Drift {
    var drift = Drift()
    guard mode == .verify else { return drift }
    let interactions = deck.interactions
    for place in Set(deck.journal.plays).sorted() {
      let interaction = interactions[place]
      let verdict = await Verdicts.shared.verdict(on: interaction, of: self, settings) {
        await ask(about: interaction, settings)
      }
      drift.entries.append(Drift.Entry(place + 1, interaction.request, verdict))
    }
    return drift
  }

  /// Returns the interactions that could not be asked, told once a process: a sentence for each.
  func skipped(_ drift: Drift) async -> [String] {
    var told: [String] = []
    for entry in drift.skipped {
      guard case .skipped(let reason) = entry.verdict else { continue }
      let sentence =
        "Not verified: #\(entry.number) \(entry.request) of \(file.path), since \(reason)."
      if await Verdicts.shared.isNews(sentence) { told.append(sentence) }
    }
    return told
  }

  private func ask(about interaction: Interaction, _ settings: CassetteSettings) async
    -> Drift.Verdict
  {
    if let reason = Drift.reasonToSkip(interaction, asksUnsafe: false) { return .skipped(reason) }
    let asked: Request
    do throws(Secrets.Missing) {
      asked = try Secrets(secrets).restored(interaction.request)
    } catch {
      return .skipped("there is no secret for \(error.part)")
    }
    guard asked.url.host != nil, let url = URL(string: asked.url.description) else {
      return .skipped("it names no host")
    }
    var request = URLRequest(url: url)
    request.httpMethod = asked.method
    for field in asked.headers { request.setValue(field.value, forHTTPHeaderField: field.name) }
    let live = Deck(
      Cassette(),
      options: PlaybackOptions(
        mode: .rewrite,
        redaction: settings.options.redaction,
        mapping: settings.options.mapping
      )
    )
    await Self.ask(request, through: live)
    // Of a redirect the first hop; the others are interactions of their own.
    guard let answer = live.recorded().cassette.interactions.first?.result else {
      return .skipped("its live answer repeats a credential, so that it cannot be shown")
    }
    return Drift.Verdict(interaction, asked: asked, live: answer, settings.options.redaction)
  }

  /// `WINDTUNNEL_SECRET_ACCESS_TOKEN` stands for every `REDACTED-access-token-N`,
  /// `WINDTUNNEL_SECRET_ACCESS_TOKEN_2` for the second alone.
  static func secrets(_ environment: [String: String]) throws -> [String: String] {
    let prefix = "WINDTUNNEL_SECRET_"
    var secrets: [String: String] = [:]
    for (variable, value) in environment where variable.hasPrefix(prefix) {
      let name = variable.dropFirst(prefix.count).lowercased().replacing("_", with: "-")
      guard !name.isEmpty, !value.isEmpty else {
        throw CassetteProblem(
          "\(variable) names no secret: it is empty or has no name, as in \(prefix)AUTHORIZATION."
        )
      }
      // Whoever could break a field's line could write a request.
      guard !value.utf8.contains(where: { $0 < 0x20 }) else {
        throw CassetteProblem("What \(variable) holds is more than one line, so it is no secret.")
      }
      secrets[name] = value
    }
    return secrets
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

/// The verdicts on live origins in this process.
private actor Verdicts {
  static let shared = Verdicts()

  private struct Question: Hashable {
    var place: CassettePlace
    var interaction: Interaction
    var mapping: [String: RequestURL]
    var redaction: RedactionRules
  }

  private var verdicts: [Question: Task<Drift.Verdict, Never>] = [:]
  private var told: Set<String> = []

  /// Asks, where nobody has.
  func verdict(
    on interaction: Interaction,
    of place: CassettePlace,
    _ settings: CassetteSettings,
    asking: @Sendable @escaping () async -> Drift.Verdict
  ) async -> Drift.Verdict {
    let question = Question(
      place: place,
      interaction: interaction,
      mapping: settings.options.mapping,
      redaction: settings.options.redaction
    )
    let task = verdicts[question] ?? Task { await asking() }
    verdicts[question] = task
    return await task.value
  }

  func isNews(_ sentence: String) -> Bool { told.insert(sentence).inserted }
}
