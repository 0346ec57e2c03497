/// The fates of the packets of one direction of one connection, one after the other.
///
/// A chain begins in its stationary distribution, so the first packets of many short connections
/// fare as those of a long one do.
struct LossChain: Sendable, Hashable {
  private let model: LossModel
  private let draws: Draws
  private var isBad = false
  private var (packets, handshakes, data, acknowledgements) = (0, 0, 0, 0)

  init(_ model: LossModel, _ draws: Draws) {
    self.model = model
    self.draws = draws
    if case .gilbertElliott(let chain) = model {
      isBad = draws.unit(Self.firstState) < chain.stationaryBad
    }
  }

  /// What indices of draws are for: each packet has its own, so a lost one shifts none.
  private static let (firstState, perPacket) = (0, 2)

  /// Whether the next packet is lost.
  mutating func isLost(_ kind: Packet.Kind) -> Bool {
    packets += 1
    switch model {
    case .none: return false
    case .bernoulli(let probability):
      return draws.unit(packets * Self.perPacket) < probability
    case .gilbertElliott(let chain):
      let step = draws.unit(packets * Self.perPacket)
      if step < (isBad ? chain.badToGood : chain.goodToBad) { isBad.toggle() }
      let probability = isBad ? chain.lossInBad : chain.lossInGood
      return draws.unit(packets * Self.perPacket + 1) < probability
    case .script(let script):
      if script.packets.contains(packets) { return true }
      switch kind {
      case .synchronise, .synchroniseAcknowledge:
        handshakes += 1
        return script.handshake.contains(handshakes)
      case .data:
        data += 1
        return script.data.contains(data)
      case .acknowledgement:
        acknowledgements += 1
        return script.acknowledgements.contains(acknowledgements)
      }
    }
  }
}
