internal import Foundation
internal import WindTunnelNetworkLayer

/// The calls of one endpoint on disk, in their own folder.
///
///     0000000000000001.calls                   calls from this number on
///     0000000000000001-0000000000000064.batch  the batch to be sent; empty: its range alone
///     0000000000000064.done                    all up to this number have left, but for the batch
///
/// Numbers are hexadecimal. A batch is stored before it is sent. When it leaves, its file is
/// renamed to `.done`, which needs no room, so that a full disk never prevents that.
struct OutboxLane {
  /// A call. It occupies 32 bytes in memory, regardless of its body.
  private struct QueuedCall {
    var number: UInt64
    var elapsed: Int64
    var place: CallFiles.Location
  }

  /// The maximum number of bytes of bodies in any batch, so that its file can be read.
  private static let batchBytes = 1 << 28
  let name: String
  private let folder: URL
  private let outboxID: String
  private let disk: OutboxDisk
  private var files: CallFiles
  private var waiting: ArraySlice<QueuedCall> = []
  private var frozen: [QueuedCall] = []
  private var batch: (range: ClosedRange<UInt64>, content: FrozenContent?)?
  /// Whether the batch may have been sent before.
  private var mayBeSent = false
  private var left: UInt64 = 0
  private var nextNumber: UInt64 = 1
  /// The number of bytes of the calls that have not left.
  private(set) var bytes = 0
  /// The latest moment at which a stored call was enqueued.
  private(set) var lastStamp: OutboxStamp?
  /// The problems found while opening, to be reported.
  private(set) var findings: [OutboxEvent] = []

  /// The number of calls that have not left.
  var count: Int { waiting.count + frozen.count }
  /// The moment of the call that expires next: the oldest, or the youngest of a batch.
  var nextToAge: Int64? { frozen.last?.elapsed ?? waiting.first?.elapsed }

  /// Opens a folder, which is created with the first call.
  init(
    _ name: String,
    in folder: URL,
    of outboxID: String,
    _ disk: OutboxDisk
  ) throws(OutboxError) {
    (self.name, self.folder, self.outboxID, self.disk) = (name, folder, outboxID, disk)
    files = CallFiles(in: folder, disk)
    guard try disk.isThere(folder) else { return }
    // Changes of another process may not be durable yet, and later changes depend on them.
    try disk.syncFolder(folder)
    var callFiles: [(UInt64, URL)] = []
    var ranges: [ClosedRange<UInt64>] = []
    for file in try disk.names(in: folder) {
      let url = folder.appending(path: file)
      let parts = file.split(separator: ".", maxSplits: 1)
      let numbers = parts.first?.split(separator: "-").compactMap { UInt64($0, radix: 16) } ?? []
      switch (parts.last, numbers.count) {
      case ("calls", 1): callFiles.append((numbers[0], url))
      case ("done", 1): left = max(left, numbers[0])
      case ("batch", 2) where numbers[0] <= numbers[1]:
        ranges.append(numbers[0]...numbers[1])
      case (_, _) where file.hasSuffix(".new"): disk.remove(url)
      default: break
      }
    }
    try findBatch(ranges)
    callFiles.sort { $0.0 < $1.0 }
    nextNumber = max(left, batch?.range.upperBound ?? 0) + 1
    for (place, (first, url)) in callFiles.enumerated() {
      nextNumber = max(nextNumber, first)
      try read(url, isLast: place == callFiles.count - 1)
    }
    tellGaps()
    files.removeEmpty()
    removeOldMarks()
  }

  /// Keeps the batch that was stored last. An earlier batch was not sent, because storing it
  /// failed.
  private mutating func findBatch(_ ranges: [ClosedRange<UInt64>]) throws(OutboxError) {
    let last = ranges.max { ($0.upperBound, $0.lowerBound) < ($1.upperBound, $1.lowerBound) }
    guard let last else { return }
    for range in ranges where range != last { disk.remove(batchFile(range)) }
    let data = try disk.contents(of: batchFile(last), upTo: CallFiles.readBytes) ?? Data()
    let content = FrozenContent(data)
    if content == nil, !data.isEmpty { findings.append(.damaged(template: name, calls: 0)) }
    (batch, mayBeSent) = ((last, content), true)
  }

  private mutating func read(_ url: URL, isLast: Bool) throws(OutboxError) {
    let found = try files.read(url, isLast: isLast)
    if found.isDamaged { findings.append(.damaged(template: name, calls: 0)) }
    for call in found.calls { take(call.number, call.stamp, call.place) }
    if found.cutBytes > 0 { findings.append(.cutOff(template: name, bytes: found.cutBytes)) }
  }

