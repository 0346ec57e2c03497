internal import WindTunnel

extension Flight {
  /// Why a delivery cannot be carried without a socket, in words; `nil` where it can.
  static func refusal(of delivery: Delivery) -> HarnessError? {
    let lacking = delivery.needs.subtracting(Stage.inProcess.abilities)
    guard !lacking.isEmpty else { return nil }
    let nouns = lacking.map(\.noun).sorted().joined(separator: " and ")
    return HarnessError(
      """
      What was decided for this request takes \(nouns), which no URLProtocol has. Play the same deck \
      on a loopback server.
      """
    )
  }
}
