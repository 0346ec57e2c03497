internal import Foundation
internal import WindTunnelServer
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A probe of a fault by curl.
enum CurlProbe {
  /// The timeout in seconds.
  static let patience = 5

  /// Returns the exit code, or 128 plus the signal as in a shell; `nil` if curl cannot be started.
  static func look(
    at url: String,
    trusting authority: URL?,
    within patience: Int = CurlProbe.patience,
    in network: PrivateNetwork? = nil
  ) async -> Int? {
    guard let curl = Executable.find("curl") else { return nil }
    var words = [
      "-sS", "-L", "--compressed", "--noproxy", "*", "--max-time", "\(patience)", "-o", "/dev/null",
    ]
    if let authority { words += ["--cacert", authority.path] }
    return await ProbeProcess.run(curl, words + [url], in: network)?.code
  }
}

/// A probe of a fault by `URLSession`, in a process of its own, because some faults end the
/// process.
package enum SessionProbe {
  /// The maximum silence in seconds.
  static let patience = 3

  /// The argument in place of a URL by which the process resolves a name.
  static let lookUpWord = "getaddrinfo"

  /// Returns the result that the session reports, or a crash if the process ends in another way;
  /// `nil` if the process cannot be started.
  static func look(
    at url: String,
    by executable: URL,
    _ arguments: [String],
    within patience: Int = patience,
    in network: PrivateNetwork? = nil
  ) async -> ProbeResult? {
    let words = arguments + [url, "\(patience)"]
    guard let (code, text) = await ProbeProcess.run(executable, words, in: network) else {
      return nil
    }
    return code == 0 && !text.isEmpty ? seen(text) : ProbeResult(sight: .crash)
  }

  /// The observation, and the platform's error number if there was an error.
  struct ProbeResult: Sendable, Hashable {
    var sight: FaultExpectation.Sight
    var code: Int?
  }

  /// Probes once, prints the observation, and ends this process.
  package static func main(_ words: [String]) async -> Never {
    if words.first == lookUpWord, words.count > 1 { lookUp(words[1]) }
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
    end(printing: line)
  }

  private static func lookUp(_ name: String) -> Never {
    do throws(SocketError) {
      let addresses = try SocketAddress.resolve(name, port: 0)
      end(printing: addresses.map(\.host).joined(separator: "\n"))
    } catch {
      end(printing: lookUpErrors[error.code] ?? "EAI \(error.code)")
    }
  }

  /// The names of errors (RFC 3493 §6.1); NODATA is specific to glibc, -5.
  private static let lookUpErrors: [Int32: String] = [
    EAI_NONAME: "EAI_NONAME", EAI_AGAIN: "EAI_AGAIN", EAI_FAIL: "EAI_FAIL",
    EAI_SYSTEM: "EAI_SYSTEM", -5: "EAI_NODATA",
  ]

  private static func end(printing text: String) -> Never {
    print(text)
    fflush(nil)
    // Not `exit`: OpenSSL's clean-up there races with threads that still free its handles.
    _exit(0)
  }

  static func seen(_ text: String) -> ProbeResult? {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let word = words.first else { return nil }
    if let status = Int(word) { return ProbeResult(sight: .answer(status)) }
    guard let symptom = Symptom(rawValue: String(word)) else { return nil }
    return ProbeResult(sight: .failure(symptom), code: words.count == 2 ? Int(words[1]) : nil)
  }
}

/// A runner of a client's process.
enum ProbeProcess {
  /// Returns the exit code, or 128 plus the signal as in a shell, and the output. Returns `nil` if
  /// the process cannot be started.
  static func run(
    _ executable: URL,
    _ words: [String],
    in network: PrivateNetwork? = nil
  ) async -> (code: Int, text: String)? {
    let process = SpawnedProcess(executable, words)
    process.environment = ChildProcess.environment
    if network != nil { process.environment?["RES_OPTIONS"] = ResolverStand.resolverOptions }
    // Only a supervised process can be in another network.
    (process.network, process.isSupervised) = (network, network != nil)
    guard let text = await process.text() else { return nil }
    let status = Int(process.terminationStatus)
    return (process.terminationReason == .exit ? status : 128 + status, text)
  }
}
