import TestSupport

@testable import WindTunnelNetworkLayer

@Suite struct MemoryStoreTests {
  @Test func `memory is bounded, and what was used last stays`() {
    var store = BoundedStore<Data>(bytes: 10_000)
    func keep(_ key: String, _ bytes: Int) {
      _ = store.keep(Data(count: bytes), of: bytes, as: key)
    }
    for number in 0..<100 {
      keep("\(number)", 1_000)
      _ = store["0"]
      #expect(store.bytes <= 10_000)
    }
    let there = ["0", "99", "1"].map { store[$0] != nil }
    expectEqual(there, [true, true, false])
    keep("huge", 9_000)
    let afterwards = ["huge", "99"].map { store[$0] != nil }
    expectEqual(afterwards, [false, true])
    let removed = store.removeAll()
    #expect(removed.contains("99"))
    expectEqual(store.bytes, 0)
  }
}
