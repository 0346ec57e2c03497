internal import Foundation
internal import WindTunnelNetworkLayer

/// The calls of one endpoint on the disk, in a folder of their own.
///
///     0000000000000001.calls                   calls from this number on
///     0000000000000001-0000000000000064.batch  the batch to be sent; empty: its range alone
///     0000000000000064.done                    all up to this number have left, but for the batch
///
/// Numbers are hexadecimal. A batch is in its place before it is sent, and leaves by becoming the
/// `.done`, which takes no room, so that a full disk keeps nothing from leaving.
struct OutboxLane {
  /// A call: 32 bytes in memory, whatever its body.
  private struct Entry {
    var number: UInt64
    var elapsed: Int64
    var place: CallFiles.Place
  }

  /// The most bytes of bodies in a batch, whatever its endpoint allows, so that it can be read.
  private static let batchBytes = 1 << 28
  let name: String
  private let folder: URL
  private let outboxID: String
  private let disk: OutboxDisk
  private var files: CallFiles
  private var waiting: ArraySlice<Entry> = []
  private var frozen: [Entry] = []
  private var batch: (range: ClosedRange<UInt64>, content: FrozenContent?)?
  /// True where somebody may have sent the batch before.
  private var mayBeSent = false
  private var left: UInt64 = 0
  private var nextNumber: UInt64 = 1
  /// The bytes of the calls that have not left.
  private(set) var bytes = 0
  /// The latest moment that a call tells of.
  private(set) var lastStamp: OutboxStamp?
  /// The things that opening found, to be told.
  private(set) var findings: [OutboxEvent] = []

  /// The number of calls that have not left.
  var count: Int { waiting.count + frozen.count }
  /// The moment of the call that falls out next: the oldest, or the youngest of a batch.
  var nextToAge: Int64? { frozen.last?.elapsed ?? waiting.first?.elapsed }

  /// Opens a folder, which is made when there is a call.
  init(
    _ name: String,
    in folder: URL,
    of outboxID: String,
    _ disk: OutboxDisk
  ) throws(OutboxError) {
    (self.name, self.folder, self.outboxID, self.disk) = (name, folder, outboxID, disk)
    files = CallFiles(in: folder, disk)
    guard try disk.isThere(folder) else { return }
    // What another process did here may not be on the disk yet, and is built upon.
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

  /// Keeps the batch that was frozen last: one before it was not sent, since its freezing failed.
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

  private mutating func take(_ number: UInt64, _ stamp: OutboxStamp, _ place: CallFiles.Place) {
    lastStamp = stamp.latest(with: lastStamp)
    // Calls that were not taken, since their write failed, lie under the number of one that was,
    // and under those behind it.
    while let last = waiting.last, last.number >= number { forget(waiting.removeLast()) }
    while let last = frozen.last, last.number >= number { forget(frozen.removeLast()) }
    nextNumber = max(left, batch?.range.upperBound ?? 0, number) + 1
    let isFrozen = batch?.range.contains(number) ?? false
    guard isFrozen || number > left else { return }
    let entry = Entry(number: number, elapsed: stamp.elapsed, place: place)
    add(entry)
    if isFrozen { frozen.append(entry) } else { waiting.append(entry) }
  }

  /// Calls of an endpoint are numbered without gaps.
  private mutating func tellGaps() {
    let first = batch?.range.lowerBound ?? left + 1
    guard let last = waiting.last?.number ?? frozen.last?.number, last >= first else { return }
    // Those between a batch and what has left after it fell out.
    let out = batch.map { left > $0.range.upperBound ? left - $0.range.upperBound : 0 } ?? 0
    let missing = Int(last - first + 1) - Int(out) - count
    if missing > 0 { findings.append(.damaged(template: name, calls: missing)) }
  }

  /// Writes calls for good and returns their numbers, or throws and has taken none.
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
      let entry = Entry(number: call.number, elapsed: stamp.elapsed, place: place)
      add(entry)
      waiting.append(entry)
    }
    return first...(nextNumber - 1)
  }

  /// Returns the batch that is to be sent, and freezes one where there is none; `nil` where no call
  /// waits.
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
      var (entries, size): ([Entry], Int) = ([], 0)
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
      // It may be in its place, where the next one may have another range.
      disk.remove(batchFile(range))
      guard case .diskFull = error else { throw error }
      // Its range alone takes no room, and the same calls make the same content.
      try disk.touch(batchFile(range))
    }
  }

  /// Makes the content of calls; `nil` where all of them are damaged.
  private func content(
    of entries: [Entry],
    _ range: ClosedRange<UInt64>,
    in format: BatchFormat,
    _ damaged: inout Int
  ) throws(OutboxError) -> FrozenContent? {
    let calls = try read(entries)
    damaged += entries.count - calls.count
    if calls.isEmpty { return nil }
    return FrozenContent(
      // Of one call it is what the caller knows it by.
      key: range.count == 1 && calls.count == 1
        ? calls[0].key
        : "\(outboxID)-\(range.lowerBound)-\(range.upperBound)-\(Self.digest(of: calls))",
      contentType: format.contentType,
      body: format.join(calls.map(\.body))
    )
  }

  /// The part of a key that tells calls from others which had the same numbers before a backup of
  /// the folder was put back: a server that keeps keys would take those for these.
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

  /// Returns the calls of the batch, as they came; those that are damaged are not among them, and
  /// none where the batch is another one.
  func frozenCalls(_ range: ClosedRange<UInt64>) throws(OutboxError) -> [StoredCall] {
    batch?.range == range ? try read(frozen) : []
  }

  private func read(_ entries: [Entry]) throws(OutboxError) -> [StoredCall] {
    try files.read(entries.lazy.map(\.place))
  }

  /// Notes for good that a batch has left; nothing where the batch is another one.
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

  /// Has the oldest calls that are in no batch leave, and returns their numbers.
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

  /// Has calls leave that came before a moment, and returns their numbers, those of a batch first.
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

  /// The size and the moment of a call that is in no batch; `nil` where there are not as many.
  func waitingCall(at place: Int) -> (bytes: Int, elapsed: Int64)? {
    waiting.dropFirst(place).first.map { (Int($0.place.count), $0.elapsed) }
  }

  private mutating func add(_ entry: Entry) {
    bytes += Int(entry.place.count)
    files.add(entry.place)
  }

  private mutating func forget(_ entry: Entry) {
    bytes -= Int(entry.place.count)
    files.forget(entry.place)
  }

  private func removeOldMarks() {
    // One that stays behind says less than the latest.
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
