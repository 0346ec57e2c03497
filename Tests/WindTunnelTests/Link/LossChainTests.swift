import TestSupport

@testable import WindTunnelCassettes
@testable import WindTunnelLink
@testable import WindTunnelRedaction
@testable import WindTunnelReports

@Suite struct LossChainTests {
  private static let burst = GilbertElliott(goodToBad: 0.02, badToGood: 0.25)

  @Test(arguments: [
    burst,
    GilbertElliott(goodToBad: 0.1, badToGood: 0.3, lossInGood: 0.01, lossInBad: 0.6),
  ])
  func `a chain loses in the long run what its formula says`(chain: GilbertElliott) {
    var packets = LossChain(.gilbertElliott(chain), ConnectionDraws.nth(1).up)
    let count = 200_000
    let lost = (0..<count).count { _ in packets.isLost(.data) }
    #expect(abs(Double(lost) / Double(count) - chain.stationaryLoss) < 0.006)
  }

  @Test func `bursts are as long as one over the way back`() {
    var packets = LossChain(.gilbertElliott(Self.burst), ConnectionDraws.nth(2).up)
    let fates = (0..<200_000).map { _ in packets.isLost(.data) }
    let bursts = zip([false] + fates, fates).count { !$0 && $1 }
    let mean = Double(fates.count { $0 }) / Double(bursts)
    #expect(abs(mean - 4) < 0.2)
  }

  @Test func `the first packets of many connections fare as those of a long one`() {
    let count = 20_000
    let lost = (1...count).count { ordinal in
      var packets = LossChain(.gilbertElliott(Self.burst), ConnectionDraws.nth(ordinal).down)
      return packets.isLost(.synchroniseAcknowledge)
    }
    #expect(abs(Double(lost) / Double(count) - Self.burst.stationaryLoss) < 0.006)
  }

  @Test func `a script loses its packets, among all and among their kinds, and no others`() {
    let script = LossScript(packets: [1], handshake: [2], data: [1, 3], acknowledgements: [2])
    var packets = LossChain(.script(script), ConnectionDraws.nth(1).up)
    let kinds: [Packet.Kind] = [
      .acknowledgement, .synchronise, .synchronise, .data, .acknowledgement, .data,
      .acknowledgement, .data, .data,
    ]
    let fates = kinds.map { packets.isLost($0) }
    expectEqual(fates, [true, false, true, true, false, false, true, true, false])
  }

  @Test func `what one direction draws, the other does not`() {
    let draws = ConnectionDraws.nth(1)
    var (up, down) = (LossChain(.bernoulli(0.5), draws.up), LossChain(.bernoulli(0.5), draws.down))
    let fates = (0..<200).map { _ in (up.isLost(.data), down.isLost(.data)) }
    #expect((70...130).contains(fates.count { $0.0 == $0.1 }))
  }

  @Test(arguments: [Jitter.Distribution.even, .normal], [0, 0.5])
  func `jitter strays around the delay, each packet by a part of the one before`(
    distribution: Jitter.Distribution,
    correlation: Double
  ) {
    let jitter = Jitter(.milliseconds(10), distribution: distribution, correlation: correlation)
    var chain = JitterChain(jitter, ConnectionDraws.nth(1).up)
    let strays = (0..<50_000).map { _ in Double(chain.next()) / 1000 }
    let count = Double(strays.count)
    let mean = strays.reduce(0, +) / count
    let variance = strays.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
    let joint = zip(strays, strays.dropFirst()).reduce(0) { $0 + ($1.0 - mean) * ($1.1 - mean) }
    let one = distribution == .even ? 100.0 / 3 : 100
    // x' = (1 − ρ)·u + ρ·x has (1 − ρ) / (1 + ρ) of u's variance.
    #expect(abs(mean) < 0.2)
    #expect(abs(variance / (one * (1 - correlation) / (1 + correlation)) - 1) < 0.05)
    #expect(abs(joint / count / variance - correlation) < 0.03)
    if distribution == .even { #expect(strays.allSatisfy { abs($0) <= 10 }) }
  }
}
