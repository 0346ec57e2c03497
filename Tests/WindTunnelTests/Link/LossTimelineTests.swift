import Testing

@testable import WindTunnel

/// Times of a Linux 6.18 kernel with CUBIC for exactly dropped packets, base round trip included.
@Suite struct LossTimelineTests {
  struct Measured: Sendable, CustomTestStringConvertible {
    var name: String
    var up: Set<Int> = []
    var down: Set<Int> = []
    var segments = 1
    /// By round trips of 20, 100 and 400 ms.
    var milliseconds: [Double]
    /// Where the model is known to be off, as the kernel's congestion control is not modelled.
    var exceptions: Set<Int> = []
    var testDescription: String { name }
  }

  static let request = LossTimeline.segmentsStart
  static let response = LossTimeline.segmentsStart - 1
  static let repeats = LossTimeline.repeatsStart

  static let measured = [
    Measured(name: "request lost once", up: [request], milliseconds: [246, 423, 1406]),
    Measured(
      name: "request lost twice",
      up: [request, repeats],
      milliseconds: [474, 764, 2639]
    ),
    Measured(
      name: "request lost three times",
      up: [request, repeats, repeats + 1],
      milliseconds: [954, 1397, 5295]
    ),
    Measured(
      name: "segment 5 of 10",
      down: [response + 5],
      segments: 10,
      milliseconds: [42, 202, 802]
    ),
    Measured(
      name: "segment 8 of 10",
      down: [response + 8],
      segments: 10,
      milliseconds: [54, 241, 915]
    ),
    Measured(
      name: "segment 10 of 10",
      down: [response + 10],
      segments: 10,
      milliseconds: [267, 531, 1817]
    ),
    Measured(
      name: "last 2 of 10",
      down: [response + 9, response + 10],
      segments: 10,
      milliseconds: [107, 507, 2022]
    ),
    // With BBR the kernel took 608 ms.
    Measured(
      name: "last 3 of 10",
      down: [response + 8, response + 9, response + 10],
      segments: 10,
      milliseconds: [127, 831, 2423],
      exceptions: [100]
    ),
    Measured(
      name: "all of 10",
      down: Set((1...10).map { response + $0 }),
      segments: 10,
      milliseconds: [148, 932, 2832],
      exceptions: [100]
    ),
    Measured(name: "100 segments, none lost", segments: 100, milliseconds: [83, 404, 1604]),
    Measured(
      name: "segment 1 of 100",
      down: [response + 1],
      segments: 100,
      milliseconds: [226, 1107, 4407]
    ),
    Measured(
      name: "segment 20 of 100",
      down: [response + 20],
      segments: 100,
      milliseconds: [125, 605, 2405]
    ),
    Measured(
      name: "segment 100 of 100",
      down: [response + 100],
      segments: 100,
      milliseconds: [331, 811, 2915]
    ),
    Measured(name: "SYN lost once", up: [0], milliseconds: [1051, 1120, 1423]),
    Measured(name: "SYN lost twice", up: [0, 1], milliseconds: [2059, 2139, 2444]),
    Measured(name: "SYN lost three times", up: [0, 1, 2], milliseconds: [3079, 3162, 3469]),
    Measured(name: "SYN-ACK lost", down: [0], milliseconds: [1023, 1115, 1413]),
  ]

  private func total(_ case: Measured, _ roundTrip: Int) -> Double {
    let costs = LossTimeline(
      roundTrip: .milliseconds(roundTrip),
      requestBytes: 300,
      responseBytes: `case`.segments * LossTimeline.segmentBytes,
      up: `case`.up.contains,
      down: `case`.down.contains
    )
    let pauses = costs.pauses.reduce(costs.request + costs.firstByte) { $0 + $1.length }
    return Double(roundTrip) + pauses.inMilliseconds
  }

  @Test(arguments: measured)
  func `the closed forms lie within a twentieth of a kernel's times`(measured: Measured) {
    for (roundTrip, expected) in zip([20, 100, 400], measured.milliseconds)
    where !measured.exceptions.contains(roundTrip) {
      let off = abs(total(measured, roundTrip) - expected)
      #expect(
        off <= expected / 20,
        "\(roundTrip) ms: \(total(measured, roundTrip)) for \(expected)"
      )
    }
  }

  @Test func `nothing lost and one flight cost nothing`() {
    let costs = LossTimeline(
      roundTrip: .milliseconds(100),
      requestBytes: 300,
      responseBytes: 10 * 1448,
      up: { _ in false },
      down: { _ in false }
    )
    #expect(costs == costs.with(pauses: []))
    #expect(costs.request + costs.firstByte == .zero)
  }

  @Test func `an unlucky repeat counts only after the ones before it were lost`() {
    let once = Measured(name: "", up: [Self.request], milliseconds: [])
    let later = Measured(name: "", up: [Self.request, Self.repeats + 1], milliseconds: [])
    #expect(total(once, 100) == total(later, 100))
  }

  @Test func `no packet's number is drawn for two purposes`() {
    for lostAlways in [0..<50, 50..<100, 100..<100_000] {
      var asked: [Int: Int] = [:]
      _ = LossTimeline(
        roundTrip: .milliseconds(100),
        requestBytes: 1,
        responseBytes: 50_000 * 1448,
        up: { _ in false },
        down: {
          asked[$0, default: 0] += 1
          return lostAlways.contains($0)
        }
      )
      #expect(asked.values.allSatisfy { $0 == 1 })
      #expect(asked.keys.allSatisfy { $0 < 6 || 50..<56 ~= $0 || $0 >= 100 })
    }
  }

  @Test(arguments: 0..<50)
  func `pauses lie in order, inside the response and in front of segments`(seed: UInt64) {
    var generator = Generator(seed: seed)
    let lost = (0..<300).map { _ in Int.random(in: 0..<10, using: &generator) == 0 }
    let costs = LossTimeline(
      roundTrip: .milliseconds(100),
      requestBytes: 1,
      responseBytes: 200 * 1448,
      up: { _ in false },
      down: { lost[$0] }
    )
    let offsets = costs.pauses.map(\.offset)
    #expect(offsets == offsets.sorted())
    #expect(offsets.allSatisfy { $0 > 0 && $0 < 200 * 1448 && $0.isMultiple(of: 1448) })
    #expect(costs.pauses.allSatisfy { $0.length > .zero })
  }
}

extension LossTimeline {
  fileprivate func with(pauses: [Pause]) -> LossTimeline {
    var copy = self
    copy.pauses = pauses
    return copy
  }
}
