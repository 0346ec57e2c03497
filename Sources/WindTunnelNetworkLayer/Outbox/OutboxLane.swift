internal import Foundation

/// The calls of one endpoint on the disk, in a folder of their own.
///
///     0000000000000001.calls                   calls from this number on
///     0000000000000001-0000000000000064.batch  the batch to be sent; empty: its range alone
///     0000000000000064.done                    all up to this number have left, but for the batch
///
/// Numbers are hexadecimal. A batch is in its place before it is sent, and leaves by becoming the
/// `.done`, which takes no room, so that a full disk keeps nothing from leaving.
struct OutboxLane {
  /// A call's place: 32 bytes in memory, whatever its body.
  private struct Entry {
    var number: UInt64
    var elapsed: Int64
    var file: UInt32
    var offset: UInt32
    var count: UInt32
  }

  private struct CallFile {
    var url: URL
    /// The calls in it that have not left.
    var calls = 0
  }

  /// The bytes from which on a file of calls is followed by another one.
  private static let fileBytes = 1 << 20
  /// The most bytes of a file without calls that is written on.
  private static let keptBytes = 1 << 16
  /// The most bytes of a file that is read: one that was nearly full, and a longest call.
  private static let readBytes = 1 << 30

  let name: String
  private let folder: URL
  private let outboxID: String
  private var files: [UInt32: CallFile] = [:]
  private var lastFile: UInt32 = 0
  private var active: DurableFile?
  private var records = CallRecords()
  private var goodBytes: Int?
  private var isActiveNamed = false
  private var waiting = FIFO<Entry>()
  private var frozen: [Entry] = []
  private var batch: (range: ClosedRange<UInt64>, content: FrozenContent?)?
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
  init(_ name: String, in folder: URL, of outboxID: String) throws(OutboxError) {
    (self.name, self.folder, self.outboxID) = (name, folder, outboxID)
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    var callFiles: [(UInt64, URL)] = []
    for file in try DurableFile.names(in: folder) {
      let url = folder.appending(path: file)
      let parts = file.split(separator: ".", maxSplits: 1)
      let numbers = parts.first?.split(separator: "-").compactMap { UInt64($0, radix: 16) } ?? []
      switch (parts.last, numbers.count) {
      case ("calls", 1): callFiles.append((numbers[0], url))
      case ("done", 1): left = max(left, numbers[0])
      case ("batch", 2) where numbers[0] <= numbers[1]:
        let data = try DurableFile.contents(of: url, upTo: Self.readBytes) ?? Data()
        let content = FrozenContent(data)
        if content == nil, !data.isEmpty { findings.append(.damaged(template: name, calls: 0)) }
        batch = (numbers[0]...numbers[1], content)
      case (_, _) where file.hasSuffix(".new"): DurableFile.remove(url)
      default: break
      }
    }
    callFiles.sort { $0.0 < $1.0 }
    nextNumber = max(left, batch?.range.upperBound ?? 0) + 1
    for (place, (first, url)) in callFiles.enumerated() {
      nextNumber = max(nextNumber, first)
      try read(url, isLast: place == callFiles.count - 1)
    }
    tellGaps()
    removeEmptyFiles()
    removeOldMarks()
  }

  private mutating func read(_ url: URL, isLast: Bool) throws(OutboxError) {
    let data = try DurableFile.contents(of: url, upTo: Self.readBytes) ?? Data()
    guard let rules = CallRecords(head: data) else {
      if isLast {
        if !data.isEmpty { findings.append(.cutOff(template: name, bytes: data.count)) }
        DurableFile.remove(url)
      }
      return
    }
    lastFile += 1
    files[lastFile] = CallFile(url: url)
    let found = rules.find(in: data)
    for place in found.places { take(place) }
    guard isLast else { return }
    (records, goodBytes, isActiveNamed) = (rules, found.goodBytes, true)
    if found.goodBytes < data.count {
      findings.append(.cutOff(template: name, bytes: data.count - found.goodBytes))
    }
  }

