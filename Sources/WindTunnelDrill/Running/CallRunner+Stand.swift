internal import Foundation
internal import WindTunnel
internal import WindTunnelServer
internal import WindTunnelSymptoms

extension CallRunner {
  /// What is played where.
  struct Stand: Sendable {
    var cassette: Cassette
    var scenario: Scenario
    var mix = Mix()
    var seed: UInt64
    var stage: Stage
    var errors: Symptom.Platform
    /// How old the weather is when the first attempt comes, for rules that follow the clock.
    var elapsed: Duration?
    /// Who issues the certificates, where the client is told whom to trust, and where that stands.
    var authority: (issuer: CertificateAuthority, file: URL)?
    /// What tells the harness that a call hangs.
    var hanging = Alarm.clock
    /// What tells callers to give their calls up.
    var givingUp = Alarm.clock
  }
}
