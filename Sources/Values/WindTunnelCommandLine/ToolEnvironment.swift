package import Foundation

/// The surroundings of a command: its streams, its working directory and its environment variables.
///
/// A command usually has the streams, directory and variables of its process. A command that runs
/// inside another program, such as the tests, has separate ones.
package struct ToolEnvironment: Sendable {
  /// The streams that a command prints to.
  package enum Stream: Sendable {
    case output
    case errors
  }

  /// The environment variables of the command.
  package var variables: [String: String]
  /// The working directory, which resolves relative paths; `nil` is the process's.
  package var folder: URL?
  /// Receives each printed text in place of the process's streams.
  package var print: (@Sendable (String, Stream) -> Void)?

  /// Creates the surroundings of a command.
  ///
  /// - Parameters:
  ///   - variables: The environment variables.
  ///   - folder: The working directory; `nil` is the process's.
  ///   - print: Receives each printed text in place of the process's streams.
  package init(
    variables: [String: String],
    folder: URL? = nil,
    print: (@Sendable (String, Stream) -> Void)? = nil
  ) {
    self.variables = variables
    // Without the trailing slash, a path would be resolved against the folder's parent (RFC 3986
    // §5.2.3).
    self.folder = folder.map { URL(filePath: $0.path, directoryHint: .isDirectory) }
    self.print = print
  }

  /// The surroundings of the command that runs in this task.
  @TaskLocal package static var current = ToolEnvironment(
    variables: ProcessInfo.processInfo.environment
  )
  /// Throws if the command has no process of its own. Commands need one to start their own
  /// executable, to serve until interrupted, or to read signals and keys.
  package static func needProcess() throws(CommandError) {
    guard current.print == nil else { throw .processMissing }
  }
}

extension URL {
  /// Creates the URL of a file from a typed path, relative to the command's working directory.
  /// `relativePath` stays as typed.
  package init(typed path: String) {
    self.init(filePath: path, relativeTo: ToolEnvironment.current.folder)
  }
}