  private mutating func take(_ place: CallRecords.Found.Place) {
    nextNumber = max(nextNumber, place.number + 1)
    if place.stamp.elapsed >= lastStamp?.elapsed ?? .min { lastStamp = place.stamp }
    let isFrozen = batch?.range.contains(place.number) ?? false
    guard isFrozen || place.number > left else { return }
    // A call that was not taken, since its write failed, lies under the number of one that was.
    while let last = waiting.last, last.number >= place.number { forget(waiting.removeLast()) }
    while let last = frozen.last, last.number >= place.number { forget(frozen.removeLast()) }
    let entry = Entry(
      number: place.number,
      elapsed: place.stamp.elapsed,
      file: lastFile,
      offset: UInt32(place.offset),
      count: UInt32(place.count)
    )
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
    let (file, isNew) = try openActive()
    var data = file.count == 0 ? records.head : Data()
    var entries: [Entry] = []
    for (number, call) in zip(nextNumber..., calls) {
      let record = records.record(
        StoredCall(number: number, stamp: stamp, key: call.key, body: call.body)
      )
      entries.append(
        Entry(
          number: number,
          elapsed: stamp.elapsed,
          file: lastFile,
          offset: UInt32(file.count + data.count),
          count: UInt32(record.count)
        )
      )
      data += record
    }
    do throws(OutboxError) {
      try file.append(data)
    } catch {
      // Nothing may follow on what could not be taken back; the next call begins a file.
      if file.isSpoilt { active = nil }
      throw error
    }
    if isNew { try DurableFile.syncFolder(folder) }
    isActiveNamed = true
    let first = nextNumber
    nextNumber += UInt64(calls.count)
    for entry in entries {
      add(entry)
      waiting.append(entry)
    }
    return first...(nextNumber - 1)
  }

  /// Returns the file that calls are written to, and whether its name may be lost still.
  private mutating func openActive() throws(OutboxError) -> (DurableFile, isNew: Bool) {
    if let active, active.count < Self.fileBytes { return (active, !isActiveNamed) }
    if active == nil, let goodBytes, goodBytes < Self.fileBytes, let url = files[lastFile]?.url {
      let file = try DurableFile(appendingTo: url, keeping: goodBytes)
      (active, self.goodBytes) = (file, nil)
      return (file, false)
    }
    try DurableFile.makeFolder(folder)
    let url = folder.appending(path: "\(Self.hex(nextNumber)).calls")
    let file = try DurableFile(appendingTo: url, keeping: 0)
    let full = lastFile
    lastFile += 1
    files[lastFile] = CallFile(url: url)
    (active, records, goodBytes, isActiveNamed) = (file, CallRecords(), nil, false)
    if files[full]?.url == url {
      files[full] = nil
    } else if files[full]?.calls == 0 {
      removeFile(full)
    }
    return (file, true)
  }

  /// Returns the batch that is to be sent, and freezes one where there is none; `nil` where no call
  /// waits.
  mutating func nextBatch(
    of endpoint: OutboxEndpoint,
    damaged: inout Int
  ) throws(OutboxError) -> FrozenBatch? {
    if let batch {
      let content =
        batch.content ?? content(of: frozen, batch.range, in: endpoint.format, &damaged)
      self.batch?.content = content
      if let content { return frozenBatch(batch.range, content) }
      try leaveBatch()
    }
    while !waiting.isEmpty {
      var (entries, size): ([Entry], Int) = ([], 0)
      for entry in waiting.prefix(endpoint.mostCalls) {
        size += Int(entry.count) - CallRecords.overhead
        if !entries.isEmpty, size > endpoint.mostBytes { break }
        entries.append(entry)
      }
      guard let first = entries.first?.number, let last = entries.last?.number else { return nil }
      var bad = 0
      let content = content(of: entries, first...last, in: endpoint.format, &bad)
      damaged += bad
      guard let content else {
        try leave(entries.count)
        continue
      }
      try freeze(first...last, content)
      batch = (first...last, content)
      frozen = entries
      waiting.removeFirst(entries.count)
      return frozenBatch(first...last, content)
    }
    return nil
  }

