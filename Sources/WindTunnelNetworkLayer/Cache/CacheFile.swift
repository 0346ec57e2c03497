internal import Foundation

/// One kept answer as bytes that tell by themselves whether they are whole.
///
///     NLC1  length of the rest (8 bytes)  FNV-1a of the rest (8 bytes)
///           length of what follows (4 bytes)  JSON without the content  content
///
/// All numbers big-endian. A file that was cut off, or of which any byte is another, is refused.
enum CacheFile {
  private static let magic = Data("NLC1".utf8)

  private struct Head: Codable {
    var key: String
    var secondsSince1970: Double
    var varied: [[String]]
    var status: Int
    var headers: [[String]]
  }

  static func write(_ kept: CachedAnswer) throws -> Data {
    let head = try JSONEncoder().encode(
      Head(
        key: kept.key,
        secondsSince1970: kept.date.timeIntervalSince1970,
        varied: kept.varied.fields.map { [$0.name, $0.value] },
        status: kept.status,
        headers: kept.headers.fields.map { [$0.name, $0.value] }
      )
    )
    let rest = bytes(UInt32(head.count)) + head + kept.body
    return magic + bytes(UInt64(rest.count)) + bytes(hash(rest)) + rest
  }

  /// Reads an answer; `nil` where the bytes are not what was written.
  static func read(_ data: Data) -> CachedAnswer? {
    let data = Data(data)
    guard data.count > 24, data.prefix(4) == magic else { return nil }
    let rest = Data(data.dropFirst(20))
    guard number(data[4..<12]) == UInt64(rest.count), number(data[12..<20]) == hash(rest) else {
      return nil
    }
    let length = Int(number(rest.prefix(4)))
    // A hash that fits and a head that does not: not by accident, and just as useless.
    guard rest.count >= 4 + length,
      let head = try? JSONDecoder().decode(Head.self, from: Data(rest[4..<(4 + length)]))
    else { return nil }
    return CachedAnswer(
      key: head.key,
      date: Date(timeIntervalSince1970: head.secondsSince1970),
      varied: fields(head.varied),
      status: head.status,
      headers: fields(head.headers),
      body: Data(rest.dropFirst(4 + length))
    )
  }

  /// FNV-1a of 64 bits: finds accidents, not forgeries.
  static func hash(_ data: some Sequence<UInt8>) -> UInt64 {
    data.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  private static func fields(_ pairs: [[String]]) -> Headers {
    Headers(pairs.filter { $0.count == 2 }.map { Headers.Field($0[0], $0[1]) })
  }

  private static func bytes(_ number: some FixedWidthInteger) -> Data {
    withUnsafeBytes(of: number.bigEndian) { Data($0) }
  }

  private static func number(_ bytes: Data) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
