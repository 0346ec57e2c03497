internal import Foundation

/// A gzip body that is small on the wire and decompresses to a thousand times its size.
///
/// The content is an empty JSON array with white space (RFC 1951, RFC 1952). The data is one block
/// with a code of its own, in which the longest repetition has two bits, both zero. All but some
/// 150 of its bytes are therefore zero, at any size.
struct GzipBomb {
  /// The minimum decompressed size: both brackets and a space.
  static let openedBytesMin = 3

  /// The body as it is sent.
  let data: Data

  /// Creates a body that decompresses to a number of bytes, at least ``openedBytesMin``.
  init(opensTo count: Int) {
    let spaces = max(count, Self.openedBytesMin) - 2
    var bits = BitWriter(Self.head)
    bits.append(code: Self.open)
    bits.append(code: Self.space)
    let (repetitions, rest) = (spaces - 1).quotientAndRemainder(dividingBy: Self.repeatedBytes)
    bits.append(zeros: 2 * repetitions)
    for _ in 0..<rest { bits.append(code: Self.space) }
    bits.append(code: Self.close)
    bits.append(code: Self.end)
    var checksum = Checksum()
    checksum.append(UInt8(ascii: "["))
    checksum.append(UInt8(ascii: " "), times: spaces)
    checksum.append(UInt8(ascii: "]"))
    bits.align()
    bits.append(UInt64(checksum.value), count: 32)
    bits.append(UInt64(UInt32(truncatingIfNeeded: spaces + 2)), count: 32)
    data = bits.data
  }

  /// The header of the file and of its only block, which contains the lengths of the code (RFC 1951
  /// §3.2.7).
  ///
  /// The symbols `[`, `]`, the space and the end have three bits, symbol 285 has one bit, and the
  /// only distance has one bit.
  private static let head = Data([
    0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255,
    0xED, 0xC0, 0x81, 0x0C, 0, 0, 0, 0x02, 0x30, 0x95, 0xBC, 0x5A, 0xFE, 0x1A, 0x89, 0xFC,
  ])
  /// The longest repetition, which is symbol 285.
  private static let repeatedBytes = 258
  // The code gives one bit to symbol 285 and three bits to each of these four. The only distance,
  // of one byte, has one bit.
  private static let space: (UInt64, Int) = (0b100, 3)
  private static let open: (UInt64, Int) = (0b101, 3)
  private static let close: (UInt64, Int) = (0b110, 3)
  private static let end: (UInt64, Int) = (0b111, 3)
}

/// A writer of bits in deflate's order: the lowest bit of a byte first.
private struct BitWriter {
  private(set) var data: Data
  private var pending: UInt64 = 0
  private var pendingCount = 0

  init(_ head: Data) { data = head }

  /// Appends a number, its lowest bit first.
  mutating func append(_ bits: UInt64, count: Int) {
    for place in 0..<count {
      pending |= (bits >> UInt64(place) & 1) << UInt64(pendingCount)
      pendingCount += 1
      if pendingCount == 8 { flush() }
    }
  }

  /// Appends a symbol of a prefix code, its highest bit first.
  mutating func append(code: (bits: UInt64, count: Int)) {
    for place in (0..<code.count).reversed() { append(code.bits >> UInt64(place), count: 1) }
  }

  /// Appends a number of zero bits, and whole bytes in one step.
  mutating func append(zeros count: Int) {
    let first = min(count, (8 - pendingCount) % 8)
    append(0, count: first)
    data.append(Data(count: (count - first) / 8))
    append(0, count: (count - first) % 8)
  }

  /// Fills the last byte with zero bits.
  mutating func align() { if pendingCount > 0 { flush() } }

  private mutating func flush() {
    data.append(UInt8(pending))
    (pending, pendingCount) = (0, 0)
  }
}

/// The CRC-32 of gzip (RFC 1952 §8), with a fast way to append a repeated byte.
private struct Checksum {
  private var state: UInt32 = ~0

  var value: UInt32 { ~state }

  mutating func append(_ byte: UInt8) { state = Self.next(state, byte) }

  /// Appends a repeated byte. A step is a linear map and a constant, and so are two steps, four
  /// steps and so on.
  mutating func append(_ byte: UInt8, times count: Int) {
    var step = Step(of: byte)
    var left = count
    while left > 0 {
      if left & 1 == 1 { state = step.applied(to: state) }
      step = step.twice
      left >>= 1
    }
  }

  private static func next(_ state: UInt32, _ byte: UInt8) -> UInt32 {
    var state = state ^ UInt32(byte)
    for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0xEDB8_8320 : state >> 1 }
    return state
  }

  private struct Step {
    private var constant: UInt32
    /// The image of each bit.
    private var columns: [UInt32]

    init(of byte: UInt8) {
      let constant = Checksum.next(0, byte)
      self.constant = constant
      columns = (0..<32).map { Checksum.next(1 << $0, byte) ^ constant }
    }

    func applied(to state: UInt32) -> UInt32 { mapped(state) ^ constant }

    private func mapped(_ state: UInt32) -> UInt32 {
      columns.indices.reduce(0) { state >> UInt32($1) & 1 == 1 ? $0 ^ columns[$1] : $0 }
    }

    var twice: Step {
      var twice = self
      twice.columns = columns.map(mapped)
      twice.constant = applied(to: constant)
      return twice
    }
  }
}
