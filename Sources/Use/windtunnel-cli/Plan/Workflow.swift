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

  /// The contents of the file.
  var text: String {
    switch self {
    case .github:
      """
      # Runs the client of windtunnel.json against simulated network faults.
      name: windtunnel
      on: [push, pull_request]
      permissions:
        contents: read
      jobs:
        drill:
          runs-on: ubuntu-latest
          timeout-minutes: 30
          steps:
            - uses: actions/checkout@v4
            # Build the client here, and put windtunnel on PATH, from a clone or a release:
            # swift build -c release --package-path windtunnel --product windtunnel
            # curl -fsSL "$ARCHIVE" | tar -xz --strip-components 1 (its folder bin has the program)
            - name: Run the client on bad networks
              run: |
      \(Self.steps(indent: 10))
            - uses: actions/upload-artifact@v4
              if: ${{ !cancelled() }}
              with:
                name: windtunnel-report
                path: windtunnel-report

      """
    case .gitlab:
      """
      # Runs the client of windtunnel.json against simulated network faults.
      windtunnel:
        script:
          # Build the client here, and put windtunnel on PATH, from a clone or a release:
          # swift build -c release --package-path windtunnel --product windtunnel
          # curl -fsSL "$ARCHIVE" | tar -xz --strip-components 1 (its folder bin has the program)
          - |
      \(Self.steps(indent: 6))
        artifacts:
          when: always
          paths: [windtunnel-report]
          reports:
            junit: windtunnel-report/drill.xml

      """
    case .shell:
      """
      #!/bin/sh
      # Runs the client of windtunnel.json against simulated network faults.
      # To have windtunnel on PATH, build a clone or unpack a release:
      # swift build -c release --package-path windtunnel --product windtunnel
      # curl -fsSL "$ARCHIVE" | tar -xz --strip-components 1 (its folder bin has the program)
      set -eu
      cd "$(dirname "$0")"
      \(Self.steps(indent: 0))

      """
    }
  }

  /// The commands that all of them share: run the drill, and show its report.
  private static func steps(indent: Int) -> String {
    """
    windtunnel=${WINDTUNNEL:-windtunnel}
    if ! command -v "$windtunnel" > /dev/null; then
      echo "$windtunnel is not in PATH. Set WINDTUNNEL to the program." >&2
      exit 69
    fi
    reports=windtunnel-report
    mkdir -p "$reports"
    rm -f "$reports"/drill.*
    echo '*' > "$reports/.gitignore"
    code=0
    "$windtunnel" drill --report "$reports/drill.xml" --report "$reports/drill.md" \\
      --report "$reports/drill.html" --report "$reports/drill.json" || code=$?
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -s "$reports/drill.md" ]; then
      cat "$reports/drill.md" >> "$GITHUB_STEP_SUMMARY"
    fi
    exit "$code"
    """.split(separator: "\n").map { String(repeating: " ", count: indent) + $0 }
      .joined(separator: "\n")
  }
}
