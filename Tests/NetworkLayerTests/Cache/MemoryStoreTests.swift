import Foundation
import TestSupport
import Testing

@testable import WindTunnelNetworkLayer

@Suite struct MemoryStoreTests {
  @Test func `memory is bounded, and what was used last stays`() {
    func answer(_ key: String, _ bytes: Int) -> CachedResponse {
      CachedResponse(
        key: key,
        date: ManualTime.epoch,
        varied: [:],
        status: 200,
        headers: [:],
        body: Data(count: bytes)
      )
    }
    var store = MemoryStore(bytes: 10_000)
    for number in 0..<100 {
      store.keep(answer("\(number)", 1_000))
      _ = store["0"]
      #expect(store.bytes <= 10_000)
    }
    let there = ["0", "99", "1"].map { store[$0] != nil }
    expectEqual(there, [true, true, false])
    store.keep(answer("huge", 9_000))
    let afterwards = ["huge", "99"].map { store[$0] != nil }
    expectEqual(afterwards, [false, true])
    store.removeAll()
    expectEqual(store.bytes, 0)
  }
}
