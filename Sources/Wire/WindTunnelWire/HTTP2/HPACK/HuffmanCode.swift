/// The Huffman code of field strings (RFC 7541 Appendix B).
///
/// The code is canonical: codes of the same length are in the order of their symbols. So the
/// lengths determine all codes.
final class HuffmanCode: Sendable {
  static let shared = HuffmanCode()
  /// The symbol for the end of a string (EOS), which no string may contain (RFC 7541 §5.2).
  private static let endOfString: UInt16 = 256
  /// The number of bits of an index of the short table.
  private static let shortBits = 8
  /// The length in bits of the longest codes, one of which is the end of a string.
  private static let bitsMax = 30
  /// The lengths of the codes of all symbols: `A` for 5 bits to `Z` for 30.
  private static let lengths = """
    ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHF\
    IBCCCCCCCCCCCCCCCCCCCCCCDCDIOIJBKABABABBBACCBBBABCBAABCCCCCKGJIX\
    PRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSPRRRSRRS\
    VVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWVZ
    """

  /// The code of each byte with its number of bits.
  private let codes: [(bits: UInt64, length: Int)]
  /// The symbols in the order of their codes.
  private let symbols: [UInt16]
  /// For each length: the code after its last one, and the offset from a code to its index in
  /// `symbols`.
  private let lengths: [(end: UInt64, distance: Int)]
  /// Symbols, with their lengths in the upper byte, by the first bits of an encoded string; 0 for
  /// longer codes.
  private let short: [UInt16]

  private init() {
    let bits = Self.lengths.utf8.map { Int($0) - 0x41 + 5 }
    var codes = [(bits: UInt64, length: Int)](repeating: (0, 0), count: bits.count)
    var symbols: [UInt16] = []
    var lengths: [(end: UInt64, distance: Int)] = []
    var short = [UInt16](repeating: 0, count: 1 << Self.shortBits)
    var next: UInt64 = 0
    for length in 0...Self.bitsMax {
      next <<= 1
      let distance = symbols.count - Int(next)
      for symbol in bits.indices where bits[symbol] == length {
        codes[symbol] = (next, length)
        symbols.append(UInt16(symbol))
        if length <= Self.shortBits {
          let spare = Self.shortBits - length
          for place in (Int(next) << spare)..<(Int(next + 1) << spare) {
            short[place] = UInt16(length << 8 | symbol)
          }
        }
        next += 1
      }
      lengths.append((next, distance))
    }
    (self.codes, self.symbols, self.lengths, self.short) = (codes, symbols, lengths, short)
  }

  /// Returns the maximum size of a decoded string, given its encoded size.
  static func decodedBytesMax(_ count: Int) -> Int { count * 8 / 5 }

  /// Decodes a string, and returns the number of bytes; `nil` if the padding is invalid or the
  /// string contains EOS. The buffer must have room for `decodedBytesMax` bytes.
  func decode(_ bytes: Bytes, into text: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    var (place, count) = (0, 0)
    // The bits that were read and not decoded, from the most significant bit, followed by zeros.
    var window: UInt64 = 0
    var bits = 0
    while true {
      while bits <= 56, place < bytes.count {
        window |= UInt64(bytes[place]) << UInt64(56 - bits)
        place += 1
        bits += 8
      }
      let found = short[Int(window >> UInt64(64 - Self.shortBits))]
      let (symbol, length) = found > 0 ? (found & 0xFF, Int(found >> 8)) : long(window)
      guard length <= bits else { break }
      guard symbol != Self.endOfString, count < text.count else { return nil }
      text[count] = UInt8(symbol)
      count += 1
      window <<= UInt64(length)
      bits -= length
    }
    // RFC 7541 §5.2: the padding has less than eight bits, the first bits of EOS, which are ones.
    return bits < 8 && window == ~(UInt64.max >> UInt64(bits)) ? count : nil
  }

  /// Returns the symbol at the beginning of the bits, and its length, if its code is not in the
  /// short table.
  private func long(_ window: UInt64) -> (symbol: UInt16, length: Int) {
    for length in (Self.shortBits + 1)..<Self.bitsMax {
      let code = window >> UInt64(64 - length)
      if code < lengths[length].end {
        return (symbols[Int(code) + lengths[length].distance], length)
      }
    }
    let code = window >> UInt64(64 - Self.bitsMax)
    return (symbols[Int(code) + lengths[Self.bitsMax].distance], Self.bitsMax)
  }

  /// Encodes a string, padded with ones, and returns the number of bytes; `nil` if the buffer is
  /// too small.
  func encode(_ text: Bytes, into encoded: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    var window: UInt64 = 0
    var (bits, place) = (0, 0)
    for byte in text {
      let (code, length) = codes[Int(byte)]
      window = window << UInt64(length) | code
      bits += length
      while bits >= 8 {
        guard place < encoded.count else { return nil }
        bits -= 8
        encoded[place] = UInt8(truncatingIfNeeded: window >> UInt64(bits))
        place += 1
      }
    }
    guard bits > 0 else { return place }
    guard place < encoded.count else { return nil }
    let padded = window << UInt64(8 - bits) | UInt64(0xFF >> bits)
    encoded[place] = UInt8(truncatingIfNeeded: padded)
    return place + 1
  }
}