  private func freeze(
    _ range: ClosedRange<UInt64>,
    _ content: FrozenContent
  ) throws(OutboxError) {
    do throws(OutboxError) {
      try DurableFile.put(content.data, at: batchFile(range))
    } catch {
      guard case .diskFull = error else { throw error }
      // Its range alone takes no room, and the same calls make the same content.
      try DurableFile.touch(batchFile(range))
    }
  }

  /// Makes the content of calls; `nil` where all of them are damaged.
  private func content(
    of entries: [Entry],
    _ range: ClosedRange<UInt64>,
    in format: BatchFormat,
    _ damaged: inout Int
  ) -> FrozenContent? {
    let calls = read(entries)
    damaged += entries.count - calls.count
    if calls.isEmpty { return nil }
    return FrozenContent(
      // Of one call it is what the caller knows it by.
      key: range.count == 1 && calls.count == 1
        ? calls[0].key : "\(outboxID)-\(range.lowerBound)-\(range.upperBound)",
      contentType: format.contentType,
      body: format.join(calls.map(\.body))
    )
  }

  private func frozenBatch(
    _ range: ClosedRange<UInt64>,
    _ content: FrozenContent
  ) -> FrozenBatch {
    FrozenBatch(
      batch: OutboxBatch(template: name, numbers: range, key: content.key),
      content: content
    )
  }

  /// The calls of the batch, as they came; those that are damaged are not among them.
  var frozenCalls: [StoredCall] { read(frozen) }

  private func read(_ entries: [Entry]) -> [StoredCall] {
    var heads: [UInt32: CallRecords] = [:]
    return entries.compactMap { entry in
      guard let url = files[entry.file]?.url else { return nil }
      if heads[entry.file] == nil {
        heads[entry.file] = DurableFile.read(CallRecords.headBytes, at: 0, of: url)
          .flatMap { CallRecords(head: $0) }
      }
      let record = DurableFile.read(Int(entry.count), at: Int(entry.offset), of: url)
      return record.flatMap { heads[entry.file]?.call($0) }
    }
  }

  /// Notes for good that the batch has left.
  mutating func leaveBatch() throws(OutboxError) {
    guard let range = batch?.range else { return }
    let mark = doneFile(range.upperBound)
    try DurableFile.move(batchFile(range), to: mark)
    left = max(left, range.upperBound)
    DurableFile.empty(mark)
    removeOldMarks()
    for entry in frozen { forget(entry) }
    (batch, frozen) = (nil, [])
    removeEmptyFiles()
  }

  /// Has the oldest calls that are in no batch leave, and returns their numbers.
  @discardableResult
  mutating func leave(_ count: Int) throws(OutboxError) -> ClosedRange<UInt64>? {
    let leaving = Array(waiting.prefix(count))
    guard let first = leaving.first?.number, let last = leaving.last?.number else { return nil }
    try DurableFile.touch(doneFile(last))
    left = max(left, last)
    removeOldMarks()
    for entry in leaving { forget(entry) }
    waiting.removeFirst(leaving.count)
    removeEmptyFiles()
    return first...last
  }

  /// Has calls leave that came before a moment, and returns their numbers, those of a batch first.
  mutating func leaveAged(
    before moment: Int64,
    withBatch: Bool
  ) throws(OutboxError) -> [ClosedRange<UInt64>] {
    var gone: [ClosedRange<UInt64>] = []
    if withBatch, let range = batch?.range, let youngest = frozen.last, youngest.elapsed < moment {
      try leaveBatch()
      gone.append(range)
    }
    let old = waiting.prefix { $0.elapsed < moment }
    if let range = try leave(old) { gone.append(range) }
    return gone
  }

  /// The size and the moment of a call that is in no batch; `nil` where there are not as many.
  func waitingCall(at place: Int) -> (bytes: Int, elapsed: Int64)? {
    waiting.count > place ? (Int(waiting[place].count), waiting[place].elapsed) : nil
  }

