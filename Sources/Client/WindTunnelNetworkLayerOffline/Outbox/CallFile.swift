internal import Foundation

/// A file of calls (``CallRecords``) for appending, which is created with the first call.
struct CallFile {
  let url: URL
  private let disk: OutboxDisk
  private let records: CallRecords
  private var file: DurableFile?
  /// The number of durable bytes.
  private(set) var count: Int
  /// Whether the name of the file is durable.
  private var isNamed: Bool
  /// Whether a failed write could not be undone.
  private(set) var isSpoilt = false

  /// Creates a value for an existing file with a number of valid bytes, or for a new one.
  init(_ url: URL, _ disk: OutboxDisk, _ records: CallRecords = CallRecords(), count: Int = 0) {
    (self.url, self.disk, self.records, self.count) = (url, disk, records, count)
    isNamed = count > 0
  }

  /// Writes calls durably and returns their byte ranges, or throws and has written none.
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

  /// Replaces all calls of the file durably.
  mutating func replace(with calls: [StoredCall]) throws(OutboxError) {
    // The open file is replaced, even if synchronizing the folder fails.
    file = nil
    let data = calls.reduce(into: records.head) { $0 += records.record($1) }
    try disk.put(data, at: url)
    (count, isNamed) = (data.count, true)
  }

  /// Reads all complete calls of the file.
  func all(upTo most: Int) throws(OutboxError) -> [StoredCall] {
    let data = try disk.contents(of: url, upTo: most) ?? Data()
    return records.find(in: data).places.compactMap { place in
      records.call(Data(data[place.offset..<place.offset + place.count]))
    }
  }
}
