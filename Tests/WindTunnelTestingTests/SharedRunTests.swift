#if !canImport(Darwin)
  import Foundation
  import Testing
  import WindTunnel

  /// Whole runs of tests that record onto one cassette what nobody gets twice.
  @Suite struct SharedRunTests {
    @Test(arguments: [nil, "rewrite"])
    func `tests beside each other replace nothing of what the others record`(mode: String?)
      async throws
    {
      let numbers = Locked(16)
      let live = Deck([
        .get("/new") { _ in
          let number = numbers.withLock { number in
            number += 1
            return number
          }
          return .text(Body("\(number)"))
        },
        .get("/orders/{id}") { request in
          .text(Body("order \(request.url.path.split(separator: "/").last ?? "")"))
        },
      ])
      let run = try await ChildRun(live)
      for time in 1...2 {
        #expect(try await run.run(["ordersAndLooks"], mode: time == 1 ? mode : "rewrite").passes)
        let tape = try Cassette(contentsOf: run.file("orders.json"))
        let asked = tape.interactions.filter { $0.request.url.path == "/new" }
        let first = asked.first?.response?.body.text ?? ""
        #expect(tape.interactions.contains { $0.request.url.path == "/orders/\(first)" })
        let all = (17..<17 + 3 * time).map { "/orders/\($0)" }
        let kept = tape.interactions.map(\.request.url.path).filter { $0 != "/new" }
        #expect(kept.sorted() == all.sorted())

        let end = try await run.run(["ordersAndLooks"], mode: "none")
        #expect(end.passes, "\(end.words)")
      }
      try await run.close()
    }
  }
#endif
