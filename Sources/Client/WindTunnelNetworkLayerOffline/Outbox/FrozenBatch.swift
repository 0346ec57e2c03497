internal import Foundation
internal import WindTunnelNetworkLayer

/// A batch that is stored on disk.
struct FrozenBatch: Sendable {
  var batch: OutboxBatch
  var content: FrozenContent
  /// Whether this process or an earlier one may have sent it before.
  var mayBeSent: Bool
}

/// The content of a batch with its key, stored as a ``CheckedFile``.
struct FrozenContent: Sendable, Hashable {
  private static let magic = "WTF2"

  private struct Head: Codable {
    var key: String
    var contentType: String?
  }

  var key: String
  var contentType: String?
  var body: Data

  init(key: String, contentType: String?, body: Data) {
    (self.key, self.contentType, self.body) = (key, contentType, body)
  }

  /// Parses a stored batch; `nil` if it is damaged, or if only its range was stored.
  init?(_ data: Data) {
    guard let (head, body): (Head, Data) = CheckedFile.read(Self.magic, data) else { return nil }
    self.init(key: head.key, contentType: head.contentType, body: body)
  }

  var data: Data {
    // Strings can always be encoded. An empty file would mean that only the range is stored.
    let head = Head(key: key, contentType: contentType)
    return (try? CheckedFile.write(Self.magic, head, body)) ?? Data()
  }
}