  private mutating func take(_ number: UInt64, _ stamp: OutboxStamp, _ place: CallFiles.Location) {
    lastStamp = stamp.latest(with: lastStamp)
    // A failed write may have left calls in a file, whose numbers later calls reuse. The later ones
    // count.
    while let last = waiting.last, last.number >= number { forget(waiting.removeLast()) }
    while let last = frozen.last, last.number >= number { forget(frozen.removeLast()) }
    nextNumber = max(left, batch?.range.upperBound ?? 0, number) + 1
    let isFrozen = batch?.range.contains(number) ?? false
    guard isFrozen || number > left else { return }
    let entry = QueuedCall(number: number, elapsed: stamp.elapsed, place: place)
    add(entry)
    if isFrozen { frozen.append(entry) } else { waiting.append(entry) }
  }

  /// Reports missing calls. The numbers of an endpoint's calls have no gaps.
  private mutating func tellGaps() {
    let first = batch?.range.lowerBound ?? left + 1
    guard let last = waiting.last?.number ?? frozen.last?.number, last >= first else { return }
    // The numbers between a batch and the last dropped call were dropped, too.
    let out = batch.map { left > $0.range.upperBound ? left - $0.range.upperBound : 0 } ?? 0
    let missing = Int(last - first + 1) - Int(out) - count
    if missing > 0 { findings.append(.damaged(template: name, calls: missing)) }
  }

  /// Writes calls durably and returns their numbers, or throws and has accepted none.
  mutating func append(
    _ calls: [(key: String, body: Data)],
    at stamp: OutboxStamp
  ) throws(OutboxError) -> ClosedRange<UInt64>? {
    guard !calls.isEmpty else { return nil }
    let stored = zip(nextNumber..., calls).map { number, call in
      StoredCall(number: number, stamp: stamp, key: call.key, body: call.body)
    }
    let places = try files.append(stored)
    let first = nextNumber
    nextNumber += UInt64(calls.count)
    for (call, place) in zip(stored, places) {
      let entry = QueuedCall(number: call.number, elapsed: stamp.elapsed, place: place)
      add(entry)
      waiting.append(entry)
    }
    return first...(nextNumber - 1)
  }

  /// Returns the batch to send, and stores a new one if there is none; `nil` if no call waits.
  mutating func nextBatch(
    of endpoint: OutboxEndpoint,
    damaged: inout Int
  ) throws(OutboxError) -> FrozenBatch? {
    if let batch {
      var (content, bad) = (batch.content, 0)
      if content == nil {
        content = try self.content(of: frozen, batch.range, in: endpoint.format, &bad)
      }
      damaged += bad
      self.batch?.content = content
      if let content { return frozenBatch(batch.range, content) }
      try leaveBatch(batch.range)
    }
    while !waiting.isEmpty {
      var (entries, size): ([QueuedCall], Int) = ([], 0)
      for entry in waiting.prefix(endpoint.mostCalls) {
        size += Int(entry.place.count) - CallRecords.overhead
        if !entries.isEmpty, size > min(endpoint.mostBytes, Self.batchBytes) { break }
        entries.append(entry)
      }
      guard let first = entries.first?.number, let last = entries.last?.number else { return nil }
      var bad = 0
      let content = try content(of: entries, first...last, in: endpoint.format, &bad)
      damaged += bad
      guard let content else {
        try leave(entries.count)
        continue
      }
      try freeze(first...last, content)
      (batch, mayBeSent) = ((first...last, content), false)
      frozen = entries
      waiting.removeFirst(entries.count)
      return frozenBatch(first...last, content)
    }
    return nil
  }

  private func freeze(_ range: ClosedRange<UInt64>, _ content: FrozenContent) throws(OutboxError) {
    do throws(OutboxError) {
      try disk.put(content.data, at: batchFile(range))
    } catch {
      // The file may exist, and the next batch may have another range.
      disk.remove(batchFile(range))
      guard case .diskFull = error else { throw error }
      // The range alone needs no room, and the same calls produce the same content.
      try disk.touch(batchFile(range))
    }
  }

  /// Returns the content of calls; `nil` if all of them are damaged.
  private func content(
    of entries: [QueuedCall],
    _ range: ClosedRange<UInt64>,
    in format: BatchFormat,
    _ damaged: inout Int
  ) throws(OutboxError) -> FrozenContent? {
    let calls = try read(entries)
    damaged += entries.count - calls.count
    if calls.isEmpty { return nil }
    return FrozenContent(
      // A batch with one call has that call's own key.
      key: range.count == 1 && calls.count == 1
        ? calls[0].key
        : "\(outboxID)-\(range.lowerBound)-\(range.upperBound)-\(Self.digest(of: calls))",
      contentType: format.contentType,
      body: format.join(calls.map(\.body))
    )
  }

