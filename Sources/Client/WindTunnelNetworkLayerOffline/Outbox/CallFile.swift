internal import Foundation

/// A file of calls (``CallRecords``) that is written at its end, and made with the first call.
struct CallFile {
  let url: URL
  private let disk: OutboxDisk
  private let records: CallRecords
  private var file: DurableFile?
  /// The bytes that are there for good.
  private(set) var count: Int
  /// Whether the disk has the name of the file.
  private var isNamed: Bool
  /// Whether a write could not be taken back.
  private(set) var isSpoilt = false

  /// Creates a file that exists with so many good bytes, or a new one.
  init(_ url: URL, _ disk: OutboxDisk, _ records: CallRecords = CallRecords(), count: Int = 0) {
    (self.url, self.disk, self.records, self.count) = (url, disk, records, count)
    isNamed = count > 0
  }

  /// Writes calls for good and returns their places, or throws and has written none.
  mutating func append(_ calls: [StoredCall]) throws(OutboxError) -> [Range<Int>] {
    var data = count == 0 ? records.head : Data()
    let places = calls.map { call in
      let start = count + data.count
      data += records.record(call)
      return start..<(count + data.count)
    }
    let open: DurableFile
    if let file {
      open = file
    } else {
      open = try DurableFile(appendingTo: url, keeping: count, by: disk.calls)
      file = open
    }
    do throws(OutboxError) {
      try open.append(data)
      if !isNamed { try disk.syncFolder(url.deletingLastPathComponent()) }
    } catch {
      if open.count > count { open.cut(to: count) }
      if open.isSpoilt { (file, isSpoilt) = (nil, true) }
      throw error
    }
    (count, isNamed) = (open.count, true)
    return places
  }

  /// Puts other calls in the place of all, for good.
  mutating func replace(with calls: [StoredCall]) throws(OutboxError) {
    // What is open is not the file any more, also where putting fails at the folder.
    file = nil
    let data = calls.reduce(into: records.head) { $0 += records.record($1) }
    try disk.put(data, at: url)
    (count, isNamed) = (data.count, true)
  }

  /// Reads all calls that are whole.
  func all(upTo most: Int) throws(OutboxError) -> [StoredCall] {
    let data = try disk.contents(of: url, upTo: most) ?? Data()
    return records.find(in: data).places.compactMap { place in
      records.call(Data(data[place.offset..<place.offset + place.count]))
    }
  }
}
