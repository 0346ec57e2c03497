import Programs
import TestSupport
import WindTunnelCommandLine

/// Codes as a terminal shows them, read back by a decoder that is not ours.
@Suite(.timeLimit(.minutes(5))) struct QRCodeTests {
  private static let decoder = ["/usr/bin/zbarimg", "/opt/homebrew/bin/zbarimg"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  private static let noDecoder: Comment = "There is no zbarimg to read a code with."

  /// Paints what stands in the terminal as a picture, eight pixels a module (PGM, plain).
  private static func picture(of text: String) throws -> Data {
    var rows: [[Bool]] = []
    for line in text.split(separator: "\n") {
      let start = "\u{1B}[97;40m"
      let end = "\u{1B}[0m"
      try #require(line.hasPrefix(start) && line.hasSuffix(end))
      let blocks = line.dropFirst(start.count).dropLast(end.count)
      rows.append(blocks.map { " ▄".contains($0) })
      rows.append(blocks.map { " ▀".contains($0) })
    }
    let width = try #require(rows.first).count
    try #require(rows.allSatisfy { $0.count == width })
    var pixels = "P2\n\(width * 8) \(rows.count * 8)\n1\n"
    for row in rows {
      let line = row.map { String(repeating: $0 ? "0 " : "1 ", count: 8) }.joined() + "\n"
      for _ in 1...8 { pixels += line }
    }
    return Data(pixels.utf8)
  }

  private static func read(_ code: QRCode) async throws -> String {
    let scratch = try Scratch()
    try picture(of: code.terminalText).write(to: scratch.file("code.pgm"))
    let words = ["--quiet", "--raw", "--set", "disable", "--set", "qrcode.enable", "code.pgm"]
    let run = try await StartedProgram.run([try #require(decoder)] + words, in: scratch.folder)
    return String(run.out.dropLast())
  }

  // Of each version the shortest and the longest text, and what a proxy shows.
  @Test(
    .enabled(if: decoder != nil, noDecoder),
    arguments: [1, 17, 18, 32, 33, 53, 54, 78, 79, 106, 107, QRCode.bytesMax]
  )
  func `a decoder reads back what was encoded`(count: Int) async throws {
    let letters = Array("http://192.168.1.5:8888/code?code=482913&x=[::1]")
    let text = String((0..<count).map { letters[$0 % letters.count] })
    try await expectEqual(Self.read(try #require(QRCode(text))), text)
  }

  @Test(.enabled(if: decoder != nil, noDecoder))
  func `an address in another script is read back`() async throws {
    let text = "http://münchen.example/ñ?🍵"
    try await expectEqual(Self.read(try #require(QRCode(text))), text)
  }

  @Test func `QR codes have the standard's sizes, and too long texts have none`() throws {
    for (count, size) in [(17, 21), (18, 25), (32, 25), (53, 29), (78, 33), (106, 37), (134, 41)] {
      expectEqual(QRCode(String(repeating: "a", count: count))?.size, size)
    }
    expectNil(QRCode(String(repeating: "a", count: QRCode.bytesMax + 1)))
  }

  @Test func `the quiet zone is light, and the finders stand in three corners`() throws {
    let code = try #require(QRCode("http://127.0.0.1/"))
    let finder = [0x7F, 0x41, 0x5D, 0x5D, 0x5D, 0x41, 0x7F]
    for (top, left) in [(0, 0), (0, code.size - 7), (code.size - 7, 0)] {
      let rows = (0..<7).map { row in
        (0..<7).reduce(0) { $0 << 1 | (code.isDark(top + row, left + $1) ? 1 : 0) }
      }
      expectEqual(rows, finder)
    }
    for place in -4..<code.size + 4 {
      #expect(!code.isDark(-1, place) && !code.isDark(place, -1))
      #expect(!code.isDark(code.size, place) && !code.isDark(place, code.size))
    }
    let lines = code.terminalText.split(separator: "\n")
    expectEqual(lines.count, (code.size + 8 + 1) / 2)
  }
}
