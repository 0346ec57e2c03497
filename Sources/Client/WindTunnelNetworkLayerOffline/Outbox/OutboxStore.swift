internal import Foundation
internal import WindTunnelNetworkLayer

/// All data of an outbox on disk. Only one thread at a time may use it.
struct OutboxStore {
  /// The maximum length of an endpoint's name. Escaped as a folder name, it is valid on any file
  /// system.
  private static let nameBytes = 80

  let limits: OutboxLimits
  private let folder: URL
  private let disk: OutboxDisk
  private let lock: FolderLock
  private let id: String
  private let clock: OutboxClock
  var letters: DeadLetterFile
  private var lanes: [String: OutboxLane] = [:]
  /// The endpoints whose calls may be in the process of being sent.
  private let known: Set<String>

  /// Opens a folder, which is created if it is missing.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - endpoints: The names of the endpoints.
  ///   - limits: The limits of the outbox.
  ///   - time: The source of time.
  ///   - events: The problems found while opening are appended here.
  ///   - calls: The system's calls.
  /// - Throws: ``OutboxError``.
  init(
    _ folder: URL,
    _ endpoints: [String],
    _ limits: OutboxLimits,
    _ time: any TimeSource,
    _ events: inout [OutboxEvent],
    by calls: DiskCalls = .system
  ) throws(OutboxError) {
    let disk = OutboxDisk(calls: calls)
    (self.folder, self.disk) = (folder, disk)
    (self.limits, known) = (limits.bounded, Set(endpoints))
    var given: Set<String> = []
    for name in endpoints where !given.insert(name).inserted { throw .repeatedEndpoint(name) }
    try disk.makeFolder(folder)
    let file = folder.appending(path: "outbox")
    lock = try FolderLock(file)
    id = try Self.id(file, disk)
    for name in endpoints where !(1...Self.nameBytes).contains(name.utf8.count) {
      throw .unknownEndpoint(name)
    }
    try disk.syncFolder(folder)
    // A parent folder that this process may not open cannot be synchronized.
    do throws(OutboxError) { try disk.syncFolder(folder.deletingLastPathComponent()) } catch {
      guard case .notWritable = error else { throw error }
    }
    let names = Set(endpoints).union(try disk.names(in: folder).compactMap(Self.name))
    for name in names.sorted() {
      let lane = try OutboxLane(
        name,
        in: folder.appending(path: Self.folderName(name)),
        of: "\(id)-\(String(FNV1a.hash(Data(name.utf8)), radix: 16))",
        disk
      )
      events += lane.findings
      lanes[name] = lane
    }
    letters = try DeadLetterFile(folder.appending(path: "dead-letters"), disk, &events)
    let mark = folder.appending(path: "clock")
    var last = try disk.contents(of: mark, upTo: 1024).flatMap { data in
      CheckedFile.read(OutboxClock.magic, data).map { (file: (head: OutboxStamp, Data)) in file.head
      }
    }
    for stamp in lanes.values.compactMap(\.lastStamp) { last = stamp.latest(with: last) }
    clock = OutboxClock(time, after: last)
    // A full disk must not prevent sending. The next opening then continues from the last call's
    // moment.
    try? disk.put(CheckedFile.write(OutboxClock.magic, clock.now), at: mark)
  }

  /// The number of calls that have not left.
  var count: Int { lanes.values.reduce(0) { $0 + $1.count } }
  /// The number of bytes of the calls that have not left, including their overhead on disk.
  var bytes: Int { lanes.values.reduce(0) { $0 + $1.bytes } }

  /// A call to be stored.
  struct NewCall: Sendable {
    var name: String
    var key: String
    var body: Data
  }

  /// Stores calls, with one write per endpoint.
  ///
  /// - Returns: The result of each, in the order of the calls.
  mutating func append(
    _ calls: [NewCall],
    telling events: inout [OutboxEvent]
  ) -> [Result<OutboxReceipt, OutboxError>] {
    age(telling: &events)
    var results: [Result<OutboxReceipt, OutboxError>?] = calls.map { _ in nil }
    var room = (calls: limits.mostCalls - count, bytes: limits.mostBytes - bytes)
    var places: [String: [Int]] = [:]
    for (place, call) in calls.enumerated() {
      let size = call.body.count + call.key.utf8.count + CallRecords.overhead
      if limits.overflow == .refusesNew || size > limits.mostBytes || limits.mostCalls < 1,
        room.calls < 1 || room.bytes < size
      {
        let words =
          "The outbox is full: it stores \(limits.mostCalls) calls and \(limits.mostBytes) bytes. "
          + "Try again after some calls were sent, or raise its limits."
        results[place] = .failure(.full(words))
        continue
      }
      room.calls -= 1
      room.bytes -= size
      places[call.name, default: []].append(place)
    }
    let now = clock.now
    for (name, places) in places {
      let new = places.map { (calls[$0].key, calls[$0].body) }
      do throws(OutboxError) {
        guard let numbers = try lanes[name]?.append(new, at: now) else {
          throw .unknownEndpoint(name)
        }
        for (place, number) in zip(places, numbers) {
          results[place] = .success(OutboxReceipt(number: number, fellOut: []))
        }
      } catch {
        for place in places { results[place] = .failure(error) }
      }
    }
    let fellOut = makeRoom(telling: &events)
    return results.map { result in
      (result ?? .failure(.closed)).map { OutboxReceipt(number: $0.number, fellOut: fellOut) }
    }
  }

