public import Foundation
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The downloads and uploads that outlive a process: what was started, and what came of it, is in a
/// ledger on the disk, where the next process finds it.
///
/// A transfer is a request as it is built: no middleware, no credential of an authenticator and no
/// cache takes part, since nobody of the app may be there when it is sent. It is sent at least
/// once, and again where it was lost on the way; one whose method is not idempotent has its id as
/// `Idempotency-Key`, unless it has a key of its own.
public final class BackgroundTransfers: TransferListener {
  /// The most transfers of a ledger, those included that have ended and were not taken.
  public static let mostTransfers = TransferLedger.mostTransfers
  /// The most times that a transfer is begun, which is lost each time; then it has failed.
  public static let mostStarts = 5

  /// Held while the disk writes: what is noted is noted in order.
  private let ledger: Locked<TransferLedger>
  private let folder: URL
  private let carrier: any TransferCarrier
  private let builder: any Builder
  private let observe: @Sendable (TransferEvent) -> Void
  private let date: @Sendable () -> Date
  /// The transfers of earlier processes that have not been looked at.
  private let left: Locked<Set<String>>

  /// Opens the ledger in a folder, which is made where it is not there.
  ///
  /// - Parameters:
  ///   - folder: The folder, which one process at a time holds by a lock: one of the app's own, and
  ///     of no app group, since iOS ends a suspended app that holds a lock there.
  ///   - carrier: The engine: `BackgroundSession` on Apple platforms, or ``InProcessCarrier``.
  ///   - builder: The builder of requests.
  ///   - time: The source of dates.
  ///   - observe: Hears of events, on any thread.
  /// - Throws: ``TransferError``.
  public init(
    at folder: URL,
    by carrier: any TransferCarrier,
    builder: any Builder,
    time: any TimeSource = SystemTime(),
    observe: @escaping @Sendable (TransferEvent) -> Void = { _ in }
  ) throws(TransferError) {
    let ledger = try TransferLedger(at: folder)
    (self.folder, self.carrier, self.builder) = (folder, carrier, builder)
    self.observe = observe
    date = { time.date }
    left = Locked(Set(ledger.rows.filter { $0.ending == nil }.map(\.id)))
    let damaged = ledger.damaged
    self.ledger = Locked(ledger)
    for file in damaged { observe(.damaged(file: file)) }
    carrier.connect(self)
  }

  /// All transfers that were not taken or cancelled, in their order.
  public var all: [BackgroundTransfer] {
    ledger.withLock { $0.rows }.map { BackgroundTransfer(entry: $0, folder: folder) }
  }

  /// Begins a download, whose file stays in the ledger's folder until it is taken.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint, without content.
  ///   - label: The app's own word for it.
  /// - Returns: The transfer, which is on the disk.
  /// - Throws: ``TransferError``; nothing was begun then.
  @discardableResult
  public func download(
    _ endpoint: Endpoint,
    label: String
  ) throws(TransferError) -> BackgroundTransfer {
    try begin(endpoint, .download, label)
  }

  /// Begins an upload of an endpoint's content, which is copied to a file first: nothing else can
  /// be sent without the app.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint with its content, in memory or in files.
  ///   - label: The app's own word for it.
  /// - Returns: The transfer, which is on the disk.
  /// - Throws: ``TransferError``; nothing was begun then.
  @discardableResult
  public func upload(
    _ endpoint: Endpoint,
    label: String
  ) throws(TransferError) -> BackgroundTransfer {
    try begin(endpoint, .upload, label)
  }

  /// Takes up what earlier processes have left: a transfer that neither ended nor is carried any
  /// more is begun anew, and one that nobody knows is ended. Call it once after each launch.
  ///
  /// - Throws: ``TransferError`` where the disk does not note it; it may be called again.
  public func takeUp() async throws(TransferError) {
    let carried = await carrier.carried()
    for id in carried where ledger.withLock({ $0.entries[id] }) == nil { carrier.cancel(id) }
    for entry in ledger.withLock({ $0.rows }) where left.withLock({ $0.contains(entry.id) }) {
      if !carried.contains(entry.id), entry.ending == nil { try beginAnew(entry) }
      left.withLock { _ = $0.remove(entry.id) }
    }
  }

  /// Takes the result of a transfer that has ended, and forgets the transfer.
  ///
  /// - Parameters:
  ///   - id: The id of the transfer.
  ///   - place: The place that the file of a download is moved to, where it replaces what is there;
  ///     `nil`: it is removed.
  /// - Returns: The result.
  /// - Throws: ``TransferError``; the transfer stays then.
  @discardableResult
  public func take(
    _ id: String,
    to place: URL? = nil
  ) throws(TransferError) -> Result<CallResponse, NetworkError> {
    try ledger.withLock { ledger throws(TransferError) in
      guard let entry = ledger.entries[id] else { throw .unknown(id: id) }
      guard let ending = entry.ending else { throw .underWay(id: id) }
      if let place, ending.hasFile {
        try TransferLedger.move(TransferLedger.file(of: id, in: ledger.folder), to: place)
      }
      ledger.forget(id)
      return entry.result(ending)
    }
  }

  /// Ends a transfer and forgets it, with all that has come.
  public func cancel(_ id: String) {
    ledger.withLock { $0.forget(id) }
    carrier.cancel(id)
  }

  // MARK: The beginning

