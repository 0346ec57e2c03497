internal import Foundation
internal import WindTunnelNetworkLayer

/// The files of an endpoint's calls.
///
/// Calls are appended to the last file until it is long enough. A file is removed when all its
/// calls have left.
struct CallFiles {
  /// The location of a call in the files.
  struct Location {
    var file: UInt32
    var offset: UInt32
    var count: UInt32
  }

  /// The result of reading a file.
  struct Found {
    /// The calls in the order of the file.
    var calls: [(number: UInt64, stamp: OutboxStamp, place: Location)] = []
    /// The number of bytes at the end that were no complete call and were truncated.
    var cutBytes = 0
    /// Whether its head is damaged, so that the file was renamed.
    var isDamaged = false
  }

  /// The size in bytes at which a file is full, so that new calls are written to the next one.
  private static let fileBytes = 1 << 20
  /// The maximum size in bytes at which a file without calls is reused.
  private static let keptBytes = 1 << 16
  /// The maximum size in bytes of a file that is read: a nearly full file and the longest call.
  static let readBytes = 1 << 30

  private let folder: URL
  private let disk: OutboxDisk
  /// Each file with the number of its calls that have not left.
  private var files: [UInt32: (url: URL, calls: Int)] = [:]
  private var last: UInt32 = 0
  /// The last file, while calls may be appended to it.
  private var active: CallFile?

  /// Creates a value for the files of a folder, before any was read.
  init(in folder: URL, _ disk: OutboxDisk) { (self.folder, self.disk) = (folder, disk) }

  /// Reads a file. New calls are appended to the last one.
  mutating func read(_ url: URL, isLast: Bool) throws(OutboxError) -> Found {
    var found = Found()
    let data = try disk.contents(of: url, upTo: Self.readBytes) ?? Data()
    guard let rules = CallRecords(head: data) else {
      if data.count >= CallRecords.headBytes {
        try disk.setAside(url)
        found.isDamaged = true
      } else if isLast {
        found.cutBytes = data.count
        disk.remove(url)
      }
      return found
    }
    last += 1
    files[last] = (url, 0)
    let read = rules.find(in: data)
    found.calls = read.places.map { place in
      (
        place.number, place.stamp,
        Location(file: last, offset: UInt32(place.offset), count: UInt32(place.count))
      )
    }
    guard isLast else { return found }
    active = CallFile(url, disk, rules, count: read.goodBytes)
    found.cutBytes = data.count - read.goodBytes
    return found
  }

  /// Writes calls durably and returns their locations, or throws and has written none.
  mutating func append(_ calls: [StoredCall]) throws(OutboxError) -> [Location] {
    guard let first = calls.first?.number else { return [] }
    var file = try open(first)
    defer { active = file.isSpoilt ? nil : file }
    return try file.append(calls).map { place in
      Location(file: last, offset: UInt32(place.lowerBound), count: UInt32(place.count))
    }
  }

  /// Returns the file for new calls, which may be a new file that begins with this number.
  private mutating func open(_ number: UInt64) throws(OutboxError) -> CallFile {
    if let active, active.count < Self.fileBytes { return active }
    try disk.makeFolder(folder)
    let url = folder.appending(path: "\(number.hex).calls")
    if files[last]?.calls == 0 { remove(last) }
    if try disk.isThere(url) { try disk.setAside(url) }
    last += 1
    files[last] = (url, 0)
    return CallFile(url, disk)
  }

  /// Reads calls, and skips damaged ones. Throws if the system cannot read, so that no call is
  /// lost.
  func read(_ places: some Sequence<Location>) throws(OutboxError) -> [StoredCall] {
    var calls: [StoredCall] = []
    var open: (id: UInt32, file: ReadFile?, rules: CallRecords?)?
    for place in places {
      if open?.id != place.file {
        let file: ReadFile? = if let url = files[place.file]?.url { try ReadFile(url) } else { nil }
        let head = try file?.read(CallRecords.headBytes, at: 0)
        open = (place.file, file, head.flatMap { CallRecords(head: $0) })
      }
      let record = try open?.file?.read(Int(place.count), at: Int(place.offset))
      if let record, let call = open?.rules?.call(record) { calls.append(call) }
    }
    return calls
  }

  /// Counts a call that has not left.
  mutating func add(_ place: Location) { files[place.file]?.calls += 1 }

  /// Counts a call that has left.
  mutating func forget(_ place: Location) { files[place.file]?.calls -= 1 }

  /// Removes files whose calls have left.
  ///
  /// The last file is removed only if it is large, because a new file requires a synchronization.
  mutating func removeEmpty() {
    for id in files.keys where files[id]?.calls == 0 {
      if id == last {
        guard active?.count ?? 0 > Self.keptBytes else { continue }
        active = nil
      }
      remove(id)
    }
  }

  private mutating func remove(_ id: UInt32) {
    if let file = files.removeValue(forKey: id) { disk.remove(file.url) }
  }
}
