internal import Foundation

/// The frames of gRPC (PROTOCOL-HTTP2.md, PROTOCOL-WEB.md): a flag, a length of four bytes and a
/// message, or trailer fields after a flag of 0x80.
struct GRPCFrames: Decoder {
  func spans(in bytes: Bytes) -> [Span]? {
    var spans: [Span] = []
    var reader = ByteReader(bytes: bytes)
    while !reader.isAtEnd {
      let start = reader.place
      guard let flag = reader.byte(), let content = reader.take(reader.number(4)) else {
        return nil
      }
      let role: Span.Role =
        flag & 1 == 1 ? .sealed : flag & 0x80 != 0 ? .text : .content(type: "application/protobuf")
      let meaning = Bytes(bytes[content])
      spans.append(Span(range: start..<reader.place, meaning: meaning, role: role))
    }
    return spans
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    [bytes[span.range.lowerBound]] + ByteReader.bigEndian(meaning.count, 4) + meaning
  }
}