  /// Drops the oldest calls until the limits are met. A stored batch is kept.
  private mutating func makeRoom(telling events: inout [OutboxEvent]) -> [OutboxFallout] {
    var excess = (calls: count - limits.mostCalls, bytes: bytes - limits.mostBytes)
    var leaving: [String: Int] = [:]
    while excess.calls > 0 || excess.bytes > 0 {
      let next = lanes.compactMap { name, lane in
        lane.waitingCall(at: leaving[name] ?? 0).map { (name: name, call: $0) }
      }.min { $0.call.elapsed < $1.call.elapsed }
      guard let next else { break }
      leaving[next.name, default: 0] += 1
      excess.calls -= 1
      excess.bytes -= next.call.bytes
    }
    var fellOut: [OutboxFallout] = []
    for (name, count) in leaving {
      do throws(OutboxError) {
        guard let numbers = try lanes[name]?.leave(count) else { continue }
        fellOut.append(OutboxFallout(template: name, numbers: numbers, reason: .size))
      } catch {
        events.append(.diskFailed(error))
      }
    }
    events += fellOut.map(OutboxEvent.fellOut)
    return fellOut
  }

  /// Drops expired calls.
  ///
  /// An expired batch may be in flight. It is dropped only for the given sender, or for an endpoint
  /// without a sender.
  mutating func age(of sender: String? = nil, telling events: inout [OutboxEvent]) {
    let moment = clock.now.elapsed - limits.longestAge.milliseconds
    for name in lanes.keys {
      do throws(OutboxError) {
        let isHeld = known.contains(name) && name != sender
        let gone = try lanes[name]?.leaveAged(before: moment, withBatch: !isHeld)
        for numbers in gone ?? [] {
          events.append(.fellOut(OutboxFallout(template: name, numbers: numbers, reason: .age)))
        }
      } catch {
        events.append(.diskFailed(error))
      }
    }
  }

  /// Returns the time until the next call of an endpoint expires; `nil` if none waits.
  func timeToAge(of name: String) -> Duration? {
    lanes[name]?.nextToAge.map { oldest in
      .milliseconds(max(1, oldest + limits.longestAge.milliseconds - clock.now.elapsed + 1))
    }
  }

  /// Returns an endpoint's batch to send, which is then stored on disk; `nil` if no call waits.
  mutating func nextBatch(
    of endpoint: OutboxEndpoint,
    telling events: inout [OutboxEvent]
  ) throws(OutboxError) -> FrozenBatch? {
    age(of: endpoint.name, telling: &events)
    var damaged = 0
    defer {
      if damaged > 0 { events.append(.damaged(template: endpoint.name, calls: damaged)) }
    }
    return try lanes[endpoint.name]?.nextBatch(of: endpoint, damaged: &damaged)
  }

  /// Records durably that a batch has left. Does nothing if its endpoint has another batch.
  mutating func leaveBatch(_ batch: OutboxBatch) throws(OutboxError) {
    try lanes[batch.template]?.leaveBatch(batch.numbers)
  }

  /// Stores the calls of a batch durably as dead letters. Does nothing if its endpoint has another
  /// batch.
  ///
  /// Older letters may be dropped. On a full disk the new ones are dropped, because refused calls
  /// must not block others.
  mutating func addLetters(
    of batch: OutboxBatch,
    status: Int,
    telling events: inout [OutboxEvent]
  ) throws(OutboxError) {
    let calls = try lanes[batch.template]?.frozenCalls(batch.numbers) ?? []
    var fallen = 0
    defer { if fallen > 0 { events.append(.deadLettersFellOut(fallen)) } }
    let most = limits.mostDeadLetterBytes
    do throws(OutboxError) {
      try letters.add(calls, of: batch.template, status, upTo: most, &fallen)
    } catch {
      guard case .diskFull = error else { throw error }
      events.append(.diskFailed(error))
      fallen += calls.count
    }
  }

  private static func id(_ file: URL, _ disk: OutboxDisk) throws(OutboxError) -> String {
    if let data = try disk.contents(of: file, upTo: 1024),
      let id = UUID(uuidString: String(decoding: data, as: UTF8.self))
    {
      return id.uuidString
    }
    let id = UUID().uuidString
    // The file is not replaced, because it carries the lock.
    let new = try DurableFile(appendingTo: file, keeping: 0, by: disk.calls)
    try new.append(Data(id.utf8))
    try disk.syncFolder(file.deletingLastPathComponent())
    return id
  }

  private static let folderCharacters = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789-_"
  )

  /// Returns the name of an endpoint's folder.
  ///
  /// Bytes other than lowercase letters, digits, `-` and `_` are escaped as `=` and two hexadecimal
  /// digits. Names therefore stay distinct on case-insensitive file systems.
  static func folderName(_ name: String) -> String {
    let escaped = name.addingPercentEncoding(withAllowedCharacters: folderCharacters) ?? ""
    return escaped.replacing("%", with: "=") + ".endpoint"
  }

  /// Returns the name of a folder's endpoint; `nil` if it is not an endpoint's folder.
  private static func name(_ folder: String) -> String? {
    let name = folder.dropLast(9).replacing("=", with: "%").removingPercentEncoding
    return name.flatMap { folderName($0) == folder ? $0 : nil }
  }
}
