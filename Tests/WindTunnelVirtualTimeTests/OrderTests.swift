import Foundation
import Testing
import WindTunnelVirtualTime

/// The order of turns: the same each time, and of the same seed.
@Suite(.onThisSystem, .timeLimit(.minutes(5))) struct OrderTests {
  private actor Log {
    var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
  }

  private static func flight(_ order: TurnOrder, seed: UInt64? = 7) async throws -> [String] {
    try await VirtualTime.run(in: order, seed: seed, startingAt: Date(timeIntervalSince1970: 1000))
    {
      let log = Log()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask {
            for attempt in 0..<3 {
              try? await Task.sleep(for: .milliseconds(Int.random(in: 1...5) * 100))
              await log.add("\(number).\(attempt) \(Date().timeIntervalSince1970)")
            }
          }
        }
      }
      return await log.lines
    }
  }

  @Test func `the same seed has the same turns, draws and times`() async throws {
    let first = try await Self.flight(.arrival)
    #expect(first.count == 120)
    for _ in 0..<20 { #expect(try await Self.flight(.arrival) == first) }
    #expect(try await Self.flight(.arrival, seed: 8) != first)
    #expect(try await Self.flight(.arrival, seed: nil) != first, "the system draws")
  }

  @Test func `a drawn order is another, and repeats by its seed`() async throws {
    let arrival = try await Self.flight(.arrival)
    let orders = try await [1, 2, 3].asyncMap { try await Self.flight(.drawn(seed: $0)) }
    for order in orders { #expect(order != arrival) }
    #expect(Set(orders).count == 3)
    #expect(try await Self.flight(.drawn(seed: 2)) == orders[1])
  }

  /// A cache that two fill when both look before either has an answer.
  @Test func `a race shows in some order, and by its seed again`() async throws {
    final class Box: @unchecked Sendable { var token: Int?; var fetched = 0 }
    @Sendable func fetched(_ order: TurnOrder) async throws -> Int {
      try await VirtualTime.run(in: order) {
        let box = Box()
        @Sendable func token() async -> Int {
          if let token = box.token { return token }
          await Task.yield()
          box.fetched += 1
          box.token = box.fetched
          return box.fetched
        }
        async let a = token()
        async let b = token()
        _ = await (a, b)
        return box.fetched
      }
    }
    var counts: Set<Int> = []
    for seed in 0..<30 {
      let count = try await fetched(.drawn(seed: UInt64(seed)))
      #expect(try await fetched(.drawn(seed: UInt64(seed))) == count)
      counts.insert(count)
    }
    #expect(counts == [1, 2])
  }
}

extension Array {
  fileprivate func asyncMap<Other>(_ transform: (Element) async throws -> Other) async rethrows
    -> [Other]
  {
    var others: [Other] = []
    for element in self { others.append(try await transform(element)) }
    return others
  }
}
