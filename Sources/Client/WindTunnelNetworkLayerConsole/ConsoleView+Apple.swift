#if canImport(SwiftUI)
  public import SwiftUI

  /// A list of a client's latest attempts, for a debug menu.
  ///
  /// The project's own CI on Linux does not compile this file; the job on macOS builds it.
  public struct NetworkLayerConsoleView: View {
    private let console: NetworkLayerConsole

    /// Creates a view of a console.
    public init(_ console: NetworkLayerConsole) { self.console = console }

    /// The lines, the latest first, updated once a second.
    public var body: some View {
      TimelineView(.periodic(from: .now, by: 1)) { _ in
        List(console.lines.reversed()) { line in
          VStack(alignment: .leading) {
            Text(line.request).font(.body.monospaced()).lineLimit(2)
            Text(line.words)
              .font(.caption)
              .foregroundStyle(line.isBroken ? Color.red : Color.secondary)
          }
        }
      }
    }
  }

  extension NetworkLayerConsole.Row {
    /// The outcome, the time and the attempt as text.
    fileprivate var words: String {
      let time = latency.map { latency in
        let (seconds, attoseconds) = latency.components
        return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms"
      }
      return [outcome ?? "under way", time, attempt > 1 ? "attempt \(attempt)" : nil]
        .compactMap { $0 }.joined(separator: ", ")
    }
  }
#endif
