/// A file for a CI system, which runs the plan of the working directory.
enum Workflow: String, CaseIterable {
  case github
  case gitlab
  case shell

  /// The path of the file, relative to the working directory.
  var path: String {
    switch self {
    case .github: ".github/workflows/windtunnel.yml"
    case .gitlab: "windtunnel.gitlab-ci.yml"
    case .shell: "windtunnel-ci.sh"
    }
  }

  /// The next step for the user.
  var words: String {
    switch self {
    case .github: "commit it; it runs windtunnel from PATH, or the program in $WINDTUNNEL"
    case .gitlab: "name it in .gitlab-ci.yml: include: \(path)"
    case .shell: "run it with ./\(path); it writes reports to windtunnel-report"
    }
  }

  /// Creates the folder of the file, or throws before any file is written.
  func makeFolder() throws {
    try CassetteFile.makeFolder(URL(typed: path).deletingLastPathComponent().path)
  }

  /// Writes the file into its folder.
  func write() throws {
    let file = URL(typed: path)
    try FileError.writing(Data(text.utf8), to: file)
    guard self == .shell else { return }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
  }

  /// The contents of the file: its template, with the shared commands that run the drill and show
  /// its report.
  private var text: String {
    let steps = Shipped.text("workflows/steps").split(separator: "\n")
    let lines = Shipped.text("workflows/\(rawValue)").split(omittingEmptySubsequences: false) {
      $0 == "\n"
    }
    return lines.flatMap { line in
      line.hasSuffix("{steps}") ? steps.map { "\(line.dropLast(7))\($0)" } : [String(line)]
    }.joined(separator: "\n")
  }
}
