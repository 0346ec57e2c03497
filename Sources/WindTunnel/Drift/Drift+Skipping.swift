internal import WindTunnelSymptoms

extension Drift {
  /// Why a live origin cannot be asked for an interaction; `nil` if it can.
  package static func reasonToSkip(_ interaction: Interaction, asksUnsafe: Bool) -> String? {
    let request = interaction.request
    if let failure = interaction.failure {
      return "a failure was recorded, \(failure.symptom.rawValue)"
    }
    if !interaction.messages.isEmpty { return "it is a WebSocket" }
    // RFC 9110 §9.2.1, but for TRACE, which clients do not send.
    if !asksUnsafe, !["GET", "HEAD", "OPTIONS"].contains(request.method) {
      return "\(request.method) is not safe to ask again"
    }
    return request.url.path.contains("{") ? "its address is a pattern" : nil
  }
}
