import TestSupport

@testable import WindTunnelHTTP

@Suite struct ByteClassTests {
  /// Bytes at both sides of every bound of UTF-8.
  private static let bounds: [UInt8] = [
    0, 0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
    0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
  ]

  @Test func `bytes are UTF-8 where decoding repairs nothing`() {
    func isRepaired(_ bytes: [UInt8]) -> Bool {
      !String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
    }
    var texts: [[UInt8]] = [[]]
    for _ in 0..<3 { texts += texts.flatMap { text in Self.bounds.map { text + [$0] } } }
    texts += (0...255).flatMap { (byte: UInt8) in [[0xF1, 0x80, 0x80, byte], [byte, 0x80, 0x80]] }
    for text in texts {
      let isUTF8 = text.withUnsafeBufferPointer(\.isUTF8)
      #expect(isUTF8 != isRepaired(text), "\(text)")
      expectEqual((String(utf8: text) != nil), isUTF8, "\(text)")
    }
  }

  @Test func `a token is made of the characters that the standard names`() {
    let named = Set("!#$%&'*+-.^_`|~0123456789".utf8)
      .union("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    for byte in UInt8.min...UInt8.max {
      let text = String(UnicodeScalar(byte))
      expectEqual(text.isHTTPToken, named.contains(byte), "\(byte)")
      expectEqual("a\(text)b".isHTTPToken, named.contains(byte), "\(byte)")
    }
    #expect(!"".isHTTPToken)
  }

  @Test func `base64 that encoding gives is known, and what is not is not`() {
    for count in 0...9 {
      let text = Data(repeating: 0xA7, count: count).base64EncodedString()
      #expect(Array(text.utf8).withUnsafeBufferPointer(Base64Text.isCanonical), "\(text)")
    }
    for text in [
      "A", "AA", "AAA", "AB==", "AAB=", "A===", "====", "AA=A", "AA==AA==", "A-==", "AA A",
    ] {
      #expect(!Array(text.utf8).withUnsafeBufferPointer(Base64Text.isCanonical), "\(text)")
    }
  }
}
