/// The plug-in by which pytest runs each test with the mutants of the recordings that it uses.
enum PytestPlugin {
  /// The name of the Python module.
  private static let module = "windtunnel_mutate"

  /// Writes the plug-in to a folder.
  ///
  /// - Returns: The environment variables by which pytest loads it. Other programs ignore them.
  static func install(in folder: URL) throws -> [String: String] {
    let file = folder.appending(path: "\(module).py")
    try FileError.writing(Data(Shipped.pytestPlugin.utf8), to: file)
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
