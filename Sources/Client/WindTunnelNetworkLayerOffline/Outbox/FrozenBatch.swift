internal import Foundation
internal import WindTunnelNetworkLayer

/// A batch that is on the disk.
struct FrozenBatch: Sendable {
  var batch: OutboxBatch
  var content: FrozenContent
  /// True where it may have been sent before, by this process or by another one.
  var mayBeSent: Bool
}

/// The content of a batch with its key, kept as a ``CheckedFile``.
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

  /// Reads what was frozen; `nil` if it is damaged, or only a range was frozen.
  init?(_ data: Data) {
    guard let (head, body): (Head, Data) = CheckedFile.read(Self.magic, data) else { return nil }
    self.init(key: head.key, contentType: head.contentType, body: body)
  }

  var data: Data {
    // Texts always have JSON; without it the file would be that of a range alone.
    let head = Head(key: key, contentType: contentType)
    return (try? CheckedFile.write(Self.magic, head, body)) ?? Data()
  }
}
