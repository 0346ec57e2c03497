package import Foundation

/// A file that contains a checksum of its content.
///
///     magic (4 bytes)  FNV-1a of the rest (8 bytes)
///                      length of the head (4 bytes)  head as JSON  body
///
/// All numbers are big-endian. A truncated or changed file is refused.
package enum CheckedFile {
  private static let checkBytes = 12
  private static let headStart = 16

  /// Returns the bytes of a file with a head and a body. Throws if the head cannot be encoded as
  /// JSON.
  package static func write(
    _ magic: String,
    _ head: some Encodable,
    _ body: Data = Data()
  ) throws -> Data {
    let head = try JSONEncoder().encode(head)
    var rest = Data()
    rest.append(bigEndian: UInt32(head.count))
    rest += head + body
    var file = Data(magic.utf8)
    file.append(bigEndian: FNV1a.hash(rest))
    return file + rest
  }

  /// Reads a file; `nil` if it was changed after it was written.
  package static func read<Head: Decodable>(
    _ magic: String,
    _ file: Data
  ) -> (head: Head, body: Data)? {
    let file = file.startIndex == 0 ? file : Data(file)
    guard file.count >= headStart, file.starts(with: magic.utf8),
      file.bigEndian(at: 4, bytes: 8) == FNV1a.hash(file, checkBytes..<file.count)
    else { return nil }
    let end = headStart + Int(file.bigEndian(at: checkBytes, bytes: 4))
    // A matching hash with an invalid head is not accidental, and cannot be used either.
    guard end <= file.count,
      let head = try? JSONDecoder().decode(Head.self, from: Data(file[headStart..<end]))
    else { return nil }
    return (head, Data(file[end...]))
  }
}
