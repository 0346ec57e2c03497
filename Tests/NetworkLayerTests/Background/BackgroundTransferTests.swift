import TestSupport
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

@Suite struct BackgroundTransferTests {
  private let stand = TransferStand()

  private let film = Endpoint(.get, "/films/7", template: "/films/{id}")

  private func text(_ result: Result<CallResponse, NetworkError>?) -> String {
    switch result {
    case nil: "under way"
    case .success(let answer): "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
    case .failure(let error): "\(error.name) \(error.kind)"
    }
  }

  private func opened() throws -> (TransferStand, HeldCarrier, BackgroundTransfers) {
    let stand = TransferStand()
    return (stand, stand.carrier, try stand.open())
  }

  @Test func `a download is known over a relaunch, and its file is taken once`() async throws {
    let begun = try stand.inProcess { try $0.download(film, label: "film-7") }
    #expect(begun.result == nil && begun.file == nil && begun.starts == 1)
    expectEqual(begun.record.state, .running)
    // The app is launched again, and the system has gone on meanwhile.
    let transfers = try stand.open()
    expectEqual(transfers.all, [begun])
    try await transfers.takeUp()
    #expect(stand.carrier.orders.map(\.id) == [begun.id] && stand.carrier.cancelled == [])
    #expect(throws: TransferError.underWay(id: begun.id)) { try transfers.take(begun.id) }
    let isLeft = try stand.carrier.bring("the film", for: begun.id)
    #expect(!isLeft)
    let ended = try #require(transfers.all.first)
    expectEqual(stand.events, [.ended(ended)])
    #expect(ended.id == begun.id && ended.label == "film-7" && text(ended.result) == "200 ")
    try expectEqual(String(contentsOf: #require(ended.file), encoding: .utf8), "the film")
    let record = ended.record
    #expect(record.state == .answered && record.call == 1 && record.counters.attempts == 1)
    expectEqual(record.request.template, "/films/{id}")
    expectEqual(record.request.host, "api.example.test")
    #expect(record.response.status == 200 && record.response.bytes == 8)
    expectEqual(record.system.engine, "HeldCarrier")
    let place = stand.folder.appending(path: "film")
    try Data("before".utf8).write(to: place)
    let result = try transfers.take(begun.id, to: place)
    expectEqual(result, .success(CallResponse(status: 200, headers: ["ETag": "\"a\""])))
    try expectEqual(String(contentsOf: place, encoding: .utf8), "the film")
    expectEqual(transfers.all, [])
    try expectEqual(stand.names, ["film", "lock"])
    #expect(throws: TransferError.unknown(id: begun.id)) { try transfers.take(begun.id) }
  }

  @Test func `the result of another launch is there, and the number goes on`() async throws {
    try stand.inProcess {
      _ = try stand.carrier.bring("a", for: $0.download(film, label: "a").id)
    }
    let again = try await stand.relaunch()
    let ended = try #require(again.all.first)
    expectEqual(stand.events, [.ended(ended)])
    expectEqual(text(ended.result), "200 ")
    try expectEqual(again.download(film, label: "b").record.call, 2)
    expectEqual(stand.carrier.orders.count, 2)
  }

  @Test func `a lost transfer is started again, up to the maximum`() async throws {
    let (begun, other) = try stand.inProcess {
      (try $0.download(film, label: "a"), try $0.download(film, label: "kept"))
    }
    for start in 2...BackgroundTransfers.mostStarts {
      stand.carrier.lose(begun.id)
      let transfers = try await stand.relaunch()
      // Once: what is under way by then is the carrier's.
      try await transfers.takeUp()
      expectEqual(transfers.all.map(\.starts), [start, 1])
    }
    expectEqual(
      stand.carrier.orders.map(\.id),
      [begun.id, other.id]
        + Array(repeating: begun.id, count: BackgroundTransfers.mostStarts - 1)
    )
    stand.carrier.lose(begun.id)
    let all = try await stand.relaunch().all
    let lost = NetworkError.transport(
      .connectionLost,
      text: "It was lost 5 times and is not started again."
    )
    expectEqual(all.map(\.result), [.failure(lost), nil])
    expectEqual(all.first?.record.response.failure?.name, "connectionLost")
  }

  @Test func `what the system carries and the ledger does not know is ended`() async throws {
    let (stand, carrier, transfers) = try opened()
    carrier.start(
      TransferOrder(
        id: "a stranger",
        kind: .download,
        request: URLRequest(url: stand.folder),
        file: nil,
        folder: stand.folder
      )
    )
    try await transfers.takeUp()
    expectEqual(carrier.cancelled, ["a stranger"])
  }

  @Test func `a cancelled transfer leaves nothing, and its end is nobody's`() async throws {
    let (stand, carrier, transfers) = try opened()
    let begun = try transfers.download(film, label: "a")
    transfers.cancel(begun.id)
    expectEqual(carrier.cancelled, [begun.id])
    carrier.end(.failure(.cancelled), for: begun.id)
    #expect(stand.events == [] && transfers.all == [])
    try expectEqual(stand.names, ["lock"])
  }

  struct End: Sendable, CustomTestStringConvertible {
    var outcome: AttemptOutcome
    var text: String
    var testDescription: String { text }
    init(_ outcome: AttemptOutcome, _ text: String) { (self.outcome, self.text) = (outcome, text) }
  }

  @Test(arguments: [
    End(.success(ServerResponse(status: 201, body: Data("made".utf8))), "201 made"),
    End(.success(ServerResponse(status: 401)), "credentials signIn"),
    End(.success(ServerResponse(status: 429)), "rateLimited wait"),
    End(.success(ServerResponse(status: 503)), "server wait"),
    End(.success(ServerResponse(status: 400, body: Data(#"{"retcode":7}"#.utf8))), "business tell"),
    End(.failure(.failed(.offline, text: "no")), "offline wait"),
    End(.failure(.failed(.timedOut, text: "late")), "timedOut retry"),
    End(.failure(.cancelled), "cancelled silent"),
    End(.failure(.file("gone")), "file tell"),
  ])
  func `an end is told as that of a call, in this process and the next`(end: End) async throws {
    let photo = Endpoint(
      .post,
      "/photos",
      body: .data(Data("cat".utf8)),
      rules: ResponseRules(errors: Envelope())
    )
    let ended = try stand.inProcess { transfers in
      let begun = try transfers.upload(photo, label: "cat")
      stand.carrier.end(end.outcome, for: begun.id)
      // A second end changes nothing.
      stand.carrier.end(.success(ServerResponse(status: 200)), for: begun.id)
      return try #require(transfers.all.first)
    }
    expectEqual(text(ended.result), end.text)
    expectEqual(stand.events, [.ended(ended)])
    #expect(ended.record.state != .running)
    try expectEqual(stand.open().all, [ended])
    // What was sent is of no more use.
    try expectEqual(stand.names.filter { $0 == ".content" }, [])
  }

  @Test func `of an answer that is no success the file is the error's content`() async throws {
    let transfers = try stand.open()
    let begun = try transfers.download(film, label: "a")
    _ = try stand.carrier.bring("no such film", status: 404, for: begun.id)
    let ended = try #require(transfers.all.first)
    expectEqual(ended.result, .failure(.server(status: 404, body: Data("no such film".utf8))))
    expectNil(ended.file)
  }

  @Test func `an upload is of what its content was, and has its id for a key`() async throws {
    let (stand, carrier, transfers) = try opened()
    let file = stand.folder.appending(path: "cat.jpg")
    try Data("cat".utf8).write(to: file)
    let begun = try transfers.upload(Endpoint(.post, "/photos", body: .file(file)), label: "cat")
    try Data("dog".utf8).write(to: file)
    let order = try #require(carrier.orders.first)
    let sent = try #require(order.file)
    #expect(try String(contentsOf: sent, encoding: .utf8) == "cat" && sent != file)
    expectEqual(order.request.value(forHTTPHeaderField: "Idempotency-Key"), begun.id)
    let digest = order.request.value(forHTTPHeaderField: "Content-Digest")
    expectEqual(digest, "sha-256=:d693i1Gr1KPFHF3dlyBKnDrmFOvMt1pgbDtoZa7WdE4=:")
    expectNil(order.request.httpBody)
    expectEqual(begun.record.request.bytes, 3)
    let own = Endpoint(.post, "/a", headers: ["Idempotency-Key": "7"], body: .data(Data("b".utf8)))
    try transfers.upload(own, label: "own")
    try transfers.upload(Endpoint(.put, "/a", body: .data(Data("b".utf8))), label: "put")
    let keys = carrier.orders.dropFirst().map {
      $0.request.value(forHTTPHeaderField: "Idempotency-Key")
    }
    expectEqual(keys, ["7", nil])
    let parts = try RequestBody.multipart([.init("photo", file: file, contentType: "image/jpeg")])
    try transfers.upload(Endpoint(.post, "/photos", body: parts), label: "parts")
    let form = try String(contentsOf: #require(carrier.orders.last?.file), encoding: .utf8)
    #expect(form.contains("\r\n\r\ndog\r\n"))
  }

  @Test func `transfers that need the app are refused`() async throws {
    let (stand, carrier, transfers) = try opened()
    let body = RequestBody.data(Data("b".utf8))
    let refused: [(Endpoint, BackgroundTransfer.Kind, String)] = [
      (
        Endpoint(.post, "/a", body: body), .download,
        "A background download cannot send content; call the endpoint, or upload it."
      ),
      (
        Endpoint(.post, "/a"), .upload,
        "A background upload needs content; give the endpoint a body."
      ),
      (
        Endpoint(.get, "/a", order: "b"), .download,
        "Background transfers have no order; omit the endpoint's order."
      ),
      (
        Endpoint(.get, "/a", caching: .kept(.cacheFirst)), .download,
        "Background transfers are not cached; omit the endpoint's caching."
      ),
      (
        Endpoint(.get, "/a", rules: .json(requiring: "b")), .download,
        "The content of a download is in a file, in which fields are not checked; omit "
          + "requiredFields."
      ),
      (Endpoint(.get, "a"), .download, "The path \"a\" does not begin with \"/\"."),
    ]
    for (endpoint, kind, sentence) in refused {
      do {
        _ =
          kind == .download
          ? try transfers.download(endpoint, label: "a")
          : try transfers.upload(endpoint, label: "a")
        Issue.record("\(sentence)")
      } catch {
        expectEqual(error.description, sentence)
      }
    }
    #expect(carrier.orders.isEmpty && transfers.all == [])
    try expectEqual(stand.names, ["lock"])
  }

  @Test func `a ledger is of one process, and of a limited size`() async throws {
    let (stand, _, transfers) = try opened()
    #expect(throws: TransferError.inUse(stand.folder.path)) { try stand.open(HeldCarrier()) }
    for index in 0..<BackgroundTransfers.mostTransfers {
      try transfers.download(film, label: "\(index)")
    }
    #expect(throws: TransferError.full(most: 1000)) { try transfers.download(film, label: "a") }
    expectEqual(transfers.all.map(\.label), (0..<1000).map { "\($0)" })
  }

  @Test func `a damaged row is set aside, and what has no row is removed`() async throws {
    let (begun, other) = try stand.inProcess {
      (try $0.download(film, label: "a"), try $0.download(film, label: "b"))
    }
    let row = stand.folder.appending(path: "\(begun.id).transfer")
    try Data(try Data(contentsOf: row).dropLast(9)).write(to: row)
    let id = UUID()
    let names = ["0.content", "0.came", "0.transfer.new", "0.came.\(id).half", "\(id).part"]
    for name in names + [".\(id).part"] { try Data().write(to: stand.folder.appending(path: name)) }
    let again = try stand.open()
    expectEqual(stand.events, [.damaged(file: "\(begun.id).transfer")])
    expectEqual(again.all, [other])
    try expectEqual(stand.names, [".transfer", ".transfer.damaged", "lock"])
    // What its row cannot tell any more is nobody's.
    try await again.takeUp()
    expectEqual(stand.carrier.cancelled, [begun.id])
  }

  @Test func `one that was taken up to its row is forgotten at the next launch`() async throws {
    let file = try stand.inProcess { transfers in
      _ = try stand.carrier.bring("film", for: transfers.download(film, label: "a").id)
      return try #require(transfers.all.first?.file)
    }
    try FileManager.default.removeItem(at: file)
    try expectEqual(stand.open().all, [])
    try expectEqual(stand.names, ["lock"])
  }

  @Test func `where the disk does not note an end, it is told and begun anew later`() async throws {
    try stand.inProcess { transfers in
      let begun = try transfers.download(film, label: "a")
      // A folder stands where the row's new version would be written, whoever runs the test.
      let half = stand.folder.appending(path: "\(begun.id).transfer.new")
      try FileManager.default.createDirectory(at: half, withIntermediateDirectories: true)
      _ = try stand.carrier.bring("film", for: begun.id)
      if case .diskFailed(begun.id, .disk) = stand.events.first, stand.events.count == 1 {
      } else {
        Issue.record("\(stand.events)")
      }
      expectEqual(transfers.all.map(\.result), [nil])
      try FileManager.default.removeItem(at: half)
    }
    try await expectEqual(stand.relaunch().all.map(\.starts), [2])
  }

  #if !canImport(Darwin)
    @Test func `without background sessions, a session names the alternative`() async throws {
      let stand = TransferStand()
      let transfers = try stand.open(BackgroundSession(identifier: "films"))
      try transfers.download(film, label: "a")
      let text =
        "URLSession has no background sessions on this platform; use InProcessCarrier. Its "
        + "transfers start again in the next process."
      expectEqual(transfers.all.map(\.result), [.failure(.transport(.unsupportedURL, text: text))])
      await expectEqual(BackgroundSession(identifier: "films").transfersInProgress(), [])
    }
  #endif
}
