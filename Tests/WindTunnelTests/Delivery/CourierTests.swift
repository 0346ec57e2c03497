import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

@Suite struct CourierTests {
  /// A stage that notes what it performs, and waits after each piece of a body.
  private final class NotingStage: Courier {
    var queue: ActionQueue
    var now: Duration? = .zero
    var isReady = true
    var notes: [String] = []

    init(_ delivery: Delivery) { queue = ActionQueue(Player(delivery)) }

    func carried() { notes.append("carried") }
    func send(_ head: ResponseHead) { notes.append("head \(head.status)") }
    func send(_ data: Data) {
      notes.append("bytes \(String(decoding: data, as: UTF8.self))")
      isReady = false
      if data.count > 3 { queue.putBack(.bytes(data.dropFirst(3))) }
    }
    func forward() { notes.append("forward") }
    func finish(_ afterwards: Delivery.Afterwards) { notes.append("finish") }
    func closeWrite() { notes.append("closeWrite") }
    func close() { notes.append("close") }
    func reset() { notes.append("reset") }
    func stall() { notes.append("stall") }
    func fail(_ symptom: Symptom) { notes.append("fail") }
    func shakeHands(_ handshake: Handshake) { notes.append("shakeHands") }
    func converse(_ head: ResponseHead, _ faults: [ConversationFault]) { notes.append("converse") }
    func relay() { notes.append("relay") }
    func pass(_ count: Int, _ way: Link.Way) { notes.append("pass") }
    func passEnd(_ way: Link.Way) { notes.append("passEnd") }
    func hold(_ way: Link.Way, _ isHeld: Bool) { notes.append("hold") }
    func wake(at moment: Duration) { notes.append("wake") }
  }

  @Test func `what a stage cannot take waits, and comes first afterwards`() throws {
    let head = ResponseHead(status: 200)
    let steps: [Delivery.Step] = [.await(.requestEnd), .head(head), .bytes("abcdef"), .reset]
    let stage = NotingStage(Delivery(steps))
    stage.advance(.arrived(.requestEnd))
    expectEqual(stage.notes, ["head 200", "bytes abcdef", "carried"])
    #expect(!stage.queue.isEmpty && !stage.queue.isDone)
    stage.isReady = true
    stage.carry()
    expectEqual(stage.notes.suffix(2), ["bytes def", "carried"])
    stage.isReady = true
    stage.carry()
    expectEqual(stage.notes.suffix(2), ["reset", "carried"])
    #expect(stage.queue.isDone)
    // Without a time of its own it hears of nothing.
    stage.now = nil
    stage.advance(.tick)
    expectEqual(stage.notes.count, 7)
  }

  @Test func `what is removed is not performed`() {
    var queue = ActionQueue()
    #expect(queue.isEmpty && queue.first == nil && !queue.isDone)
    expectNil(queue.next())
    queue = ActionQueue(Player(Delivery([.await(.requestEnd), .reset])))
    queue.add(.arrived(.requestEnd), at: .zero)
    expectEqual(queue.first, .reset)
    queue.removeAll()
    expectNil(queue.next())
  }
}
