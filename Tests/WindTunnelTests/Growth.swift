@testable import WindTunnelCore

/// The work of code for a text, and for a text four times as long (``Work``). The figures are the same on
/// every machine.
struct Growth: CustomStringConvertible {
  /// The limit of the growth. Linear code grows by 4, a quadratic loop by 16; the rest is for lengths that
  /// are rounded to whole pieces of a text.
  static let most = 4.2

  private let bytes: Int
  private let start: Int
  private let short: Int
  private let long: Int

  /// Measures code that receives the length of its text.
  ///
  /// - Parameters:
  ///   - bytes: The length of the shorter text.
  ///   - start: The length of the text before it. A detector that looks at up to so many bytes from each
  ///     place is linear only behind them, so their work is not part of the growth.
  ///   - run: The code.
  init(of bytes: Int, behind start: Int = 0, _ run: (Int) -> Void) {
    func work(_ count: Int) -> Int {
      let before = Work.done
      run(count)
      return Work.done - before
    }
    let first = start > 0 ? work(start) : 0
    (self.bytes, self.start) = (bytes, start)
    (short, long) = (work(start + bytes) - first, work(start + 4 * bytes) - first)
  }

  /// Whether the growth is within its limit. Each byte is read at least once, or the work was not counted.
  var isLinear: Bool { short >= bytes && Double(long) <= Self.most * Double(short) }

  var description: String {
    let place = start > 0 ? " behind \(start)" : ""
    return "\(short) steps for \(bytes) bytes\(place), \(long) for \(4 * bytes)"
  }
}
