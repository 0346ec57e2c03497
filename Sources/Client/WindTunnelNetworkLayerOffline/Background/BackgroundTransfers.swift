public import Foundation
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms

/// Downloads and uploads that can outlive a process.
///
/// A ledger on disk stores which transfers were started and their results, so that the next process
/// finds them.
///
/// A transfer is a request as the builder returns it. Middleware, authenticator and cache are not
/// used, because the app may not run when the request is sent. It is sent at least once, and again
/// if it was lost. If its method is not idempotent, the transfer's id is its `Idempotency-Key`,
/// unless it has a key of its own.
public final class BackgroundTransfers: TransferListener {
  /// The maximum number of transfers in a ledger, including ended ones that were not taken.
  public static let mostTransfers = TransferLedger.mostTransfers
  /// The maximum number of starts of a transfer that is lost each time. After it, the transfer
  /// fails.
  public static let mostStarts = 5

  /// Locked during writes, so that changes are stored in order.
  private let ledger: Locked<TransferLedger>
  private let folder: URL
  private let carrier: any TransferCarrier
  private let builder: any Builder
  private let observe: @Sendable (TransferEvent) -> Void
  private let date: @Sendable () -> Date
  /// The unfinished transfers of earlier processes that were not resumed yet.
  private let left: Locked<Set<String>>

  /// Opens the ledger in a folder, which is created if it is missing.
  ///
  /// - Parameters:
  ///   - folder: The folder, locked by one process at a time. Use the app's own folder and no app
  ///     group, because iOS terminates a suspended app that holds a lock there.
  ///   - carrier: The engine: `BackgroundSession` on Apple platforms, or ``InProcessCarrier``.
  ///   - builder: The builder of requests.
  ///   - time: The source of dates.
  ///   - observe: Receives events, on any thread.
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

  /// All transfers that were not taken or cancelled, in the order of their start.
  public var all: [BackgroundTransfer] {
    ledger.withLock { $0.rows }.map { BackgroundTransfer(entry: $0, folder: folder) }
  }

  /// Starts a download, whose file stays in the ledger's folder until it is taken.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint, without content.
  ///   - label: The app's own name for the transfer.
  /// - Returns: The transfer, which is stored on disk.
  /// - Throws: ``TransferError``; nothing was started then.
  @discardableResult
  public func download(
    _ endpoint: Endpoint,
    label: String
  ) throws(TransferError) -> BackgroundTransfer {
    try begin(endpoint, .download, label)
  }

  /// Starts an upload of an endpoint's content, which is first copied to a file.
  ///
  /// Only a file can be sent without the app.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint with its content, in memory or in files.
  ///   - label: The app's own name for the transfer.
  /// - Returns: The transfer, which is stored on disk.
  /// - Throws: ``TransferError``; nothing was started then.
  @discardableResult
  public func upload(
    _ endpoint: Endpoint,
    label: String
  ) throws(TransferError) -> BackgroundTransfer {
    try begin(endpoint, .upload, label)
  }

  /// Resumes the transfers of earlier processes. Call it once after each launch.
  ///
  /// A transfer that has neither ended nor is carried any more is started again. A carried transfer
  /// that is not in the ledger is cancelled.
  ///
  /// - Throws: ``TransferError`` if the disk refuses a change; the method may be called again.
  public func takeUp() async throws(TransferError) {
    let carried = await carrier.transfersInProgress()
    for id in carried where ledger.withLock({ $0.entries[id] }) == nil { carrier.cancel(id) }
    for entry in ledger.withLock({ $0.rows }) where left.withLock({ $0.contains(entry.id) }) {
      if !carried.contains(entry.id), entry.ending == nil { try beginAnew(entry) }
      left.withLock { _ = $0.remove(entry.id) }
    }
  }

  /// Returns the result of a transfer that has ended, and removes the transfer.
  ///
  /// - Parameters:
  ///   - id: The id of the transfer.
  ///   - place: The destination of a downloaded file, which replaces an existing file; `nil` to
  ///     remove the download.
  /// - Returns: The result.
  /// - Throws: ``TransferError``; the transfer is kept then.
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

  /// Cancels a transfer and removes it, including all received data.
  public func cancel(_ id: String) {
    ledger.withLock { $0.forget(id) }
    carrier.cancel(id)
  }

  // MARK: Starting a transfer

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
      let text = "It was lost \(entry.starts) times and is not started again."
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

  // MARK: Ending a transfer

  /// Moves a file into the ledger and stores the response.
  ///
  /// If the status is not 2xx, it stores the beginning of the file as the response's content.
  public func downloaded(_ id: String, to file: URL, _ answer: ServerResponse) {
    end(id) { ledger, _ throws(TransferError) in
      var ending = TransferEntry.Completion(answer, at: date())
      do {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        ending.bytes = attributes[.size] as? Int ?? 0
        guard (200...299).contains(answer.status) else {
          ending.body = try file.beginning(TransferEntry.Completion.bodyBytesMax)
          return ending
        }
      } catch {
        throw .disk("The downloaded file cannot be read: \(error.localizedDescription)")
      }
      try TransferLedger.move(file, to: TransferLedger.file(of: id, in: ledger.folder))
      ending.hasFile = true
      return ending
    }
  }

  /// Stores the result of a transfer, unless it has one already.
  ///
  /// A successful download whose file could not be stored has no result: it is started again at the
  /// next launch.
  public func ended(_ id: String, _ outcome: AttemptOutcome) {
    end(id) { _, entry in
      switch outcome {
      case .success(let answer)
      where entry.kind == .download && (200...299).contains(answer.status):
        nil
      case .success(let answer): TransferEntry.Completion(answer, at: date())
      case .failure(let error):
        TransferEntry.Completion(date: date(), failure: TransferEntry.Failure(error))
      }
    }
  }

  private func end(
    _ id: String,
    _ make: (TransferLedger, TransferEntry) throws(TransferError) -> TransferEntry.Completion?
  ) {
    do throws(TransferError) {
      let entry = try ledger.withLock { ledger throws(TransferError) -> TransferEntry? in
        // It was cancelled, or this is the second result of a transfer that was started again.
        guard var entry = ledger.entries[id], entry.ending == nil,
          let ending = try make(ledger, entry)
        else { return nil }
        entry.ending = ending
        try ledger.put(entry)
        TransferLedger.disk.remove(ledger.content(of: id))
        return entry
      }
      if let entry { observe(.ended(BackgroundTransfer(entry: entry, folder: folder))) }
    } catch {
      observe(.diskFailed(id: id, error))
    }
  }
}

extension TransferLedger {
  /// Returns a transfer in the form that carriers require.
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
  /// Returns why the endpoint cannot be a background transfer, with the fix; `nil` if it can.
  fileprivate func reasonAgainstBackground(_ kind: BackgroundTransfer.Kind) -> String? {
    switch kind {
    case .download where body != nil:
      return "A background download cannot send content; call the endpoint, or upload it."
    case .upload where body == nil:
      return "A background upload needs content; give the endpoint a body."
    case .download where !rules.requiredFields.isEmpty:
      return "The content of a download is in a file, in which fields are not checked; omit "
        + "requiredFields."
    default: break
    }
    if order != nil {
      return "Background transfers have no order; omit the endpoint's order."
    }
    if case .kept = caching {
      return "Background transfers are not cached; omit the endpoint's caching."
    }
    return nil
  }
}
