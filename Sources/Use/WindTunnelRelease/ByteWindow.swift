/// A part of a file. No read reaches beyond its end.
package struct ByteWindow: Sendable {
  /// The order of the bytes of a number.
  enum Order { case little, big }

  private let data: Data

  package init(_ data: Data) { self.data = data }

  var count: Int { data.count }

  /// Returns a part of this window; `nil` if it would reach beyond the end.
  func window(at offset: some BinaryInteger, count: some BinaryInteger) -> ByteWindow? {
    guard let offset = Int(exactly: offset), let count = Int(exactly: count),
      (0...self.count).contains(offset), (0...self.count - offset).contains(count)
    else { return nil }
    return ByteWindow(data[(data.startIndex + offset)...].prefix(count))
  }

  /// Returns the number at an offset; `nil` if a byte of it is beyond the end.
  func number<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type,
    at offset: Int,
    _ order: Order
  ) -> Number? {
    guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
    let number = data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    return order == .little ? Number(littleEndian: number) : Number(bigEndian: number)
  }

  /// Returns whether the bytes at an offset are equal to these.
  func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
    guard let part = window(at: offset, count: bytes.count) else { return false }
    return part.withBytes { $0.elementsEqual(bytes) }
  }

  /// Returns the offsets of all occurrences of some bytes, of which there is at least one, in
  /// linear time.
  func places(of bytes: [UInt8]) -> [Int] {
    withBytes { window in
      var (found, place) = ([Int](), 0)
      while let base = window.baseAddress, place <= window.count - bytes.count,
        let next = memchr(base + place, Int32(bytes[0]), window.count - place)
      {
        let start = UnsafeRawPointer(next) - base
        Work.read(start - place + bytes.count)
        let isFound = start <= window.count - bytes.count && memcmp(next, bytes, bytes.count) == 0
        if isFound { found.append(start) }
        place = start + (isFound ? bytes.count : 1)
      }
      return found
    }
  }

  /// The bytes as UTF-8 text. Invalid bytes become U+FFFD.
  var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }

  /// A copy of the bytes.
  package var content: Data { Data(data) }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    data.withUnsafeBytes(body)
  }
}
