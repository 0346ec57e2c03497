#if !canImport(Darwin)
  @_spi(WindTunnel) import WindTunnelCore
  import TestSupport
  import WindTunnel

  /// Whole runs of tests that record onto one cassette what nobody gets twice.
  @Suite(.world) struct SharedRunTests {
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
      for (mode, all) in [(mode, [18]), ("rewrite", [18, 20])] {
        #expect(try await run.run(["ordersBesideWhoLooks"], mode: mode).passes)
        let tape = try Cassette(contentsOf: run.file("orders.json"))
        let paths = tape.interactions.map(\.request.url.path)
        expectEqual(paths.filter { $0 != "/new" }.sorted(), all.map { "/orders/\($0)" })
        expectEqual(tape.interactions.first?.response?.body.text, all.last.map { "\($0)" })
        let end = try await run.run(["ordersBesideWhoLooks"], mode: "none")
        #expect(end.passes, "\(end.words)")
      }
      try await run.close()
    }
  }
#endif
