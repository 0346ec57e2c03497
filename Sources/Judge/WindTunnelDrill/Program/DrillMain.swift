internal import Foundation
internal import WindTunnelCommandLine

/// A program that runs your client, with the flags, reports and exit codes of `windtunnel drill`.
///
/// Its `main.swift` needs only this:
///
/// ```swift
/// import WindTunnelDrill
///
/// await DrillMain(subject: "shop") { call in
///   try await ShopAPI(baseURL: call.baseURL, session: call.session).get(call.url)
/// }.run()
/// ```
///
/// The client runs in a process of its own, which is the same program started again. A crash or a
/// hang is therefore a row of the report (exit code 97) and does not end the program. A bare
/// `URLSession` runs beside it for comparison.
public struct DrillMain: Sendable {
  private let subject: DrillSubject
  private let others: [DrillSubject]

  /// Creates the program of a client.
  ///
  /// - Parameters:
  ///   - subject: The client that is judged. ``DrillSubject/program`` runs only if the command line
  ///     names a program after `--`.
  ///   - others: The clients that run beside it.
  public init(subject: DrillSubject, beside others: [DrillSubject] = [.urlSession]) {
    (self.subject, self.others) = (subject, others)
  }

  /// Creates the program of a closure.
  ///
  /// - Parameters:
  ///   - subject: The client's name in reports, and for `--subject`.
  ///   - body: One use of the client, as in ``Drill/run(as:in:_:)``.
  public init<Shown: Sendable>(
    subject: String,
    _ body: @escaping @Sendable @concurrent (DrillCall) async throws -> Shown
  ) {
    self.init(subject: DrillSubject(subject, body))
  }

  /// Runs the program and exits.
  ///
  /// - Parameter arguments: The arguments of the command line, the program's name first.
  public func run(_ arguments: [String] = CommandLine.arguments) async -> Never {
    let name = arguments.first.map { URL(filePath: $0).lastPathComponent } ?? subject.name
    var subjects: [DrillSubject] = []
    // If several clients have the same name, the first one is used.
    for client in [subject] + others + [.program]
    where !subjects.contains(where: { $0.name == client.name }) { subjects.append(client) }
    let program = DrillProgram(name: name, subjects: subjects)
    let words = Array(arguments.dropFirst())
    await program.flyIfAsked(words)
    Terminal.open()
    let code = Terminal.close(await program.run(words), as: program.speaker)
    // Flushes the output before the process ends.
    fflush(nil)
    exit(code.rawValue)
  }
}
