internal import Foundation
internal import WindTunnelNetworkLayer

/// A call as it lies in a file of calls.
struct StoredCall: Sendable, Hashable {
  /// The number of the call within its endpoint, from 1.
  var number: UInt64
  /// The outbox's own time when it came, and the time of day then.
  var stamp: OutboxStamp
  var key: String
  var body: Data

  /// The number of bytes that it takes in a file.
  var bytes: Int { CallRecords.overhead + key.utf8.count + body.count }
}

/// A file of calls as bytes: a head, and one record after the other.
///
///     head    WTO1  salt (16)  check of both (8), all of it twice
///     record  length of the rest (4)  number (8)  check of the rest (8)  check of these three (8)
///             outbox time (8)  time of day (8)  length of the key (2)  key  body
///
/// All numbers are big-endian, and times are milliseconds. Checks are FNV-1a of 64 bits: they find
/// accidents, not forgeries. That of a record's first three begins with the file's salt, so that
/// bytes of a body are never taken for a record where one before them is damaged.
struct CallRecords {
  static let headBytes = 2 * headCopyBytes
  private static let headCopyBytes = 28
  private static let magic = Data("WTO1".utf8)
  private static let recordHeadBytes = 28
  private static let restHeadBytes = 18

  /// The number of bytes that a record takes beside its key and body.
  static let overhead = recordHeadBytes + restHeadBytes

  let salt: Data

  /// Makes the rules of a new file.
  init() { salt = .random(16) }

  /// Reads the rules of a file by its head; `nil` where there is none, or neither copy is whole.
  init?(head: Data) {
    guard head.count >= Self.headBytes else { return nil }
    for copy in 0..<2 {
      let start = head.startIndex + copy * Self.headCopyBytes
      let bytes = Data(head[start..<start + Self.headCopyBytes])
      if bytes.prefix(4) == Self.magic,
        bytes.bigEndian(at: 20, bytes: 8) == FNV1a.hash(bytes.prefix(20))
      {
        salt = Data(bytes[4..<20])
        return
      }
    }
    return nil
  }

  /// The head of a file.
  var head: Data {
    var copy = Self.magic + salt
    copy.append(bigEndian: FNV1a.hash(copy))
    return copy + copy
  }

  /// Returns a call as a record.
  func record(_ call: StoredCall) -> Data {
    var rest = Data(capacity: Self.restHeadBytes + call.key.utf8.count + call.body.count)
    rest.append(bigEndian: UInt64(bitPattern: call.stamp.elapsed))
    rest.append(bigEndian: UInt64(bitPattern: call.stamp.date))
    rest.append(bigEndian: UInt16(clamping: call.key.utf8.count))
    rest += Data(call.key.utf8)
    rest += call.body
    var record = Data(capacity: Self.recordHeadBytes + rest.count)
    record.append(bigEndian: UInt32(clamping: rest.count))
    record.append(bigEndian: call.number)
    record.append(bigEndian: FNV1a.hash(rest))
    record.append(bigEndian: FNV1a.hash(record, after: salt))
    return record + rest
  }

  /// Reads a call from its whole record; `nil` where that is damaged.
  func call(_ record: Data) -> StoredCall? {
    let record = record.startIndex == 0 ? record : Data(record)
    guard let length = length(record, at: 0), record.count == Self.recordHeadBytes + length else {
      return nil
    }
    return call(record, at: 0, length)
  }

  /// The parts of a file that were found.
  struct Found {
    /// A call's place in the file.
    struct Place {
      var number: UInt64
      var offset: Int
      var count: Int
      var stamp: OutboxStamp
    }

    var places: [Place] = []
    /// The number of bytes up to the end of the last whole record.
    var goodBytes = 0
  }

  /// Finds the calls of a file, with its head. A damaged record is stepped over; what follows the
  /// last whole one was cut off by a kill, or damaged.
  func find(in file: Data) -> Found {
    let file = file.startIndex == 0 ? file : Data(file)
    var found = Found(goodBytes: min(Self.headBytes, file.count))
    var offset = Self.headBytes
    while offset + Self.recordHeadBytes <= file.count {
      guard let length = length(file, at: offset) else {
        // One byte on: the check of a head fits nowhere else but at a head.
        offset += 1
        continue
      }
      let end = offset + Self.recordHeadBytes + length
      guard end <= file.count else { break }
      if let call = stamp(file, at: offset, length) {
        found.places.append(
          .init(number: call.number, offset: offset, count: end - offset, stamp: call.stamp)
        )
        found.goodBytes = end
      }
      offset = end
    }
    return found
  }

  /// Returns the length of the rest of a record; `nil` where no whole head of one is there.
  private func length(_ file: Data, at offset: Int) -> Int? {
    guard offset + Self.recordHeadBytes <= file.count,
      file.bigEndian(at: offset + 20, bytes: 8)
        == FNV1a.hash(file, offset..<offset + 20, after: salt)
    else { return nil }
    let length = Int(file.bigEndian(at: offset, bytes: 4))
    return length >= Self.restHeadBytes ? length : nil
  }

  private func stamp(
    _ file: Data,
    at offset: Int,
    _ length: Int
  ) -> (number: UInt64, stamp: OutboxStamp)? {
    let rest = offset + Self.recordHeadBytes
    guard file.bigEndian(at: offset + 12, bytes: 8) == FNV1a.hash(file, rest..<rest + length) else {
      return nil
    }
    return (
      file.bigEndian(at: offset + 4, bytes: 8),
      OutboxStamp(
        elapsed: Int64(bitPattern: file.bigEndian(at: rest, bytes: 8)),
        date: Int64(bitPattern: file.bigEndian(at: rest + 8, bytes: 8))
      )
    )
  }

  private func call(_ file: Data, at offset: Int, _ length: Int) -> StoredCall? {
    guard let (number, stamp) = stamp(file, at: offset, length) else { return nil }
    let rest = offset + Self.recordHeadBytes
    let key = rest + Self.restHeadBytes
    let body = key + Int(file.bigEndian(at: rest + 16, bytes: 2))
    guard body <= rest + length else { return nil }
    return StoredCall(
      number: number,
      stamp: stamp,
      key: String(decoding: file[key..<body], as: UTF8.self),
      body: Data(file[body..<rest + length])
    )
  }
}
