import TestSupport

@testable import WindTunnelDrill

/// What a program prints, and what it was given, stands in no output as a secret.
@Suite(.timeLimit(.minutes(5)), .python)
struct PrintedSecretsTests {
  /// The secrets of `prints-secrets.py`, and the beginning of an escape sequence.
  private static let secrets = [
    "hunterzwei", "hunterdrei", "hunterfour", "ghp_", "\u{1B}", #"\u001b"#,
  ]

  @Test(arguments: [["{method}", "{url}"], []])
  func `no form of a report and no stream has a secret`(words: [String]) async throws {
    let folder = try Folder()
    let files = try ["json", "html", "md", "xml", "csv", "txt"].map { try folder.file("r.\($0)") }
    let script = URL(filePath: "\(#filePath)/../../Data/prints-secrets.py").standardized
    let drill = ["drill", "--calls", "6", "--scenario", "calm", "--scenario", "broken-answers"]
    let command = ["--", "python3", script.path, "ada:hunterfour-as-argument"] + words
    let end = try await Tool.run(drill + files.flatMap { ["--report", $0] } + command)
    let again = try await Tool.run(["drill", "--again", "\(files[0])#calm/home/0"])
    let reports = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }
    for text in [end.answer, end.complaints, again.answer, again.complaints] + reports {
      for secret in Self.secrets { #expect(!text.contains(secret), "\(secret)") }
    }
    #expect(end.complaints.contains("Authorization: Bearer REDACTED-"))
    #expect(end.complaints.contains("red") && !end.complaints.contains("[31m"))
    #expect(reports[0].contains(CommandSecrets.redacted))
    // The program that lives says it all in its errors.
    expectEqual(reports[0].contains("the call failed, Authorization: "), words.isEmpty)
  }
}
