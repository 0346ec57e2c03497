import Foundation

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// A carrier that goes on when the app has ended, as a system's own: what it was given stays with
/// it until a test says how it ended, whoever listens then.
final class HeldCarrier: TransferCarrier {
  private struct State {
    weak var listener: (any TransferListener)?
    var orders: [TransferOrder] = []
    var carried: Set<String> = []
    var cancelled: [String] = []
  }

  private let state = Locked(State())
  let name = "HeldCarrier"

  /// All that it was given, in order.
  var orders: [TransferOrder] { state.withLock { $0.orders } }
  var cancelled: [String] { state.withLock { $0.cancelled } }

  func connect(_ listener: any TransferListener) { state.withLock { $0.listener = listener } }

  func start(_ order: TransferOrder) {
    state.withLock { state in
      state.orders.append(order)
      state.carried.insert(order.id)
    }
  }

  func cancel(_ id: String) {
    state.withLock { state in
      state.cancelled.append(id)
      state.carried.remove(id)
    }
  }

  func transfersInProgress() async -> Set<String> { state.withLock { $0.carried } }

  /// Loses a transfer without a word, as a user who ends the system's process does.
  func lose(_ id: String) { state.withLock { _ = $0.carried.remove(id) } }

  /// Has a file of these bytes come; tells whether it is still where it was put.
  func bring(_ bytes: String, status: Int = 200, for id: String) throws -> Bool {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).held")
    try Data(bytes.utf8).write(to: file)
    // It may have been taken away, as it should.
    defer { try? FileManager.default.removeItem(at: file) }
    let listener = state.withLock { state in
      state.carried.remove(id)
      return state.listener
    }
    listener?.downloaded(id, to: file, ServerResponse(status: status, headers: ["ETag": "\"a\""]))
    let isThere = FileManager.default.fileExists(atPath: file.path)
    listener?.ended(id, .success(ServerResponse(status: status)))
    return isThere
  }

  /// Ends a transfer without a file.
  func end(_ outcome: AttemptOutcome, for id: String) {
    let listener = state.withLock { state in
      state.carried.remove(id)
      return state.listener
    }
    listener?.ended(id, outcome)
  }
}

/// A ledger's folder, and what was told of it.
final class TransferStand: Sendable {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  let carrier = HeldCarrier()
  private let told = Locked<[TransferEvent]>([])
  let (ends, ending) = AsyncStream.makeStream(of: BackgroundTransfer.self)

  // Nobody misses what stays behind in the system's temporary directory.
  deinit { try? FileManager.default.removeItem(at: folder) }

  var events: [TransferEvent] { told.withLock { $0 } }

  /// Opens the ledger as a process does when it is launched.
  func open(
    _ carrier: (any TransferCarrier)? = nil,
    _ url: String = "http://api.example.test"
  ) throws -> BackgroundTransfers {
    let carrier = carrier ?? self.carrier
    guard let base = URL(string: url) else { throw URLError(.badURL) }
    return try BackgroundTransfers(at: folder, by: carrier, builder: RequestBuilder(baseURL: base))
    {
      [told, ending] event in
      told.withLock { $0.append(event) }
      if case .ended(let transfer) = event { ending.yield(transfer) }
    }
  }

  /// What a process does with the ledger that ends when that is done.
  func inProcess<Value>(_ work: (BackgroundTransfers) throws -> Value) throws -> Value {
    try work(open())
  }

  /// Opens the ledger as a process does that looks what the system has carried meanwhile.
  func relaunch() async throws -> BackgroundTransfers {
    let transfers = try open()
    try await transfers.takeUp()
    return transfers
  }

  /// The names of the files, without the ids.
  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).map { name in
        String(name.drop { $0 != "." }.isEmpty ? name[...] : name.drop { $0 != "." })
      }.sorted()
    }
  }
}
