import TestSupport

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// A folder with an outbox in it, and what it told.
final class OutboxStand: Sendable {
  static let telemetry = OutboxEndpoint(Endpoint(.post, "/telemetry"), mostCalls: 10)

  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  private let told = Locked<[OutboxEvent]>([])
  private let (stream, telling) = AsyncStream.makeStream(of: OutboxEvent.self)

  deinit {
    // Nobody misses what stays behind in the system's temporary directory.
    try? FileManager.default.removeItem(at: folder)
  }

  static let bodies = ["one", "two", "three"]

  /// An outbox with three calls, as its files are after a kill.
  static func filled() async throws -> OutboxStand {
    let stand = OutboxStand()
    let outbox = try stand.open()
    try await stand.enqueue(bodies, in: outbox)
    await outbox.close()
    return stand
  }

  /// The events that were told, in order.
  var events: [OutboxEvent] { told.withLock { $0 } }

  /// Waits for an event that a test has not heard of.
  func next(_ isMeant: (OutboxEvent) -> Bool) async -> OutboxEvent? {
    for await event in stream where isMeant(event) { return event }
    return nil
  }

  func open(
    _ endpoints: [OutboxEndpoint] = [telemetry],
    limits: OutboxLimits = OutboxLimits(),
    time: any TimeSource = SystemTime()
  ) throws -> Outbox {
    try Outbox(
      at: folder,
      endpoints: endpoints,
      limits: limits,
      time: time,
      observe: { [told, telling] event in
        told.withLock { $0.append(event) }
        telling.yield(event)
      },
      draw: { 0.5 }
    )
  }

  /// Takes bodies one after the other.
  @discardableResult
  func enqueue(_ bodies: [String], in outbox: Outbox) async throws -> [OutboxReceipt] {
    var receipts: [OutboxReceipt] = []
    for body in bodies {
      receipts.append(
        try await outbox.enqueue(Data(body.utf8), to: Self.telemetry, key: "key-\(body)")
      )
    }
    return receipts
  }

  /// A client without retries of its own, so that each time is the outbox's.
  static func client(
    _ url: String,
    policy: any Policy = RetryPolicy(mostRetries: [:]),
    networks: (any Networks)? = nil,
    observer: any Observer = SilentObserver()
  ) throws -> NetworkClient {
    NetworkClient(
      builder: RequestBuilder(baseURL: try #require(URL(string: url))),
      policy: policy,
      transport: URLSessionTransport(session: URLSession(configuration: .ephemeral)),
      observer: observer,
      admission: AdmissionController(AdmissionController.Rules(breaker: nil)),
      networks: networks
    )
  }

  /// What an outbox keeps its calls with.
  func store(
    _ limits: OutboxLimits = OutboxLimits(),
    _ time: any TimeSource = SystemTime(),
    telling events: inout [OutboxEvent]
  ) throws -> OutboxStore { try OutboxStore(folder, ["/telemetry"], limits, time, &events) }

  /// A call whose key is its body.
  static func call(_ body: String) -> OutboxStore.NewCall {
    OutboxStore.NewCall(name: "/telemetry", key: body, body: Data(body.utf8))
  }

  /// All that an outbox holds, as it would be sent.
  func waiting(_ limits: OutboxLimits = OutboxLimits()) throws -> (
    bodies: [String], events: [OutboxEvent]
  ) {
    var events: [OutboxEvent] = []
    var store = try self.store(limits, telling: &events)
    var bodies: [String] = []
    while let batch = try store.nextBatch(of: Self.telemetry, telling: &events) {
      bodies += String(decoding: batch.content.body, as: UTF8.self)
        .split(separator: "\n").map(String.init)
      try store.leaveBatch(batch.batch)
    }
    return (bodies, events)
  }

  /// The only file of calls.
  var callFile: URL {
    get throws {
      let lane = folder.appending(path: OutboxStore.folderName("/telemetry"))
      let names = try FileManager.default.contentsOfDirectory(atPath: lane.path)
      let name = try #require(names.first { $0.hasSuffix(".calls") })
      return lane.appending(path: name)
    }
  }

  /// The names of the files of the lane.
  var names: [String] {
    get throws {
      let lane = folder.appending(path: OutboxStore.folderName("/telemetry"))
      return try FileManager.default.contentsOfDirectory(atPath: lane.path).sorted()
    }
  }
}
