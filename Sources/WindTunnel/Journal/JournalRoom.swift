/// The room of a journal whose lines come to stand elsewhere, one after the other, in the order of
/// their requests; it is given back to the disk meanwhile.
///
/// Only the end of a file can be given back everywhere. So the journal's last lines move into the room
/// of those that are done with, and each stands there whole before it is cut off where it was.
struct JournalRoom {
  /// A line that is still needed.
  struct Line {
    let order: Int
    var place: Range<Int>
  }

  /// The first place where a line may stand.
  let floor: Int
  /// Those that stand where they were written, in the order of their places.
  private var lines: ArraySlice<Line>
  /// Those that have moved, which fill the room behind ``floor``.
  private var moved: [Line] = []
  private var done: Set<Int> = []

  init(above floor: Int, _ lines: [Line]) {
    self.floor = floor
    self.lines = lines.sorted { $0.place.lowerBound < $1.place.lowerBound }[...]
  }

  /// Takes note that a line is no longer needed.
  mutating func finish(_ order: Int) { done.insert(order) }

  /// Gives back what can be.
  mutating func giveBack(of page: inout JournalPage) throws(FileError) {
    while true {
      while let line = lines.first, done.contains(line.order) { lines.removeFirst() }
      while let line = lines.last, done.contains(line.order) { lines.removeLast() }
      let begin = moved.last?.place.upperBound ?? floor
      guard let (first, last) = lines.first.flatMap({ first in lines.last.map { (first, $0) } })
      else { break }
      guard last.place.count <= first.place.lowerBound - begin else {
        return try page.cut(to: last.place.upperBound)
      }
      try page.copy(last.place, to: begin)
      moved.append(Line(order: last.order, place: begin..<begin + last.place.count))
      lines.removeLast()
    }
    while let line = moved.last, done.contains(line.order) { moved.removeLast() }
    try page.cut(to: moved.last?.place.upperBound ?? floor)
  }
}
