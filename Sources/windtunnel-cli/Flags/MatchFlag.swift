internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

/// What requests are compared by: the rules of `--match FILE` over a command's own.
enum MatchFlag {
  static let name = "--match"

  /// The flag, which says what is compared without it.
  static func flag(_ standard: String) -> Flag {
    Flag(name, "FILE", "What requests are compared by (default: \(standard)).")
  }

  static func matcher(_ arguments: Arguments, over base: Matcher) throws -> Matcher {
    guard let path = try arguments.value(name) else { return base }
    return try matcher(URL(filePath: path), over: base)
  }

  static func matcher(_ file: URL, over base: Matcher) throws -> Matcher {
    do {
      return try Matcher(contentsOf: file, over: base)
    } catch let error as FormatError {
      throw Refusal.usage("\(error)")
    }
  }
}
