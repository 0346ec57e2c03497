/// A QR code of a short text (ISO/IEC 18004:2015): byte mode, error correction L, versions 1 to 6.
///
/// It is drawn where an address has to get from a terminal to a phone. Versions up to 6 need no
/// version information (§7.10), and hold every address that a machine has.
package struct QRCode: Sendable {
  /// The number of modules on a side.
  package private(set) var size: Int
  private var dark: [Bool]

  /// The greatest number of bytes that version 6 holds beside mode and count (§7.4.1, table 7).
  package static let bytesMax = 134

  /// Makes the code of a text; `nil` for one of more than ``bytesMax`` bytes of UTF-8.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let version = Version.all.first(where: { $0.dataBytes - 2 >= bytes.count }) else {
      return nil
    }
    size = 17 + 4 * version.number
    dark = Array(repeating: false, count: size * size)
    var isFunction = dark
    drawPatterns(version, &isFunction)
    place(version.codewords(of: bytes), &isFunction)
    // §7.8.3: the mask that leaves the least of what a reader mistakes.
    let masked = (0..<8).map { mask -> QRCode in
      var code = self
      code.apply(mask, sparing: isFunction)
      code.drawFormat(mask)
      return code
    }
    guard let best = masked.min(by: { $0.penalty < $1.penalty }) else { return nil }
    self = best
  }

  /// Tells whether a module is dark; the quiet zone around the code is light.
  package func isDark(_ row: Int, _ column: Int) -> Bool {
    (0..<size).contains(row) && (0..<size).contains(column) && dark[row * size + column]
  }

  /// The code in a terminal, two rows of modules in a line of half blocks, black on white whatever
  /// the terminal's colours are, with the quiet zone of four modules (§5.3.8). What is light is
  /// drawn, so that nothing is lost where spaces at the end of a line are.
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
}

// MARK: - Modules

extension QRCode {
  private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
    dark[row * size + column] = isDark
  }

  /// Draws what is the same in each code of a version, and keeps the place of the format (§6.3).
  private mutating func drawPatterns(_ version: Version, _ isFunction: inout [Bool]) {
    func own(_ code: inout QRCode, _ row: Int, _ column: Int, _ isDark: Bool) {
      guard (0..<code.size).contains(row), (0..<code.size).contains(column) else { return }
      code.set(row, column, isDark)
      isFunction[row * code.size + column] = true
    }
    for index in 0..<size {
      own(&self, 6, index, index.isMultiple(of: 2))
      own(&self, index, 6, index.isMultiple(of: 2))
    }
    for (top, left) in [(0, 0), (0, size - 7), (size - 7, 0)] {
      for row in -1...7 {
        for column in -1...7 {
          let ring = max(abs(row - 3), abs(column - 3))
          own(&self, top + row, left + column, ring != 2 && ring <= 3)
        }
      }
    }
    if version.number > 1 {
      for row in -2...2 {
        for column in -2...2 {
          let isDark = max(abs(row), abs(column)) != 1
          own(&self, size - 7 + row, size - 7 + column, isDark)
        }
      }
    }
    for index in 0...8 {
      if index != 6 {
        own(&self, 8, index, false)
        own(&self, index, 8, false)
      }
      if index < 8 {
        own(&self, 8, size - 1 - index, false)
        own(&self, size - 1 - index, 8, false)
      }
    }
    own(&self, size - 8, 8, true)
  }

  /// Draws error correction and mask, twice (§7.9).
  private mutating func drawFormat(_ mask: Int) {
    // Level L is 01; BCH (15, 5) by 10100110111, and a mask of its own.
    let data = 0b01 << 3 | mask
    var rest = data << 10
    for bit in stride(from: 14, through: 10, by: -1) where rest >> bit & 1 == 1 {
      rest ^= 0x537 << (bit - 10)
    }
    let bits = (data << 10 | rest) ^ 0x5412
    for index in 0..<15 {
      let isDark = bits >> index & 1 == 1
      let up = index < 6 ? index : index < 8 ? index + 1 : size - 15 + index
      set(up, 8, isDark)
      let left = index < 8 ? size - 1 - index : index == 8 ? 7 : 14 - index
      set(8, left, isDark)
    }
    set(size - 8, 8, true)
  }

  /// Places bits from the lower right, two columns at a time, up and down (§7.7.3).
  private mutating func place(_ codewords: [UInt8], _ isFunction: inout [Bool]) {
    var bit = 0
    var isUpward = true
    for right in stride(from: size - 1, through: 1, by: -2) {
      let right = right <= 6 ? right - 1 : right
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        for column in [right, right - 1] where !isFunction[row * size + column] {
          // What is left over is light.
          guard bit < codewords.count * 8 else { continue }
          set(row, column, codewords[bit / 8] >> (7 - bit % 8) & 1 == 1)
          bit += 1
        }
      }
      isUpward.toggle()
    }
  }

  /// Turns every module that a mask means (§7.8.2, table 10).
  private mutating func apply(_ mask: Int, sparing isFunction: [Bool]) {
    for row in 0..<size {
      for column in 0..<size where !isFunction[row * size + column] {
        let product = row * column
        let rest =
          switch mask {
          case 0: (row + column) % 2
          case 1: row % 2
          case 2: column % 3
          case 3: (row + column) % 3
          case 4: (row / 2 + column / 3) % 2
          case 5: product % 2 + product % 3
          case 6: (product % 2 + product % 3) % 2
          default: ((row + column) % 2 + product % 3) % 2
          }
        if rest == 0 { dark[row * size + column].toggle() }
      }
    }
  }

  /// The points of what a reader mistakes (§7.8.3.1).
  private var penalty: Int {
    var points = 0
    for line in 0..<size {
      points += Self.penalty(of: (0..<size).map { isDark(line, $0) })
      points += Self.penalty(of: (0..<size).map { isDark($0, line) })
    }
    for row in 0..<size - 1 {
      for column in 0..<size - 1 {
        let corner = isDark(row, column)
        if isDark(row, column + 1) == corner, isDark(row + 1, column) == corner,
          isDark(row + 1, column + 1) == corner
        {
          points += 3
        }
      }
    }
    let share = dark.count { $0 } * 100 / dark.count
    return points + abs(share - 50) / 5 * 10
  }

  private static func penalty(of line: [Bool]) -> Int {
    var points = 0
    var start = 0
    for index in 1...line.count where index == line.count || line[index] != line[start] {
      if index - start >= 5 { points += index - start - 2 }
      start = index
    }
    // A finder's proportions, with light on one side of it.
    let finder: [Bool] = [true, false, true, true, true, false, true]
    for index in 0..<line.count where line[index...].starts(with: finder) {
      let before = (1...4).allSatisfy { index - $0 < 0 || !line[index - $0] }
      let behind = (7...10).allSatisfy { index + $0 >= line.count || !line[index + $0] }
      if before || behind { points += 40 }
    }
    return points
  }
}

// MARK: - Codewords

/// A version at level L, with what it holds (§7.5.1, table 9).
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

  /// Returns data and correction of a text, block beside block (§7.6).
  func codewords(of text: [UInt8]) -> [UInt8] {
    // Mode 0100 and the count are twelve bits, so that every byte lies across two.
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
    // The generator's coefficients, the highest (1) left out.
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
