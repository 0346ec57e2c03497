public import Foundation

/// A message's content as bytes.
///
/// `Data` is the currency of the platforms' clients, so nothing is converted on the way to them.
/// The body of a cassette's interaction stays the slice of the file's text that it is until its
/// bytes are first asked for; that it is well-formed was proven when the file was opened.
public struct Body: Sendable {
  private enum Content: Sendable {
    case bytes(Data)
    case held(StoredBody)
  }

  private var content: Content

  /// The bytes as they go over the wire, without transfer coding. They are kept once they were
  /// asked for.
  public var data: Data {
    get {
      switch content {
      case .bytes(let data): data
      case .held(let held): held.data
      }
    }
    set { content = .bytes(newValue) }
  }

  /// How many bytes there are; where they have not been asked for they are not kept for this.
  public var count: Int {
    switch content {
    case .bytes(let data): data.count
    case .held(let held): held.count
    }
  }

  /// Makes a body of bytes.
  public init(_ data: Data = Data()) { content = .bytes(data) }

  /// Makes a body of a text in UTF-8.
  public init(_ text: String) { self.init(Data(text.utf8)) }

  /// Makes a body of what a cassette holds.
  package init(_ held: StoredBody) { content = .held(held) }

  /// A body that is larger than this is never opened, taken apart or copied as a whole: it may lie in a
  /// file.
  package static let openedBytesMax = 128 << 20

  /// No bytes at all.
  public static let empty = Body()

  /// The body as text, if it is valid UTF-8.
  public var text: String? { String(utf8: data) }
}

extension Body: Hashable {
  /// Whether the bytes are the same.
  public static func == (left: Body, right: Body) -> Bool {
    if case .held(let one) = left.content, case .held(let other) = right.content, one === other {
      return true
    }
    return left.data == right.data
  }

  /// The bytes go into the hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(data) }
}
