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
struct FrozenContent: Sendable, Hashable, Codable {
  var key: String
  var contentType: String?
  var body = Data()

  private static let magic = "WTF2"

  /// The members of the file's head. The body follows it.
  private enum CodingKeys: String, CodingKey {
    case key, contentType
  }
}

extension FrozenContent {
  /// Parses a stored batch; `nil` if it is damaged, or if only its range was stored.
  init?(_ data: Data) {
    guard let (head, body): (Self, Data) = CheckedFile.read(Self.magic, data) else { return nil }
    self = head
    self.body = body
  }

  var data: Data {
    // Strings can always be encoded. An empty file would mean that only the range is stored.
    (try? CheckedFile.write(Self.magic, self, body)) ?? Data()
  }
}
