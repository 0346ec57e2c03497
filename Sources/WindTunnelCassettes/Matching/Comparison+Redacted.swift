internal import Foundation

extension Comparison {
  /// Whether a recorded text holds a redaction that may stand for what was asked.
  static func stands(_ recorded: String, for asked: String) -> Bool {
    guard let shape = RedactedText(recorded)?.shape else { return false }
    if shape.values(in: asked) != nil { return true }
    // Parts of an address may be spelled otherwise.
    guard recorded.contains("%") || asked.contains("%") else { return false }
    let plain = [recorded, asked].map { $0.removingPercentEncoding ?? $0 }
    return RedactedText(plain[0])?.shape.values(in: plain[1]) != nil
  }
}
