/// The pytest plug-in that runs each test with the mutants of the recordings that it uses.
enum PytestPlugin {
  /// The name of the Python module.
  private static let module = "windtunnel_mutate"

  /// Writes the plug-in to a folder.
  ///
  /// - Returns: The environment variables that make pytest load it. Other programs ignore them.
  static func install(in folder: URL) throws -> [String: String] {
    let file = folder.appending(path: "\(module).py")
    try FileError.writing(Data(Shipped.text("pytest-plugin").utf8), to: file)
    func adding(_ value: String, _ separator: String, to name: String) -> String {
      let before = ToolEnvironment.current.variables[name] ?? ""
      return before.isEmpty ? value : "\(value)\(separator)\(before)"
    }
    return [
      "PYTHONPATH": adding(folder.path, ":", to: "PYTHONPATH"),
      "PYTEST_PLUGINS": adding(module, ",", to: "PYTEST_PLUGINS"),
    ]
  }
}

/// The lines that the plug-in appends to a file of its own, because it cannot redact them.
actor PluginLog {
  nonisolated let file: URL
  /// The number of bytes that were moved.
  private var count: UInt64 = 0

  /// Creates an empty file in a folder.
  init(in folder: URL) throws {
    file = folder.appending(path: "plugin.jsonl")
    try FileError.writing(Data(), to: file)
  }

  /// Appends the complete new lines to the log, without their secrets.
  func move(to log: MutationLogFile) throws {
    let handle = try FileHandle(forReadingFrom: file)
    try handle.seek(toOffset: count)
    let data = try handle.readToEnd() ?? Data()
    guard let end = data.lastIndex(of: UInt8(ascii: "\n")) else { return }
    try log.append(MutationLog.events(in: data[...end]).map(\.withoutSecrets))
    count += UInt64(end + 1)
  }
}
