/// A QR code of a short text (ISO/IEC 18004:2015): byte mode, error correction L, versions 1 to 6.
///
/// It transfers a URL from a terminal to a phone. Versions up to 6 need no version information
/// (§7.10) and have room for every address of a machine.
package struct QRCode: Sendable {
  /// The number of modules on a side.
  package private(set) var size: Int
  private var dark: [Bool]

  /// The maximum number of text bytes in version 6, without mode and count (§7.4.1, table 7).
  package static let bytesMax = 134

  /// Creates the code of a text; `nil` if it has more than ``bytesMax`` bytes of UTF-8.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let version = Version.all.first(where: { $0.dataBytes - 2 >= bytes.count }) else {
      return nil
    }
    size = 17 + 4 * version.number
    let patterns = Self.patterns(of: version, size)
    dark = patterns.map { $0 ?? false }
    let free = Self.path(size).filter { patterns[$0] == nil }
    let codewords = version.codewords(of: bytes)
    // The remaining modules are light.
    for (bit, place) in zip(0..<codewords.count * 8, free) {
      dark[place] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
    }
    // Mask 000, a checkerboard. Readers accept every mask, so none is weighed against another.
    for place in free where (place / size + place % size).isMultiple(of: 2) { dark[place].toggle() }
    drawFormat()
  }

  /// Whether a module is dark. The quiet zone around the code is light.
  package func isDark(_ row: Int, _ column: Int) -> Bool {
    (0..<size).contains(row) && (0..<size).contains(column) && dark[row * size + column]
  }

  /// The code as terminal text: two rows of modules in one line of half blocks, black on white
  /// regardless of the terminal's colours.
  ///
  /// It includes the quiet zone of four modules (§5.3.8). Light modules are drawn as blocks, so
  /// that trimming trailing spaces loses nothing.
  package var terminalText: String {
    let quiet = 4
    var text = ""
    for row in stride(from: -quiet, to: size + quiet, by: 2) {
      text += "\u{1B}[97;40m"
      for column in -quiet..<size + quiet {
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (true, true): text += " "
        case (true, false): text += "▄"
        case (false, true): text += "▀"
        case (false, false): text += "█"
        }
      }
      text += "\u{1B}[0m\n"
    }
    return text
  }

  private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
    dark[row * size + column] = isDark
  }

  /// Returns the modules that are fixed in a version, with the format's area reserved (§6.3); `nil`
  /// marks a free module.
  private static func patterns(of version: Version, _ size: Int) -> [Bool?] {
    var modules = [Bool?](repeating: nil, count: size * size)
    func set(_ row: Int, _ column: Int, _ isDark: Bool) {
      guard (0..<size).contains(row), (0..<size).contains(column) else { return }
      modules[row * size + column] = isDark
    }
    for index in 0..<size {
      set(6, index, index.isMultiple(of: 2))
      set(index, 6, index.isMultiple(of: 2))
    }
    // The centre of each square, and the number of rings around it.
    let finders = [(3, 3, 4), (3, size - 4, 4), (size - 4, 3, 4)]
    for (row, column, rings) in finders + (version.number > 1 ? [(size - 7, size - 7, 2)] : []) {
      for down in -rings...rings {
        for right in -rings...rings {
          let ring = max(abs(down), abs(right))
          set(row + down, column + right, rings == 4 ? ring != 2 && ring < 4 : ring != 1)
        }
      }
    }
    for index in 0...8 where index != 6 {
      set(8, index, false)
      set(index, 8, false)
    }
    for index in size - 8..<size {
      set(8, index, false)
      set(index, 8, index == size - 8)
    }
    return modules
  }

  /// The format information of level L (01) and mask 000, by BCH (15, 5) with the polynomial
  /// 10100110111 and the mask 101010000010010 (annex C).
  private static let format = 0x77C4

  /// Draws the format information, error correction level and mask, twice (§7.9).
  private mutating func drawFormat() {
    for index in 0..<15 {
      let isDark = Self.format >> index & 1 == 1
      let up = index < 6 ? index : index < 8 ? index + 1 : size - 15 + index
      set(up, 8, isDark)
      let left = index < 8 ? size - 1 - index : index == 8 ? 7 : 14 - index
      set(8, left, isDark)
    }
    set(size - 8, 8, true)
  }

  /// Returns the indices of the modules from the lower right, two columns at a time, alternately up
  /// and down (§7.7.3).
  private static func path(_ size: Int) -> [Int] {
    stride(from: size - 1, through: 1, by: -2).enumerated().flatMap { turn, right in
      let right = right <= 6 ? right - 1 : right
      return (0..<size).flatMap { step in
        let place = (turn.isMultiple(of: 2) ? size - 1 - step : step) * size + right
        return [place, place - 1]
      }
    }
  }
}

