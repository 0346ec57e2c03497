package import Foundation

/// The surroundings of a command: its streams, its working directory and its environment variables.
///
/// A program has those of its process. A command that is run inside another program, as tests do,
/// has its own.
package struct ToolEnvironment: Sendable {
  /// The streams that a command prints to.
  package enum Stream: Sendable {
    case output
    case errors
  }

  /// The environment variables.
  package var variables: [String: String]
  /// The working directory, where relative paths start; `nil` is the process's.
  package var folder: URL?
  /// Receives each printed text; `nil` if the process's streams do.
  package var print: (@Sendable (String, Stream) -> Void)?

  /// Creates the surroundings of a command.
  ///
  /// - Parameters:
  ///   - variables: The environment variables.
  ///   - folder: The working directory; `nil` is the process's.
  ///   - print: Receives each printed text; `nil` if the process's streams do.
  package init(
    variables: [String: String],
    folder: URL? = nil,
    print: (@Sendable (String, Stream) -> Void)? = nil
  ) {
    self.variables = variables
    // Without the slash a path would start at the folder's parent: RFC 3986 §5.2.3.
    self.folder = folder.map { URL(filePath: $0.path, directoryHint: .isDirectory) }
    self.print = print
  }

  /// The surroundings of the command that runs in this task.
  @TaskLocal package static var current = ToolEnvironment(
    variables: ProcessInfo.processInfo.environment
  )
}

extension ToolEnvironment {
  /// Refuses to go on with a command that starts its own executable, serves until it is
  /// interrupted, or reads signals and keys: that takes a process of its own.
  package static func needProcess() throws(Refusal) {
    guard current.print == nil else { throw .processMissing }
  }
}

extension URL {
  /// Creates the URL of a file by its path as it was typed: a relative one starts at the command's
  /// working directory. `relativePath` stays as it was typed.
  package init(typed path: String) {
    self.init(filePath: path, relativeTo: ToolEnvironment.current.folder)
  }
}
