internal import Foundation
package import WindTunnelCommandLine

extension Flag {
  /// The bars that a client must clear.
  package static let bars = Flag("--bars", "SET|FILE", choices: Bars.shipped.map(\.name))
    .help("Bars to apply: mobile, service, strict or a file.")
}

extension Bars {
  /// Creates the bars of the flag, or returns `nil` if it is not given.
  package init?(_ arguments: Arguments) throws {
    guard let text = try arguments.value(Flag.bars.name) else { return nil }
    if let bars = Bars.shipped.first(where: { $0.name == text }) {
      self = bars
      return
    }
    guard text.hasSuffix(".json") || text.contains("/") else {
      throw CommandError.choice(Flag.bars.name, text, among: Bars.shipped.map(\.name))
    }
    do {
      try self.init(contentsOf: URL(typed: text))
    } catch let error as FormatError {
      throw CommandError.usage("\(error)")
    }
  }
}
