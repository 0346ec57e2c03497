internal import Foundation
internal import WindTunnel

enum CassetteSplitCommand: Command {
  static let name = "cassette split"
  static let summary = "Make several cassettes of one; it stays as it is."
  static let synopsis = "FILE --by host|path FOLDER"
  static let example = "windtunnel cassette split all.json --by host Cassettes"
  static let operandsMax = 2
  static let flags = [
    Flag("--by", "KEY", "host: a cassette for each host; path: for each first segment of a path.")
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    guard arguments.operands.count == 2 else {
      throw Refusal(.usage, "A cassette and a folder are wanted.")
    }
    guard
      let key = try arguments.choice(
        "--by",
        ["host": Cassette.SplitKey.host, "path": Cassette.SplitKey.path]
      )
    else { throw Refusal(.usage, "--by is missing: host or path.") }
    let folder = URL(filePath: arguments.operands[1])
    let parts = try Cassette(contentsOf: URL(filePath: arguments.operands[0])).split(by: key)
    let files = parts.map { folder.appendingPathComponent("\($0.name).json") }
    // Before the first is written, so that none is where not all are.
    for file in files where FileManager.default.fileExists(atPath: file.path) {
      throw Refusal(.cannotWrite, "\(file.relativePath) is there already; nothing was written.")
    }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw Refusal(.cannotWrite, "\(folder.relativePath) cannot be made.")
    }
    for (part, file) in zip(parts, files) {
      try part.cassette.write(to: file)
      Terminal.complain("\(file.relativePath): \(part.cassette.interactions.count) interactions\n")
    }
    return .done
  }
}
