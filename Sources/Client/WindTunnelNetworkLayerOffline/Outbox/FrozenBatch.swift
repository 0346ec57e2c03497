internal import Foundation
internal import WindTunnelNetworkLayer

/// A batch that is on the disk.
struct FrozenBatch: Sendable {
  var batch: OutboxBatch
  var content: FrozenContent
  /// True where it may have been sent before, by this process or by another one.
  var mayBeSent: Bool
}

/// The content of a batch with its key, as bytes that tell by themselves whether they are whole.
///
///     WTF1  check of the rest (8)  length of the key (2)  key  length of the type (2)  type  body
///
/// A type of length 0 is none.
struct FrozenContent: Sendable, Hashable {
  private static let magic = Data("WTF1".utf8)

  var key: String
  var contentType: String?
  var body: Data

  init(key: String, contentType: String?, body: Data) {
    (self.key, self.contentType, self.body) = (key, contentType, body)
  }

  /// Reads what was frozen; `nil` where it is damaged, or only a range was.
  init?(_ data: Data) {
    guard data.count >= 16, data.prefix(4) == Self.magic,
      data.bigEndian(at: 4, bytes: 8) == FNV1a.hash(data, 12..<data.count)
    else { return nil }
    let key = 14 + Int(data.bigEndian(at: 12, bytes: 2))
    guard key + 2 <= data.count else { return nil }
    let type = key + 2 + Int(data.bigEndian(at: key, bytes: 2))
    guard type <= data.count else { return nil }
    self.key = String(decoding: data[14..<key], as: UTF8.self)
    contentType =
      type == key + 2 ? nil : String(decoding: data[(key + 2)..<type], as: UTF8.self)
    body = Data(data[type...])
  }

  var data: Data {
    var rest = Data()
    for text in [key, contentType ?? ""] {
      rest.append(bigEndian: UInt16(clamping: text.utf8.count))
      rest += Data(text.utf8)
    }
    rest += body
    var data = Self.magic
    data.append(bigEndian: FNV1a.hash(rest))
    return data + rest
  }
}
