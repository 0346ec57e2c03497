internal import Foundation
internal import WindTunnelHTTP

/// A stretch of a file, none of whose reads leaves it.
struct ByteWindow {
  /// The order of the bytes of a number.
  enum Order { case little, big }

  /// All of the file, from index 0.
  private let data: Data
  /// The place of the stretch in the file.
  let range: Range<Int>

  init(_ data: Data) {
    self.data = data.startIndex == 0 ? data : Data(data)
    range = 0..<data.count
  }

  private init(_ data: Data, _ range: Range<Int>) {
    self.data = data
    self.range = range
  }

  var count: Int { range.count }

  /// Returns a stretch of this one; `nil` where it would reach beyond the end, at any size.
  func window(at offset: UInt64, count: UInt64) -> ByteWindow? {
    let (end, overflows) = offset.addingReportingOverflow(count)
    guard !overflows, end <= UInt64(self.count) else { return nil }
    let start = range.lowerBound + Int(offset)
    return ByteWindow(data, start..<start + Int(count))
  }

  func window(at offset: Int, count: Int) -> ByteWindow? {
    guard offset >= 0, count >= 0 else { return nil }
    return window(at: UInt64(offset), count: UInt64(count))
  }

  /// Returns the number at a place; `nil` where a byte of it lies beyond the end.
  func number<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type,
    at offset: Int,
    _ order: Order
  ) -> Number? {
    guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
    let number = data.withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: range.lowerBound + offset, as: Number.self)
    }
    return order == .little ? Number(littleEndian: number) : Number(bigEndian: number)
  }

  /// Tells whether the bytes at a place are these.
  func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
    guard let part = window(at: offset, count: bytes.count) else { return false }
    return part.withBytes { $0.elementsEqual(bytes) }
  }

  /// Returns the places where some bytes stand, from the first on; linear in the window's length.
  func places(of bytes: [UInt8]) -> [Int] {
    guard let first = bytes.first else { return [] }
    return withBytes { window in
      var (found, place) = ([Int](), 0)
      while let base = window.baseAddress, place <= window.count - bytes.count,
        let next = memchr(base + place, Int32(first), window.count - place)
      {
        Work.read(UnsafeRawPointer(next) - base - place + bytes.count)
        place = UnsafeRawPointer(next) - base
        guard place <= window.count - bytes.count else { break }
        if memcmp(next, bytes, bytes.count) == 0 {
          found.append(place)
          place += bytes.count
        } else {
          place += 1
        }
      }
      return found
    }
  }

  /// Returns the text that the bytes spell; what is no UTF-8 becomes U+FFFD.
  var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }

  /// Returns the text that a zero ends, or the window, or the longest name that is read.
  func name(at offset: Int) -> String? {
    guard let part = window(at: offset, count: min(Self.nameMax, count - offset)) else {
      return nil
    }
    return part.withBytes { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// The longest name that is read, as long as a path may be.
  private static let nameMax = 1024

  /// Tells whether all bytes are zero.
  var isZero: Bool {
    withBytes { bytes in
      // Each is the same as the one before it, and the first is zero.
      guard let base = bytes.baseAddress, bytes.count > 1 else {
        return bytes.allSatisfy { $0 == 0 }
      }
      return bytes[0] == 0 && memcmp(base, base + 1, bytes.count - 1) == 0
    }
  }

  /// The longest rest that is taken for an alignment, whatever stands in it.
  static let alignmentMax = 64

  /// Returns the bytes behind a place; `nil` where they could hold nothing: there are few, or all
  /// are zero.
  func rest(behind end: Int) -> ByteWindow? {
    guard let rest = window(at: end, count: count - end) else { return nil }
    return rest.count > Self.alignmentMax && !rest.isZero ? rest : nil
  }

  /// Returns the bytes, as a file of their own.
  var content: Data { Data(data[range]) }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    data.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }
}
