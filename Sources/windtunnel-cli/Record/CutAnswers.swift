internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelSymptoms

/// Answers that were recorded as broken off: the client met it, and whoever records should know why.
enum CutAnswers {
  private static let linesMax = 10

  /// Says which they are, of those that were not on the tape before, without secrets.
  static func complain(_ recorded: Cassette, besides tape: Cassette) {
    let known = Set(tape.interactions)
    let lines = recorded.interactions.filter { !known.contains($0) }.compactMap { interaction in
      guard case .cut(_, let failure) = interaction.answer else { return nil as String? }
      let reason = failure.text ?? failure.symptom.rawValue
      return
        "\(interaction.request.method) \(interaction.request.url): recorded as broken off: \(reason)"
    }
    for line in lines.prefix(linesMax) { Terminal.complain(line) }
    if lines.count > linesMax { Terminal.complain("and \(lines.count - linesMax) more") }
  }
}
