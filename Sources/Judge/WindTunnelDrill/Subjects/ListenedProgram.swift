internal import Foundation

/// A program that is ended with this process at the latest, and whose output is read until it ends.
enum ListenedProgram {
  /// Starts a program. Throws if it cannot be started.
  ///
  /// The output is read by `read`, on a thread of its own. When the program has ended, `ended`
  /// receives what was read and the signs of its standard error; `gone` is called when nothing is
  /// left of what it has started either. The secrets of its command are not shown.
  static func start<Content>(
    _ process: SpawnedProcess,
    of secrets: CommandWords,
    reading read: @escaping @Sendable (PrintedOutput) -> Content,
    ended: @escaping @Sendable (Content, Set<String>) -> Void,
    gone: @escaping @Sendable () -> Void = {}
  ) throws {
    let (output, errors, ending) = (Pipe(), Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    // Closed when it has ended, which its reader sees.
    process.terminationHandler = { [handle = ending.fileHandleForWriting] _ in
      // It is open, and nobody else closes it.
      try? handle.close()
    }
    try RunningPrograms.shared.start(process)
    let end = ending.fileHandleForReading
    let lastWords = LastWords(of: errors.fileHandleForReading, for: secrets, until: end)
    Thread {
      let printed = PrintedOutput(output.fileHandleForReading, until: end)
      let content = read(printed)
      process.waitUntilExit()
      RunningPrograms.shared.ended(process)
      ended(content, lastWords.seen())
      // What it has left behind may go on to print, and ends with this process at the latest.
      printed.drop()
      process.waitUntilGone()
      RunningPrograms.shared.gone(process)
      gone()
    }.start()
  }
}
