/// Texts within a page, a script or a style sheet: comments, and inline pages of frames.
enum PageText {
  /// Returns the texts without their marks, in order. A frame is a page within an attribute.
  static func found(in bytes: Bytes) -> [(range: Range<Int>, isFrame: Bool)] {
    var (found, open, place) = ([(Range<Int>, Bool)](), marks, 0)
    while place + 1 < bytes.count {
      let start = place
      place += 1
      guard "<s/".utf8.contains(bytes[start]), "!r*".utf8.contains(bytes[start + 1]),
        let index = open.firstIndex(where: { bytes[start...].starts(with: $0.begin) })
      else { continue }
      // `"*/*"` and `src/*` are not comments.
      let before = start == 0 ? 0x20 : bytes[start - 1]
      guard before <= 0x20 || bytes[start] != "/" || ">{};,(".utf8.contains(before)
      else { continue }
      let first = start + open[index].begin.count
      guard let close = bytes[first...].firstRange(of: open[index].end) else {
        // If this one does not end, neither does a later one.
        open.remove(at: index)
        continue
      }
      found.append((first..<close.lowerBound, bytes[start] == "s"))
      place = close.upperBound
    }
    return found
  }

  private static let marks: [(begin: Bytes, end: Bytes)] = [
    ("<!--", "-->"), ("/*", "*/"), ("srcdoc=\"", "\""), ("srcdoc='", "'"),
  ].map { (Bytes($0.utf8), Bytes($1.utf8)) }
}
