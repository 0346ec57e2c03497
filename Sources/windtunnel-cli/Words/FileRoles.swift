internal import Foundation
internal import WindTunnelCommandLine

/// What the files of a command line are there for: one that is read is not written over by another
/// flag's word.
enum FileRoles {
  /// Flags whose file is made anew.
  private static let written = ["--report", "--ca-out"]
  /// Flags whose file is read, be it added to later.
  private static let read = [
    "--cassette", "--record", "--scenario", "--match", "--baseline", "--again", "--upstream-ca",
  ]

  /// Refuses a command line before anything is done.
  static func check(_ arguments: Arguments) throws(Refusal) {
    for (index, flag) in written.enumerated() {
      let others = read + written[..<index]
      for path in arguments.all(flag) {
        for other in others
        where arguments.all(other).contains(where: { isOne(path, file(of: $0)) }) {
          throw .writtenOver(flag, path, namedBy: other)
        }
        if arguments.operands.contains(where: { isOne(path, $0) }) {
          throw .writtenOver(flag, path, namedBy: nil)
        }
      }
    }
  }

  /// `drill.json#metro/payments/17` is about `drill.json`.
  private static func file(of value: String) -> String {
    value.split(separator: "#", maxSplits: 1).first.map(String.init) ?? value
  }

  private static func isOne(_ one: String, _ other: String) -> Bool {
    if place(one) == place(other) { return true }
    guard let one = identity(one), let other = identity(other) else { return false }
    return one == other
  }

  private static func place(_ path: String) -> String {
    URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
  }

  /// The file itself, whatever it is called; `nil` where there is none.
  private static func identity(_ path: String) -> [UInt64]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return [UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino)]
  }
}
