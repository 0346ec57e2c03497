internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

extension CassettePlace {
  /// In `verify` mode (`WINDTUNNEL_RECORD`), compares live responses with the responses played to a
  /// test.
  ///
  /// Requests are sent with `URLSession`, as in recordings. Only safe requests are sent, and
  /// requests that require a secret only if the environment contains it. Each interaction is
  /// verified once per process, for any number of tests.
  func drift(of deck: Deck, _ settings: CassetteSettings = CassetteSettings()) async -> Drift {
    var drift = Drift()
    guard mode == .verify else { return drift }
    let interactions = deck.interactions
    for place in Set(deck.journal.plays).sorted() {
      let interaction = interactions[place]
      let verdict = await Verdicts.shared.verdict(on: interaction, of: self, settings) {
        await ask(about: interaction, settings)
      }
      drift.entries.append(Drift.CheckedInteraction(place + 1, interaction.request, verdict))
    }
    return drift
  }

  /// Returns a sentence for each interaction that could not be verified, once per process.
  func skipped(_ drift: Drift) async -> [String] {
    var told: [String] = []
    for entry in drift.skipped {
      guard case .skipped(let reason) = entry.verdict else { continue }
      let sentence =
        "Not verified: #\(entry.number) \(entry.request) of \(file.path), because \(reason)."
      if await Verdicts.shared.isNews(sentence) { told.append(sentence) }
    }
    return told
  }

  private func ask(about interaction: Interaction, _ settings: CassetteSettings) async
    -> Drift.Status
  {
    if let reason = Drift.reasonToSkip(interaction, asksUnsafe: false) { return .skipped(reason) }
    let asked: Request
    do throws(Secrets.Missing) {
      asked = try Secrets(secrets).restored(interaction.request)
    } catch {
      return .skipped("there is no secret for \(error.part)")
    }
    guard asked.url.host != nil, let url = URL(string: asked.url.description) else {
      return .skipped("its URL has no host")
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
    // For a redirect, the first hop; the others are separate interactions.
    guard let answer = live.recorded().cassette.interactions.first?.result else {
      return .skipped("its live response contains a credential and cannot be shown")
    }
    return Drift.Status(interaction, asked: asked, live: answer, settings.options.redaction)
  }

  /// Returns the secrets in the environment by the names of their placeholders.
  ///
  /// `WINDTUNNEL_SECRET_ACCESS_TOKEN` is the value of every `REDACTED-access-token-N`, and
  /// `WINDTUNNEL_SECRET_ACCESS_TOKEN_2` of the second only.
  static func secrets(_ environment: [String: String]) throws -> [String: String] {
    let prefix = "WINDTUNNEL_SECRET_"
    var secrets: [String: String] = [:]
    for (variable, value) in environment where variable.hasPrefix(prefix) {
      let name = variable.dropFirst(prefix.count).lowercased().replacing("_", with: "-")
      guard !name.isEmpty, !value.isEmpty else {
        throw CassetteProblem(
          "\(variable) is not a secret: its value or its name is empty. Example: \(prefix)AUTHORIZATION."
        )
      }
      // A line break in a header field would allow request injection.
      guard !value.utf8.contains(where: { $0 < 0x20 }) else {
        throw CassetteProblem("The value of \(variable) is no secret: it has several lines.")
      }
      secrets[name] = value
    }
    return secrets
  }

  /// Uses a completion handler, which is safe on every platform. The deck records the response.
  private static func ask(_ request: URLRequest, through deck: Deck) async {
    let session = URLSession(configuration: .windTunnel(deck))
    await withCheckedContinuation { continuation in
      session.dataTask(with: request) { _, _, _ in continuation.resume() }.resume()
    }
    session.finishTasksAndInvalidate()
  }
}

/// The verification results of this process.
private actor Verdicts {
  static let shared = Verdicts()

  private struct Question: Hashable {
    var place: CassettePlace
    var interaction: Interaction
    var mapping: [String: RequestURL]
    var redaction: RedactionRules
  }

  private var verdicts: [Question: Task<Drift.Status, Never>] = [:]
  private var told: Set<String> = []

  /// Verifies an interaction, or returns its earlier result.
  func verdict(
    on interaction: Interaction,
    of place: CassettePlace,
    _ settings: CassetteSettings,
    asking: @Sendable @escaping () async -> Drift.Status
  ) async -> Drift.Status {
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
