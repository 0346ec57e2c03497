import TestSupport

@testable import WindTunnelHTTP

/// A text in a spelling of its own, its meaning, and the way back to the byte.
@Suite struct EscapedTextTests {
  private static func meant(_ text: String, _ spelling: EscapedText.Spelling) -> String? {
    EscapedText(Bytes(text.utf8), spelling).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// A text in which a word of its meaning is another, spelled as it is written.
  private static func replaced(
    _ text: String,
    _ spelling: EscapedText.Spelling,
    _ old: String,
    _ new: String
  ) -> String? {
    guard let read = EscapedText(Bytes(text.utf8), spelling),
      let range = read.bytes.firstRange(of: Bytes(old.utf8))
    else { return nil }
    let edits = read.inOriginal([Edit(range, Bytes(new.utf8))])
    return String(decoding: Edit.applied(edits, to: Bytes(text.utf8)), as: UTF8.self)
  }

  @Test func `each spelling is read and edited where it stands`() {
    typealias Row = (EscapedText.Spelling, text: String, meant: String, edited: String)
    let rows: [Row] = [
      (.plain, "a key b", "a key b", "a X b"),
      (.percent, "a%20k%65y%20b", "a key b", "a%20X%20b"),
      (.percent, "100% k%65y", "100% key", "100% X"),
      (.percentTwice, "a%2520k%2565y%2520b", "a key b", "a%2520X%2520b"),
      (.form, "a+k%65y+b", "a key b", "a+X+b"), (.form, "a+key", "a key", "a+X"),
      (.json, #"a\/k\u0065y\n"#, "a/key\n", #"a\/X\n"#),
      (.html, "a&amp;k&#101;y&#x2F;", "a&key/", "a&amp;X&#x2F;"),
      (.quoted, "a=3Dke=\r\ny=3D", "a=key=", "a=3DX=3D"),
      (
        .wrapped, "aaaaaaaaaaaaaaaaaaaak\r\n  ey", "aaaaaaaaaaaaaaaaaaaakey",
        "aaaaaaaaaaaaaaaaaaaaX"
      ),
      (.wide, "！ａ：ｋｅｙ～密＝b", "!a:key~密=b", "！ａ：X～密＝b"),
    ]
    for row in rows {
      expectEqual(Self.meant(row.text, row.0), row.meant, "\(row.text)")
      expectEqual(Self.replaced(row.text, row.0, "key", "X"), row.edited, "\(row.text)")
    }
  }

  @Test(arguments: EscapedText.Spelling.allCases.filter { $0 != .plain })
  func `a text that is not spelled so is none`(spelling: EscapedText.Spelling) {
    for text in ["", "plain words", "100 percent"] { expectNil(Self.meant(text, spelling)) }
  }

  @Test func `several edits keep all between them, through two passes`() throws {
    let text = Bytes("%2541%2542%2543 %2544".utf8)
    let read = try #require(EscapedText(text, .percentTwice))
    expectEqual(read.bytes, Bytes("ABC D".utf8))
    let edits = read.inOriginal([Edit(0..<1, [0x31]), Edit(2..<2, [0x32]), Edit(4..<5, [0x33])])
    expectEqual(edits.map(\.range), [0..<5, 10..<10, 16..<21])
    expectEqual(Edit.applied(edits, to: text), Bytes("1%25422%2543 3".utf8))
  }
}

/// The stretches of a text that somebody has.
@Suite struct ClaimedRangesTests {
  @Test func `what was there first stays, at each edge of a word of bits`() {
    for (start, end) in [(0, 1), (63, 64), (63, 65), (64, 128), (1, 199), (128, 200), (0, 200)] {
      var claimed = ClaimedRanges(of: 200)
      let isTaken = claimed.take(start..<end)
      #expect(isTaken)
      for place in 0..<200 {
        expectEqual(claimed.isFree(place..<place + 1), !(start..<end).contains(place))
      }
      let again = [claimed.take(0..<200), claimed.take(start..<start), claimed.take(0..<start)]
      expectEqual(again, [false, true, true])
    }
  }
}