  private func begin(
    _ endpoint: Endpoint,
    _ kind: BackgroundTransfer.Kind,
    _ label: String
  ) throws(TransferError) -> BackgroundTransfer {
    if let reason = endpoint.reasonAgainstBackground(kind) { throw .notInBackground(reason) }
    let id = UUID().uuidString
    var request: URLRequest
    let content: SentFile?
    do throws(RequestError) {
      request = try builder.request(for: endpoint)
      content = try endpoint.body?.contentFile()
    } catch {
      throw .invalidRequest(error)
    }
    if let content {
      request.setValue("sha-256=:\(content.sha256):", forHTTPHeaderField: "Content-Digest")
    }
    if !endpoint.method.isIdempotent, request.value(forHTTPHeaderField: "Idempotency-Key") == nil {
      request.setValue(id, forHTTPHeaderField: "Idempotency-Key")
    }
    let (entry, order) = try ledger.withLock {
      [request] ledger throws(TransferError) -> (TransferEntry, TransferOrder) in
      guard ledger.entries.count < Self.mostTransfers else { throw .full(most: Self.mostTransfers) }
      do throws(TransferError) {
        let bytes = if let content { try ledger.keep(content, of: id) } else { 0 }
        let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
        let entry = TransferEntry(
          id: id,
          label: label,
          kind: kind,
          number: ledger.nextNumber(),
          url: request.url ?? URL(filePath: "/"),
          method: request.httpMethod ?? "GET",
          headers: fields.map { Headers.Field($0.key, $0.value) },
          timeout: (endpoint.limits ?? CallLimits()).attemptTimeout.seconds,
          template: endpoint.template,
          priority: endpoint.priority,
          rules: endpoint.rules,
          bytes: bytes,
          started: date(),
          starts: 1,
          engine: carrier.name
        )
        try ledger.put(entry)
        return (entry, ledger.order(entry))
      } catch {
        ledger.forget(id)
        throw error
      }
    }
    carrier.start(order)
    return BackgroundTransfer(entry: entry, folder: folder)
  }

  private func beginAnew(_ entry: TransferEntry) throws(TransferError) {
    guard entry.starts < Self.mostStarts else {
      let text = "It was lost \(entry.starts) times, and is not begun again."
      return ended(entry.id, .failure(.failed(.connectionLost, text: text)))
    }
    let order = try ledger.withLock { ledger throws(TransferError) -> TransferOrder? in
      // It may have ended meanwhile.
      guard var entry = ledger.entries[entry.id], entry.ending == nil else { return nil }
      entry.starts += 1
      entry.engine = carrier.name
      try ledger.put(entry)
      return ledger.order(entry)
    }
    guard let order, let begun = ledger.withLock({ $0.entries[entry.id] }) else { return }
    carrier.start(order)
    observe(.begunAnew(BackgroundTransfer(entry: begun, folder: folder)))
  }

  // MARK: The end

  /// Moves a file into the ledger and notes the answer; of an answer that is none of success it
  /// keeps the beginning as its content.
  public func downloaded(_ id: String, to file: URL, _ answer: ServerResponse) {
    end(id) { ledger, _ throws(TransferError) in
      var ending = TransferEntry.Ending(answer, at: date())
      do {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        ending.bytes = attributes[.size] as? Int ?? 0
        guard (200...299).contains(answer.status) else {
          ending.body = try file.beginning(TransferEntry.Ending.bodyBytesMax)
          return ending
        }
      } catch {
        throw .disk("What came cannot be read: \(error.localizedDescription)")
      }
      try TransferLedger.move(file, to: TransferLedger.file(of: id, in: ledger.folder))
      ending.hasFile = true
      return ending
    }
  }

  /// Notes the end of a transfer that has not ended before. A download that went well and whose
  /// file could not be taken has not: it is begun anew at the next launch.
  public func ended(_ id: String, _ outcome: AttemptOutcome) {
    end(id) { _, entry in
      switch outcome {
      case .success(let answer)
      where entry.kind == .download && (200...299).contains(answer.status):
        nil
      case .success(let answer): TransferEntry.Ending(answer, at: date())
      case .failure(let error):
        TransferEntry.Ending(date: date(), failure: TransferEntry.Failure(error))
      }
    }
  }

  private func end(
    _ id: String,
    _ make: (TransferLedger, TransferEntry) throws(TransferError) -> TransferEntry.Ending?
  ) {
    do throws(TransferError) {
      let entry = try ledger.withLock { ledger throws(TransferError) -> TransferEntry? in
        // It was cancelled, or is the second end of one that was begun anew.
        guard var entry = ledger.entries[id], entry.ending == nil,
          let ending = try make(ledger, entry)
        else { return nil }
        entry.ending = ending
        try ledger.put(entry)
        ledger.removeContent(of: id)
        return entry
      }
      if let entry { observe(.ended(BackgroundTransfer(entry: entry, folder: folder))) }
    } catch {
      observe(.diskFailed(id: id, error))
    }
  }
}

extension TransferLedger {
  /// Returns a transfer as its carrier takes it.
  fileprivate func order(_ entry: TransferEntry) -> TransferOrder {
    TransferOrder(
      id: entry.id,
      kind: entry.kind,
      request: entry.request,
      file: entry.kind == .upload ? content(of: entry.id) : nil,
      folder: folder
    )
  }
}

extension Endpoint {
  /// The reason for which it is no background transfer, with the fix; `nil` where it may be one.
  fileprivate func reasonAgainstBackground(_ kind: BackgroundTransfer.Kind) -> String? {
    switch kind {
    case .download where body != nil:
      return "A download in the background has no content; call the endpoint, or upload it."
    case .upload where body == nil:
      return "An upload in the background has content; give the endpoint a body."
    case .download where !rules.requiredFields.isEmpty:
      return "The content of a download is in a file, where no rule looks for fields; leave "
        + "requiredFields out."
    default: break
    }
    if order != nil {
      return "Transfers in the background overtake each other; leave the endpoint's order out."
    }
    if case .kept = caching {
      return "A transfer in the background is in no cache; leave the endpoint's caching out."
    }
    return nil
  }
}
