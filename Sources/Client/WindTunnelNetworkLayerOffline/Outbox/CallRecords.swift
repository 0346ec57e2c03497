internal import Foundation
internal import WindTunnelNetworkLayer

/// A call as it is stored in a file.
struct StoredCall: Sendable, Hashable {
  /// The number of the call within its endpoint, from 1.
  var number: UInt64
  /// The outbox's own time and the date at which the call was enqueued.
  var stamp: OutboxStamp
  var key: String
  var body: Data

  /// The number of bytes of its record in a file.
  var bytes: Int { CallRecords.overhead + key.utf8.count + body.count }
}

/// The format of a file of calls: a head, followed by records.
///
///     head    WTO1  salt (16)  check of both (8), all of it twice
///     record  length of the rest (4)  number (8)  check of the rest (8)  check of these three (8)
///             outbox time (8)  time of day (8)  length of the key (2)  key  body
///
/// All numbers are big-endian, and times are in milliseconds. Checks are 64-bit FNV-1a hashes,
/// which detect accidents but not forgeries. The check of a record's first three fields includes
/// the file's salt. Bytes of a body are therefore never taken for a record, even after damaged
/// bytes.
struct CallRecords {
  static let headBytes = 2 * headCopyBytes
  private static let headCopyBytes = 28
  private static let magic = Data("WTO1".utf8)
  private static let recordHeadBytes = 28
  private static let restHeadBytes = 18

  /// The number of bytes of a record in addition to its key and body.
  static let overhead = recordHeadBytes + restHeadBytes

  let salt: Data

  /// Creates the format of a new file, with a random salt.
  init() { salt = .random(16) }

  /// Parses the head of a file; `nil` if it is missing or both of its copies are damaged.
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

  /// Parses a call from its complete record; `nil` if that is damaged.
  func call(_ record: Data) -> StoredCall? {
    let record = record.startIndex == 0 ? record : Data(record)
    guard let length = length(record, at: 0), record.count == Self.recordHeadBytes + length else {
      return nil
    }
    return call(record, at: 0, length)
  }

  /// The result of scanning a file.
  struct Found {
    /// The location of a call in the file.
    struct Location {
      var number: UInt64
      var offset: Int
      var count: Int
      var stamp: OutboxStamp
    }

    var places: [Location] = []
    /// The number of bytes up to the end of the last complete record.
    var goodBytes = 0
  }

  /// Finds the calls of a file that includes its head.
  ///
  /// Damaged records are skipped. Bytes after the last complete record are truncated or damaged.
  func find(in file: Data) -> Found {
    let file = file.startIndex == 0 ? file : Data(file)
    var found = Found(goodBytes: min(Self.headBytes, file.count))
    var offset = Self.headBytes
    while offset + Self.recordHeadBytes <= file.count {
      guard let length = length(file, at: offset) else {
        // Continue with the next byte: only a head has a matching check.
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

  /// Returns the length of a record's rest; `nil` if there is no valid record head.
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
