import Mutations
import TestSupport

@testable import WindTunnelLink
@testable import WindTunnelReports

@Suite struct ExchangeTimelineTests {
  private func timeline(
    _ link: Link,
    request: Int = 300,
    response: Int,
    isSecure: Bool = false,
    think: Duration = .zero,
    ordinal: Int = 1
  ) -> ExchangeTimeline {
    ExchangeTimeline(
      link,
      requestBytes: request,
      responseBytes: response,
      isSecure: isSecure,
      think: think,
      draws: .nth(ordinal)
    )
  }

  @Test func `every stage of a clean exchange has its round trip`() {
    var link = Link.symmetric(roundTrip: 100)
    link.dnsDelay = .milliseconds(30)
    let whole = timeline(link, response: 1000, isSecure: true, think: .milliseconds(7))
    expectEqual(whole.resolved, .milliseconds(30))
    expectEqual(whole.connected, .milliseconds(130))
    expectEqual(whole.secured, .milliseconds(230))
    expectEqual(whole.requestDelivered, .milliseconds(280))
    expectEqual(whole.firstByte, .milliseconds(337))
    expectEqual(whole.arrivals, [.init(at: .milliseconds(337), totalBytes: 1000)])
    expectEqual(whole.done, .milliseconds(337))
    #expect(whole.failure == nil && whole.failedAt == nil)
  }

  @Test(arguments: [("nlc/3g", 100_000, 1540.0), ("nlc/edge", 14_480, 2210.0)])
  func `a narrow link takes as long as a kernel took on it`(
    name: String,
    bytes: Int,
    milliseconds: Double
  ) throws {
    let link = try #require(LinkPreset.named(name)).link
    let done = try #require(timeline(link, response: bytes).done).inMilliseconds
    #expect(abs(done - milliseconds) <= milliseconds / 20)
  }

  @Test(arguments: 0..<60)
  func `whatever is lost, every byte comes once and in order`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let chain = GilbertElliott(
      goodToBad: generator.pick([0.01, 0.1]),
      badToGood: generator.pick([0.2, 0.6]),
      lossInGood: generator.pick([0, 0.02]),
      lossInBad: generator.pick([0.5, 0.9])
    )
    let models: [LossModel] = [.none, .bernoulli(0.2), .bernoulli(0.02), .gilbertElliott(chain)]
    var link = Link.symmetric(
      roundTrip: generator.pick([0, 1, 40, 300, 1500]),
      up: generator.pick(models),
      down: generator.pick(models),
      bitsPerSecond: generator.pick([nil, 300_000, 20_000_000])
    )
    if link.down.delay > .zero, Bool.random(using: &generator) {
      link.down.jitter = Jitter(link.down.delay, distribution: .normal, correlation: 0.25)
    }
    if link.down.bitsPerSecond != nil { link.down.queuePackets = generator.pick([nil, 1, 10]) }
    let bytes = generator.pick([1, 1448, 14_480, 100_000])
    let told = timeline(link, response: bytes, ordinal: Int(seed) + 1)
    let moments = told.arrivals.map(\.at)
    let counts = told.arrivals.map(\.totalBytes)
    expectEqual(moments, moments.sorted())
    expectEqual(counts, Array(Set(counts)).sorted())
    guard let done = told.done else {
      #expect(told.failure != nil && counts.last ?? 0 < bytes)
      return
    }
    #expect(counts.last == bytes && moments.last == done)
    #expect(told.firstByte == moments.first && told.failure == nil)
    let connected = try #require(told.connected)
    let delivered = try #require(told.requestDelivered)
    #expect(connected <= delivered && delivered <= done)
  }

  @Test func `what never arrives is given up where Linux gives up`() {
    let dead = timeline(.symmetric(roundTrip: 20, up: .bernoulli(1)), response: 1)
    #expect(dead.failure == .connect && dead.done == nil && dead.connected == nil)
    // 67 s by doubling and 64 more for the linear repeats.
    let given = dead.failedAt?.inMilliseconds ?? 0
    #expect(125_000...140_000 ~= given)
    let data = LossModel.script(LossScript(data: Set(1...100)))
    let mute = timeline(.symmetric(roundTrip: 20, down: data), response: 1000)
    #expect(mute.failure == .response && mute.arrivals.isEmpty && mute.requestDelivered != nil)
    let unasked = timeline(.symmetric(roundTrip: 20, up: data), response: 1000)
    #expect(unasked.failure == .request && unasked.connected == .milliseconds(20))
  }

  @Test func `repeats of a SYN take no room on a link while it was not lost`() {
    // A repeat that is planned and not sent must not delay what follows.
    let link = Link.symmetric(roundTrip: 200, bitsPerSecond: 780_000)
    let connected = timeline(link, response: 1).connected?.inMilliseconds ?? 0
    #expect(abs(connected - 201.23) < 0.01)
  }

  @Test func `a second and more of round trip repeats the SYN in vain and loses nothing by it`() {
    let link = Link.symmetric(roundTrip: 2000)
    let told = timeline(link, response: 14_480)
    expectEqual(told.connected, .seconds(2))
    // A window of ten, in spite of the repeats.
    expectEqual(told.transfer, .seconds(2))
  }
}