// MARK: - Codewords

/// A version at level L, with its capacity (§7.5.1, table 9).
private struct Version {
  let number: Int
  let blocks: Int
  let dataBytesOfBlock: Int
  let correctionBytes: Int

  var dataBytes: Int { blocks * dataBytesOfBlock }

  static let all = [
    Version(number: 1, blocks: 1, dataBytesOfBlock: 19, correctionBytes: 7),
    Version(number: 2, blocks: 1, dataBytesOfBlock: 34, correctionBytes: 10),
    Version(number: 3, blocks: 1, dataBytesOfBlock: 55, correctionBytes: 15),
    Version(number: 4, blocks: 1, dataBytesOfBlock: 80, correctionBytes: 20),
    Version(number: 5, blocks: 1, dataBytesOfBlock: 108, correctionBytes: 26),
    Version(number: 6, blocks: 2, dataBytesOfBlock: 68, correctionBytes: 18),
  ]

  /// Returns the data and correction codewords of a text, interleaved by block (§7.6).
  func codewords(of text: [UInt8]) -> [UInt8] {
    // Mode 0100 and the count need twelve bits, so every byte is split across two codewords.
    var data: [UInt8] = [0x40 | UInt8(text.count >> 4)]
    var low = UInt8(text.count & 15)
    for byte in text {
      data.append(low << 4 | byte >> 4)
      low = byte & 15
    }
    data.append(low << 4)
    for index in 0..<dataBytes - data.count { data.append(index.isMultiple(of: 2) ? 0xEC : 0x11) }
    let parts = (0..<blocks).map { block in
      Array(data[block * dataBytesOfBlock..<(block + 1) * dataBytesOfBlock])
    }
    let corrections = parts.map { ReedSolomon.correction(of: $0, count: correctionBytes) }
    var codewords: [UInt8] = []
    for place in 0..<dataBytesOfBlock { codewords += parts.map { $0[place] } }
    for place in 0..<correctionBytes { codewords += corrections.map { $0[place] } }
    return codewords
  }
}

/// Error correction over GF(2⁸) by x⁸ + x⁴ + x³ + x² + 1 (§7.5.2).
private enum ReedSolomon {
  static func correction(of data: [UInt8], count: Int) -> [UInt8] {
    // The coefficients of the generator, without the highest one (1).
    var generator = [UInt8](repeating: 0, count: count)
    generator[count - 1] = 1
    var root: UInt8 = 1
    for _ in 0..<count {
      for index in 0..<count {
        generator[index] = product(generator[index], root)
        if index + 1 < count { generator[index] ^= generator[index + 1] }
      }
      root = product(root, 2)
    }
    var rest = [UInt8](repeating: 0, count: count)
    for byte in data {
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for index in 0..<count { rest[index] ^= product(generator[index], factor) }
    }
    return rest
  }

  private static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
    var result: UInt8 = 0
    for bit in stride(from: 7, through: 0, by: -1) {
      let carry = result >> 7
      result = result << 1 ^ carry &* 0x1D
      if other >> bit & 1 == 1 { result ^= one }
    }
    return result
  }
}
