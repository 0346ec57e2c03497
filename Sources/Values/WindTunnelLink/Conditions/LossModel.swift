/// A model of the packet losses in one direction.
public enum LossModel: Sendable, Hashable {
  /// No packet is lost.
  case none
  /// Each packet is lost with this probability, independently of the others.
  case bernoulli(Double)
  /// Packets are lost in bursts.
  case gilbertElliott(GilbertElliott)
  /// Exactly the packets of a script are lost.
  case script(LossScript)

  /// Whether every packet is lost.
  public var losesAll: Bool {
    switch self {
    case .none, .script: false
    case .bernoulli(let probability): probability >= 1
    case .gilbertElliott(let chain): chain.stationaryLoss >= 1
    }
  }

  /// Whether packets can be lost.
  var losesSome: Bool {
    switch self {
    case .none: false
    case .bernoulli(let probability): probability > 0
    case .gilbertElliott(let chain): chain.stationaryLoss > 0
    case .script(let script): script != LossScript()
    }
  }
}

/// Burst loss: a chain of a good and a bad state, with one step per packet (Gilbert 1960, Elliott
/// 1963).
public struct GilbertElliott: Sendable, Hashable {
  /// The probability of a step from good to bad, from 0 to 1.
  public var goodToBad: Double
  /// The probability of a step from bad to good, from 0 to 1; its reciprocal is a burst's mean
  /// length.
  public var badToGood: Double
  /// The probability that a packet is lost in the good state.
  public var lossInGood: Double
  /// The probability that a packet is lost in the bad state.
  public var lossInBad: Double

  /// Creates a chain from its probabilities.
  public init(goodToBad: Double, badToGood: Double, lossInGood: Double = 0, lossInBad: Double = 1) {
    (self.goodToBad, self.badToGood, self.lossInGood) = (goodToBad, badToGood, lossInGood)
    self.lossInBad = lossInBad
  }

  /// The share of packets in the bad state; 0 for a chain that never changes its state.
  public var stationaryBad: Double {
    let sum = goodToBad + badToGood
    return sum > 0 ? goodToBad / sum : 0
  }

  /// The long-run share of packets that are lost.
  public var stationaryLoss: Double {
    lossInGood * (1 - stationaryBad) + lossInBad * stationaryBad
  }
}

/// The numbers of the packets that are lost in one direction of a connection, from 1.
///
/// A packet has a number among all packets and one among its kind. Repeated packets count like
/// others.
public struct LossScript: Sendable, Hashable {
  /// The numbers among all packets.
  public var packets: Set<Int>
  /// The numbers among SYNs or SYN-ACKs.
  public var handshake: Set<Int>
  /// The numbers among packets with data.
  public var data: Set<Int>
  /// The numbers among acknowledgements without data.
  public var acknowledgements: Set<Int>

  /// Creates a script from packet numbers.
  public init(
    packets: Set<Int> = [],
    handshake: Set<Int> = [],
    data: Set<Int> = [],
    acknowledgements: Set<Int> = []
  ) {
    (self.packets, self.handshake, self.data) = (packets, handshake, data)
    self.acknowledgements = acknowledgements
  }
}
