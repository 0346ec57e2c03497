internal import Foundation

/// The frames of gRPC (PROTOCOL-HTTP2.md, PROTOCOL-WEB.md): a flag, four bytes of length and a
/// message, or fields behind a flag of 0x80.
struct GRPCFrames: Decoder {
  func spans(in bytes: Bytes) -> [Span]? {
    var spans: [Span] = []
    var place = 0
    while place < bytes.count {
      guard bytes.count - place >= 5 else { return nil }
      let count = bytes[place + 1..<place + 5].reduce(0) { $0 << 8 | Int($1) }
      guard count <= bytes.count - place - 5 else { return nil }
      let content = Bytes(bytes[place + 5..<place + 5 + count])
      let flag = bytes[place]
      let role: Span.Role =
        flag & 1 == 1 ? .sealed : flag & 0x80 != 0 ? .text : .content(type: "application/protobuf")
      spans.append(Span(range: place..<place + 5 + count, meaning: content, role: role))
      place += 5 + count
    }
    return spans
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    [bytes[span.range.lowerBound]] + BinaryMaps.bigEndian(meaning.count, 4) + meaning
  }
}

/// A decoder of gRPC frames in base64, each padded by itself (PROTOCOL-WEB.md).
struct Base64Frames: Decoder {
  func spans(in bytes: Bytes) -> [Span]? {
    var (decoded, letters): (Bytes, Bytes) = ([], [])
    let all = bytes.filter { $0 > 0x20 }
    for (index, byte) in all.enumerated() {
      letters.append(byte)
      let next = index + 1 < all.count ? all[index + 1] : nil
      guard next == nil || byte == UInt8(ascii: "=") && next != byte else { continue }
      guard let part = Base64Text.decoded(letters) else { return nil }
      decoded += part
      letters = []
    }
    return [
      Span(range: 0..<bytes.count, meaning: decoded, role: .content(type: "application/grpc-web"))
    ]
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    Bytes(Data(meaning).base64EncodedString().utf8)
  }
}
