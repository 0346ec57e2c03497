import Foundation
import WindTunnelDrill

/// The built `windtunnel`, run as a process.
enum Program {
  /// What a finished run left.
  struct Run: Equatable {
    var code: Int32
    var out: String
    var err: String
  }

  /// Why there is nothing to run.
  struct NotBuilt: Error, CustomStringConvertible {
    var looked: [String]

    var description: String {
      "There is no windtunnel in \(looked.joined(separator: " or ")). It is built beside the tests "
        + "by: swift build --build-tests"
    }
  }

  /// The executable that was built together with these tests: it lies beside their bundle.
  static func executable() throws -> URL {
    let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
    let running = Bundle.main.executableURL.map { [$0] } ?? []
    let folders = (bundles + running).map { $0.deletingLastPathComponent() }
    let found = folders.map { $0.appendingPathComponent("windtunnel") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    guard let found else { throw NotBuilt(looked: folders.map(\.path)) }
    return found
  }

  /// Runs it to its end.
  static func run(_ words: String..., in scratch: Scratch) async throws -> Run {
    try await run(words, in: scratch)
  }

  /// Runs it to its end.
  static func run(
    _ words: [String],
    in scratch: Scratch,
    with environment: [String: String] = [:],
    isTool: Bool = true
  ) async throws -> Run {
    try await Flight(words, in: scratch, with: environment, isTool: isTool).end()
  }
}

/// A run of the tool that is under way.
final class Flight: Sendable {
  private let process: SpawnedProcess
  private let out: URL
  private let err: URL
  private let ends: AsyncStream<Int32>
  private let lines: AsyncStream<String>

  /// Starts the tool in a folder, or the program that the first word names by its path; what it
  /// prints goes into files there.
  init(
    _ words: [String],
    in scratch: Scratch,
    with environment: [String: String] = [:],
    isTool: Bool = true
  ) throws {
    let process = SpawnedProcess()
    self.process = process
    process.executableURL = isTool ? try Program.executable() : URL(filePath: words[0])
    process.arguments = isTool ? words : Array(words.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.currentDirectoryURL = scratch.folder
    let name = UUID().uuidString
    out = scratch.folder.appendingPathComponent(".\(name).out")
    err = scratch.folder.appendingPathComponent(".\(name).err")
    for file in [out, err] { try Data().write(to: file) }
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = try FileHandle(forWritingTo: err)
    let (ends, ended) = AsyncStream<Int32>.makeStream()
    self.ends = ends
    let (lines, told) = AsyncStream<String>.makeStream()
    self.lines = lines
    process.terminationHandler = { process in
      let isExit = process.terminationReason == .exit
      ended.yield(isExit ? process.terminationStatus : -process.terminationStatus)
      ended.finish()
    }
    let copy = try FileHandle(forWritingTo: out)
    let reading = pipe.fileHandleForReading
    // The tool starts as from a shell: a thread of a pool would have it inherit blocked signals.
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
    // A thread of its own, since it waits in `read`.
    Thread.detachNewThread {
      var text = ""
      while true {
        let data = reading.availableData
        guard !data.isEmpty else { break }
        copy.write(data)
        text += String(decoding: data, as: UTF8.self)
        while let end = text.firstIndex(of: "\n") {
          told.yield(String(text[..<end]))
          text = String(text[text.index(after: end)...])
        }
      }
      told.finish()
    }
  }

  /// Waits for the next line on standard output; `nil` where there is none any more.
  func line() async -> String? {
    for await line in lines { return line }
    return nil
  }

  /// What it has printed on standard error so far.
  func errors() throws -> String { try String(contentsOf: err, encoding: .utf8) }

  /// The number of the process.
  var number: Int32 { process.processIdentifier }

  /// Sends it a signal.
  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Waits for its end and for the end of what it prints.
  func end() async throws -> Program.Run {
    var code: Int32 = 0
    for await end in ends { code = end }
    for await _ in lines {}
    return Program.Run(
      code: code,
      out: try String(contentsOf: out, encoding: .utf8),
      err: try String(contentsOf: err, encoding: .utf8)
    )
  }
}