  private mutating func add(_ entry: Entry) {
    bytes += Int(entry.count)
    files[entry.file]?.calls += 1
  }

  private mutating func forget(_ entry: Entry) {
    bytes -= Int(entry.count)
    files[entry.file]?.calls -= 1
  }

  /// Removes files whose calls have left; the last one only where that makes room, since a new one
  /// costs a wait for the disk.
  private mutating func removeEmptyFiles() {
    for id in files.keys where files[id]?.calls == 0 {
      if id == lastFile {
        guard active?.count ?? goodBytes ?? 0 > Self.keptBytes else { continue }
        (active, goodBytes) = (nil, nil)
      }
      removeFile(id)
    }
  }

  private mutating func removeFile(_ id: UInt32) {
    if let file = files.removeValue(forKey: id) { DurableFile.remove(file.url) }
  }

  private func removeOldMarks() {
    // One that stays behind says less than the latest.
    for file in (try? DurableFile.names(in: folder)) ?? [] where file.hasSuffix(".done") {
      if let number = UInt64(file.dropLast(5), radix: 16), number < left {
        DurableFile.remove(folder.appending(path: file))
      }
    }
  }

  private func batchFile(_ range: ClosedRange<UInt64>) -> URL {
    folder.appending(path: "\(Self.hex(range.lowerBound))-\(Self.hex(range.upperBound)).batch")
  }

  private func doneFile(_ number: UInt64) -> URL {
    folder.appending(path: "\(Self.hex(number)).done")
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// A batch that is on the disk.
struct FrozenBatch: Sendable {
  var batch: OutboxBatch
  var content: FrozenContent
}

/// The content of a batch with its key, as bytes that tell by themselves whether they are whole.
///
///     WTF1  check of the rest (8)  length of the key (2)  key  length of the type (2)  type  body
///
/// A type of length 0 is none.
struct FrozenContent: Sendable, Hashable {
  private static let magic = Data("WTF1".utf8)

  var key: String
  var contentType: String?
  var body: Data

  init(key: String, contentType: String?, body: Data) {
    (self.key, self.contentType, self.body) = (key, contentType, body)
  }

  /// Reads what was frozen; `nil` where it is damaged, or only a range was.
  init?(_ data: Data) {
    guard data.count >= 16, data.prefix(4) == Self.magic,
      CallRecords.number(data, 4, 8) == CallRecords.check(data, 12..<data.count)
    else { return nil }
    let key = 14 + Int(CallRecords.number(data, 12, 2))
    guard key + 2 <= data.count else { return nil }
    let type = key + 2 + Int(CallRecords.number(data, key, 2))
    guard type <= data.count else { return nil }
    self.key = String(decoding: data[14..<key], as: UTF8.self)
    contentType =
      type == key + 2 ? nil : String(decoding: data[(key + 2)..<type], as: UTF8.self)
    body = Data(data[type...])
  }

  var data: Data {
    var rest = Data()
    for text in [key, contentType ?? ""] {
      CallRecords.add(UInt16(clamping: text.utf8.count), to: &rest)
      rest += Data(text.utf8)
    }
    rest += body
    var data = Self.magic
    CallRecords.add(CallRecords.check(rest), to: &data)
    return data + rest
  }
}

/// A queue in one array, which is moved up now and then.
struct FIFO<Element> {
  private var elements: [Element] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : elements[head] }
  var last: Element? { isEmpty ? nil : elements.last }
  subscript(place: Int) -> Element { elements[head + place] }

  mutating func append(_ element: Element) { elements.append(element) }
  mutating func removeLast() -> Element { elements.removeLast() }

  func prefix(_ count: Int) -> ArraySlice<Element> { elements[head...].prefix(count) }

  /// Returns how many of the first satisfy a condition.
  func prefix(while isMet: (Element) -> Bool) -> Int {
    elements[head...].prefix(while: isMet).count
  }

  mutating func removeFirst(_ count: Int) {
    head += count
    guard head > elements.count / 2 else { return }
    elements.removeFirst(head)
    head = 0
  }
}
