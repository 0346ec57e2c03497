internal import Foundation
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A look at a fault by curl.
enum CurlProbe {
  /// Seconds after which it gives up.
  static let patience = 5

  /// Returns the exit code, after a signal that of a shell; `nil` if curl cannot be started.
  static func look(at url: URL, trusting authority: URL?, within patience: Int = CurlProbe.patience)
    async
    -> Int?
  {
    guard let curl = Executable.find("curl") else { return nil }
    var words = [
      "-sS", "-L", "--compressed", "--noproxy", "*", "--max-time", "\(patience)", "-o", "/dev/null",
    ]
    if let authority { words += ["--cacert", authority.path] }
    switch await ProbeProcess.run(curl, words + [url.absoluteString]) {
    case .exited(let code, _): return Int(code)
    case .crashed(let signal): return 128 + Int(signal)
    case .notStarted: return nil
    }
  }
}

/// A look at a fault by `URLSession`, in a process of its own, since some faults end it.
package enum SessionProbe {
  /// Seconds of silence after which it gives up.
  static let patience = 3

  /// Returns the result that the session reports; `nil` if the process cannot be started.
  static func look(
    at url: URL,
    by executable: URL,
    _ arguments: [String],
    within patience: Int = patience
  ) async -> Seen? {
    await text(at: url, by: executable, arguments, within: patience).flatMap { seen($0) }
  }

  /// Returns what that process prints, and ``crashed`` where it ends otherwise; `nil` where it
  /// cannot be started.
  static func text(
    at url: URL,
    by executable: URL,
    _ arguments: [String],
    within patience: Int
  ) async -> String? {
    switch await ProbeProcess.run(executable, arguments + [url.absoluteString, "\(patience)"]) {
    case .exited(0, let text) where !text.isEmpty: text
    case .exited, .crashed: crashed
    case .notStarted: nil
    }
  }

  private static let crashed = "crash"

  /// The sight, and the platform's number of the error if there was one.
  struct Seen: Sendable, Hashable {
    var sight: FaultExpectation.Sight
    var code: Int?
  }

  /// Returns the inside of that process: looks once, prints what it saw and ends.
  package static func main(_ words: [String]) async -> Never {
    let configuration = URLSessionConfiguration.ephemeral
    let patience = words.count > 1 ? Int(words[1]) ?? Self.patience : Self.patience
    configuration.timeoutIntervalForRequest = TimeInterval(patience)
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    guard let url = words.first.flatMap({ URL(string: $0) }) else { _exit(64) }
    let line: String = await withCheckedContinuation { continuation in
      session.dataTask(with: url) { _, response, error in
        if let error {
          let symptom = Symptom(error) ?? .unknown
          let code = (error as? URLError)?.code.rawValue
          continuation.resume(returning: "\(symptom.rawValue) \(code.map { "\($0)" } ?? "")")
        } else {
          let status = (response as? HTTPURLResponse)?.statusCode
          continuation.resume(returning: status.map { String($0) } ?? "none")
        }
      }.resume()
    }
    print(line)
    fflush(nil)
    // Not `exit`: OpenSSL's clean-up there races with threads that still free its handles.
    _exit(0)
  }

  static func seen(_ text: String) -> Seen? {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let word = words.first else { return nil }
    if word == crashed { return Seen(sight: .crash) }
    if let status = Int(word) { return Seen(sight: .answer(status)) }
    guard let symptom = Symptom(rawValue: String(word)) else { return nil }
    return Seen(sight: .failure(symptom), code: words.count == 2 ? Int(words[1]) : nil)
  }
}

/// A runner of a client's process.
enum ProbeProcess {
  enum Ending {
    case exited(Int32, String)
    case crashed(signal: Int32)
    case notStarted
  }

  static func run(_ executable: URL, _ words: [String]) async -> Ending {
    let process = SpawnedProcess()
    process.executableURL = executable
    process.arguments = words
    process.environment = ChildProcess.environment
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    return await withCheckedContinuation { continuation in
      do { try process.run() } catch { return continuation.resume(returning: .notStarted) }
      Thread {
        let text = String(
          decoding: output.fileHandleForReading.readDataToEndOfFile(),
          as: UTF8.self
        )
        process.waitUntilExit()
        let status = process.terminationStatus
        continuation.resume(
          returning: process.terminationReason == .exit
            ? .exited(status, text) : .crashed(signal: status)
        )
      }.start()
    }
  }
}
