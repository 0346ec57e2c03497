internal import Foundation
internal import WindTunnel

/// The content of a live answer on its way through, as far as somebody wants to look at it.
struct LiveContent {
  /// The greatest content that is kept; 0: nobody looks.
  private let bytesMax: Int
  private var content = Data()
  private var count = 0

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// Takes a piece. What is too large is not kept even in part: a part cannot be looked through for
  /// secrets.
  mutating func take(_ piece: Data) {
    count += piece.count
    if count <= bytesMax { content.append(piece) } else { content = Data() }
  }

  /// Returns the answer with what was kept; `nil` where nobody looks.
  func answer(_ head: ResponseHead, isWhole: Bool) -> LiveResponse? {
    guard bytesMax > 0 else { return nil }
    let isKept = isWhole && count <= bytesMax
    return LiveResponse(head: head, content: isKept ? Body(content) : nil, bytes: count)
  }
}
