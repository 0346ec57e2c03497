internal import Foundation
internal import WindTunnelNetworkLayer

/// The files of an endpoint's calls, each of which is written at its end until it is long enough,
/// and removed when all of its calls have left.
struct CallFiles {
  /// A call's place in the files.
  struct Place {
    var file: UInt32
    var offset: UInt32
    var count: UInt32
  }

  /// The things that reading a file finds.
  struct Found {
    /// The calls, as they lie in the file.
    var calls: [(number: UInt64, stamp: OutboxStamp, place: Place)] = []
    /// The bytes at its end that are no whole call and were cut off.
    var cutBytes = 0
    /// True where its head is damaged, and it was set aside.
    var isDamaged = false
  }

  /// The bytes from which on a file of calls is followed by another one.
  private static let fileBytes = 1 << 20
  /// The most bytes of a file without calls that is written on.
  private static let keptBytes = 1 << 16
  /// The most bytes of a file that is read: one that was nearly full, and a longest call.
  static let readBytes = 1 << 30

  private let folder: URL
  private let disk: OutboxDisk
  /// Each file with the number of its calls that have not left.
  private var files: [UInt32: (url: URL, calls: Int)] = [:]
  private var last: UInt32 = 0
  /// The last file, while calls may be added to it.
  private var active: CallFile?

  /// Makes the files of a folder, of which none was read yet.
  init(in folder: URL, _ disk: OutboxDisk) { (self.folder, self.disk) = (folder, disk) }

  /// Reads a file; the last one is the one to be written on.
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
        Place(file: last, offset: UInt32(place.offset), count: UInt32(place.count))
      )
    }
    guard isLast else { return found }
    active = CallFile(url, disk, rules, count: read.goodBytes)
    found.cutBytes = data.count - read.goodBytes
    return found
  }

  /// Writes calls for good and returns their places, or throws and has written none.
  mutating func append(_ calls: [StoredCall]) throws(OutboxError) -> [Place] {
    guard let first = calls.first?.number else { return [] }
    var file = try open(first)
    defer { active = file.isSpoilt ? nil : file }
    return try file.append(calls).map { place in
      Place(file: last, offset: UInt32(place.lowerBound), count: UInt32(place.count))
    }
  }

  /// Returns the file that calls are written to, which may be a new one from this number on.
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

  /// Reads calls. One that is damaged is left out; where the system reads nothing all stay.
  func read(_ places: some Sequence<Place>) throws(OutboxError) -> [StoredCall] {
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
  mutating func add(_ place: Place) { files[place.file]?.calls += 1 }

  /// Counts a call that has left.
  mutating func forget(_ place: Place) { files[place.file]?.calls -= 1 }

  /// Removes files whose calls have left; the last one only where that makes room, since a new one
  /// costs a wait for the disk.
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
