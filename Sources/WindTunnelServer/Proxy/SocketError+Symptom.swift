internal import WindTunnelSymptoms

extension SocketError {
  /// What a client that connects by itself would have seen.
  var symptom: Symptom {
    switch kind {
    case .refused: .connectionRefused
    case .timedOut: .timedOut
    case .unreachable: .offline
    case .hostNotFound: .hostNotFound
    default: .connectionLost
    }
  }
}