  /// Returns a hash that distinguishes calls from earlier ones with the same numbers.
  ///
  /// Numbers repeat if the folder is restored from a backup. With equal keys, a server that stores
  /// keys would confuse the calls.
  private static func digest(of calls: [StoredCall]) -> String {
    var digest = Data()
    for call in calls {
      let head = "\(call.number) \(call.stamp.elapsed) \(call.stamp.date) \(call.key) "
      let hash = FNV1a.hash(Data(head.utf8) + call.body, after: digest)
      digest.removeAll()
      digest.append(bigEndian: hash)
    }
    return digest.bigEndian(at: 0, bytes: 8).hex
  }

  private mutating func frozenBatch(
    _ range: ClosedRange<UInt64>,
    _ content: FrozenContent
  ) -> FrozenBatch {
    defer { mayBeSent = true }
    return FrozenBatch(
      batch: OutboxBatch(template: name, numbers: range, key: content.key),
      content: content,
      mayBeSent: mayBeSent
    )
  }

  /// Returns the calls of the batch in order, without damaged ones; none if the batch is another
  /// one.
  func frozenCalls(_ range: ClosedRange<UInt64>) throws(OutboxError) -> [StoredCall] {
    batch?.range == range ? try read(frozen) : []
  }

  private func read(_ entries: [QueuedCall]) throws(OutboxError) -> [StoredCall] {
    try files.read(entries.lazy.map(\.place))
  }

  /// Records durably that a batch has left. Does nothing if the batch is another one.
  mutating func leaveBatch(_ range: ClosedRange<UInt64>) throws(OutboxError) {
    guard batch?.range == range else { return }
    let mark = doneFile(range.upperBound)
    try disk.move(batchFile(range), to: mark)
    left = max(left, range.upperBound)
    disk.empty(mark)
    removeOldMarks()
    for entry in frozen { forget(entry) }
    (batch, frozen) = (nil, [])
    files.removeEmpty()
  }

  /// Removes the oldest calls that are not in a batch, and returns their numbers.
  @discardableResult
  mutating func leave(_ count: Int) throws(OutboxError) -> ClosedRange<UInt64>? {
    let leaving = waiting.prefix(count)
    guard let first = leaving.first?.number, let last = leaving.last?.number else { return nil }
    try disk.touch(doneFile(last))
    left = max(left, last)
    removeOldMarks()
    for entry in leaving { forget(entry) }
    waiting.removeFirst(leaving.count)
    files.removeEmpty()
    return first...last
  }

  /// Removes calls from before a moment, and returns their numbers, first those in a batch.
  mutating func leaveAged(
    before moment: Int64,
    withBatch: Bool
  ) throws(OutboxError) -> [ClosedRange<UInt64>] {
    var gone: [ClosedRange<UInt64>] = []
    if withBatch, let range = batch?.range, let youngest = frozen.last, youngest.elapsed < moment {
      try leaveBatch(range)
      gone.append(range)
    }
    let old = waiting.prefix { $0.elapsed < moment }.count
    if let range = try leave(old) { gone.append(range) }
    return gone
  }

  /// Returns size and moment of the call at an index, of calls outside a batch; `nil` if out of
  /// range.
  func waitingCall(at place: Int) -> (bytes: Int, elapsed: Int64)? {
    waiting.dropFirst(place).first.map { (Int($0.place.count), $0.elapsed) }
  }

  private mutating func add(_ entry: QueuedCall) {
    bytes += Int(entry.place.count)
    files.add(entry.place)
  }

  private mutating func forget(_ entry: QueuedCall) {
    bytes -= Int(entry.place.count)
    files.forget(entry.place)
  }

  private func removeOldMarks() {
    // A remaining file has a lower number than the latest and no effect.
    for file in (try? disk.names(in: folder)) ?? [] where file.hasSuffix(".done") {
      if let number = UInt64(file.dropLast(5), radix: 16), number < left {
        disk.remove(folder.appending(path: file))
      }
    }
  }

  private func batchFile(_ range: ClosedRange<UInt64>) -> URL {
    folder.appending(path: "\(range.lowerBound.hex)-\(range.upperBound.hex).batch")
  }

  private func doneFile(_ number: UInt64) -> URL {
    folder.appending(path: "\(number.hex).done")
  }

}
