#if os(macOS) || os(Linux)
  import Origins
  import TestSupport
  import WindTunnel
  import WindTunnelServer

  @testable import WindTunnelNetworkLayer
  @testable import WindTunnelNetworkLayerOffline

  /// Transfers on the wire, of an app that is killed and started again.
  @Suite(.timeLimit(.minutes(5))) struct TransferFlightTests {
    /// A request as it arrived.
    private struct Arrival: Sendable, Hashable {
      var key: String?
      var body: String
    }

    /// A server of a film and for photos, in a weather.
    private final class Origin: Sendable {
      static let film = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
      private let kept = Locked<[Arrival]>([])
      let server: ReplayServer

      init(_ rules: [FaultRule], arrived: @escaping @Sendable (Int) -> Void = { _ in }) async throws
      {
        let kept = kept
        @Sendable func note(_ request: Request) {
          let arrival = Arrival(
            key: request.headers["Idempotency-Key"],
            body: String(decoding: request.body.data, as: UTF8.self)
          )
          arrived(
            kept.withLock { kept in
              kept.append(arrival)
              return kept.count
            }
          )
        }
        let stubs: [Stub] = [
          .get("/film") { request in
            note(request)
            return Response(headers: ["Content-Length": "60000"], body: Body(Self.film))
          },
          .post("/photos") { request in
            note(request)
            return Response(status: 201)
          },
        ]
        var scenario = Scenario("weather")
        scenario.rules = rules
        let deck = Deck(stubs, scenario: scenario, matcher: .url, then: .repeat)
        var options = ReplayServer.Options.patient
        // A library re-sends by itself on a connection that it kept.
        options.closesConnections = true
        server = try await ReplayServer(deck, options)
      }

      var arrivals: [Arrival] { kept.withLock { $0 } }
    }

    /// Runs an app that is killed as soon as its first request has arrived, and then another.
    private func flyTwice(
      _ rules: [FaultRule],
      _ words: [String],
      between: (TransferStand) throws -> Void = { _ in }
    ) async throws -> (lines: [String], arrivals: [Arrival], stand: TransferStand) {
      let stand = TransferStand()
      let first = OutboxProgram()
      let begun = Locked(false)
      let isSeen = Locked(false)
      // Not before it has said so: by then the ledger has it.
      @Sendable func killIfReady() {
        if begun.withLock({ $0 }), isSeen.withLock({ $0 }) { first.kill() }
      }
      let origin = try await Origin(rules) { count in
        guard count == 1 else { return }
        isSeen.withLock { $0 = true }
        killIfReady()
      }
      let url = origin.server.url
      let end = try await first.run(["transfers", stand.folder.path, url] + words) { line in
        guard line.hasPrefix("begun") else { return }
        begun.withLock { $0 = true }
        killIfReady()
      }
      #expect(end.code == SIGKILL && end.lines.count == 1, "\(end)")
      try between(stand)
      let second = try await OutboxProgram().run(["transfers", stand.folder.path, url])
      expectEqual(second.code, 0)
      await origin.server.stop(grace: .zero)
      return (second.lines, origin.arrivals, stand)
    }

    @Test func `a download that a kill cut off is brought by the next process`() async throws {
      let stall = FaultRule.always(.first(1), .stall(afterBodyBytes: 30_000))
      let (lines, arrivals, stand) = try await flyTwice([stall], ["download", "film-7"])
      expectEqual(lines, ["anew film-7 2", "film-7 200 60000 attempts 2", "done"])
      expectEqual(arrivals.count, 2)
      let film = try Data(contentsOf: stand.folder.appending(path: "film-7"))
      expectEqual(film, Origin.film)
      try expectEqual(stand.names, ["film-7", "lock"])
    }

    @Test func `an upload comes again whole and under its key, though its file is gone`()
      async throws
    {
      let photo = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jpg")
      try Data("cat".utf8).write(to: photo)
      let stall = FaultRule.always(.first(1), .stall(.afterRequest))
      let (lines, arrivals, stand) = try await flyTwice([stall], ["upload", "cat", photo.path]) {
        _ in
        try FileManager.default.removeItem(at: photo)
      }
      expectEqual(lines, ["anew cat 2", "cat 201 0 attempts 2", "done"])
      #expect(arrivals.count == 2 && Set(arrivals).count == 1)
      #expect(arrivals.first?.body == "cat" && arrivals.first?.key?.count == 36)
      try expectEqual(stand.names, ["lock"])
    }

    /// Carries transfers of this process by a session, until the work is done.
    private func inProcess(
      _ rules: [FaultRule],
      _ work: (TransferStand, BackgroundTransfers) async throws -> Void
    ) async throws {
      let stand = TransferStand()
      let origin = try await Origin(rules)
      let session = URLSession(configuration: .ephemeral)
      let carrier = InProcessCarrier(URLSessionTransport(session: session))
      let transfers = try stand.open(carrier, origin.server.url)
      let running = Task { await carrier.run() }
      try await work(stand, transfers)
      running.cancel()
      await running.value
      // The last of them has been told before it is forgotten.
      await expectEqual(carrier.transfersInProgress(), [])
      session.invalidateAndCancel()
      await origin.server.stop(grace: .zero)
    }

    @Test func `a fault determines the result of a transfer`() async throws {
      let weather: [(Fault, String)] = [
        (.truncate(afterBodyBytes: 100), "truncated"),
        (.reset(afterBodyBytes: nil), "connectionLost"),
        (.status(503), "server"),
      ]
      for (fault, name) in weather {
        try await inProcess([.always(.always, fault)]) { stand, transfers in
          try transfers.download(Endpoint(.get, "/film"), label: "film")
          let ended = await stand.ends.first { _ in true }
          guard case .failure(let error) = ended?.result else {
            Issue.record("\(name): \(String(describing: ended))")
            return
          }
          expectEqual(error.name, name)
          #expect(ended?.file == nil && ended?.record.state == .failed)
          expectEqual(ended?.record.system.engine, "URLSessionTransport")
          try expectEqual(stand.names, [".transfer", "lock"])
        }
      }
    }

    @Test func `more than a few at once wait for their turn, and all come`() async throws {
      try await inProcess([]) { stand, transfers in
        for index in 0..<20 { try transfers.download(Endpoint(.get, "/film"), label: "\(index)") }
        var labels: Set<String> = []
        for await ended in stand.ends {
          labels.insert(ended.label)
          try expectEqual(Data(contentsOf: #require(ended.file)), Origin.film)
          if labels.count == 20 { break }
        }
      }
    }
  }
#endif
