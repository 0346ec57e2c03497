internal import Foundation

/// A program that ends with this process at the latest, and whose output is read until it ends.
enum ListenedProgram {
  /// Starts a program. Throws if it cannot be started.
  ///
  /// `read` reads the output on a thread of its own. When the program has ended, `ended` receives
  /// the result of `read` and the signs in its standard error. `gone` is called when all processes
  /// that the program has started have ended, too. The secrets of its command are not printed.
  static func start<Content>(
    _ process: SpawnedProcess,
    of secrets: CommandWords,
    reading read: @escaping @Sendable (PrintedOutput) -> Content,
    ended: @escaping @Sendable (Content, Set<String>) -> Void,
    gone: @escaping @Sendable () -> Void = {}
  ) throws {
    let (output, errors, ending) = (Pipe(), Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    // Closing the pipe signals the program's end to its reader.
    process.terminationHandler = { [handle = ending.fileHandleForWriting] _ in
      // The handle is open, and only this handler closes it.
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
      // Processes that the program leaves running may still print. They end with this process at
      // the latest.
      printed.drop()
      process.waitUntilGone()
      RunningPrograms.shared.gone(process)
      gone()
    }.start()
  }
}
