internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// The main function of a client process: it reads a job, makes the calls and reports each one.
///
/// The deck and the stage are in the same process as the client, so a crash affects only this
/// process.
enum SubjectProcess {
  /// Runs the job and never returns. Standard input and output are connected to the parent.
  static func main(subjects: [any Subject]) async -> Never {
    let parent = ParentLine()
    do {
      let job = try JSONDecoder().decode(WorkerJob.self, from: parent.job())
      // In virtual time, the tracer ends this process, and there is no further input.
      if job.worldAge == nil { parent.endWithParent() }
      VirtualWorld.isHere.withLock { $0 = job.worldAge != nil }
      RunningPrograms.shared.report(holding: parent.output) { group, runs in
        parent.send(.program(group, runs: runs))
      }
      let ending = Self.endWhenAsked(by: parent)
      defer { ending.cancel() }
      guard let found = subjects.first(where: { $0.name == job.subject }) else {
        throw FormatError(source: "orders", place: "subject", problem: "no \(job.subject) here")
      }
      let subject = found is ExecSubject ? program(job, parent) : found
      let setup = try setup(job)
      // Programs inherit the time zone. A client that reads a date as local time sends its retry
      // hours too early.
      if setup.scenario.sendsRetryDates { setenv("TZ", timeZoneInTheEast, 1) }
      let runner = try await CallRunner(
        subject,
        setup,
        deadline: .milliseconds(job.deadlineMilliseconds),
        attemptTimeout: .milliseconds(job.attemptTimeoutMilliseconds),
        epoch: job.epoch
      ) { parent.send($0) }
      await runner.run(job.calls, load: job.load)
      await runner.close()
    } catch {
      parent.send(.refused("\(error)"))
      _exit(70)
    }
    // Not `exit`: OpenSSL's clean-up there races with threads that still free its handles.
    _exit(0)
  }

  /// A time zone east of Greenwich. Some runtimes find zones only by their files, and others do not
  /// support an offset with minutes.
  static var timeZoneInTheEast: String {
    let name = "Asia/Tokyo"
    let file = "/usr/share/zoneinfo/\(name)"
    return FileManager.default.fileExists(atPath: file) ? name : "JST-9"
  }

  /// The exit code that reports a hung program in this process.
  static let hungCode: Int32 = 75

  /// Returns the program of a job, started once or for each call. If a program that is started once
  /// crashes, this process crashes with it. The parent then finds out which call is responsible.
  private static func program(_ job: WorkerJob, _ parent: ParentLine) -> any Subject {
    guard job.command.isService else { return ExecSubject(job.command) }
    var subject = ServiceSubject(job.command) { fall in
      switch fall {
      case .unfit(let reason): parent.send(.unfit(reason))
      case .unanswered(let reason): parent.send(.unanswered(reason))
      case .crashed, .hung: break
      }
      // From here on, the results of calls are not caused by the client.
      if fall == .hung { parent.fallSilent() }
      RunningPrograms.shared.endAll()
      _exit(fall == .hung ? hungCode : 70)
    }
    subject.hangs = { parent.send(.hung(call: $0, $1)) }
    return subject
  }

  /// Ends this process on SIGTERM at once, with every program that was started.
  private static func endWhenAsked(by parent: ParentLine) -> any DispatchSourceSignal {
    // The default action would leave the programs running.
    signal(SIGTERM, SIG_IGN)
    let source = DispatchSource.makeSignalSource(
      signal: SIGTERM,
      queue: DispatchQueue(label: "end")
    )
    source.setEventHandler {
      // From here on, the results of calls are not caused by the client.
      parent.fallSilent()
      RunningPrograms.shared.endAll()
      _exit(128 + SIGTERM)
    }
    source.resume()
    return source
  }

  private static func setup(_ job: WorkerJob) throws -> CallRunner.Setup {
    var setup = CallRunner.Setup(
      cassette: try job.cassetteFile.map { try Cassette(contentsOf: URL(filePath: $0)) }
        ?? Cassette(data: job.cassette, source: "cassette"),
      scenario: try Scenario(data: job.scenario, source: "scenario"),
      mix: Mix(job.mix.compactMap { Mix.Share($0) }, isReadOnly: job.isReadOnly),
      seed: job.seed,
      stage: Stage(rawValue: job.stage) ?? .inProcess,
      errors: Symptom.Platform(rawValue: job.errors) ?? .current,
      httpVersions: HTTPVersions(rawValue: job.httpVersions) ?? .any
    )
    setup.matcher = DrillPlan.matcher(
      of: setup.cassette,
      ignoring: job.ignoredQuery.map { NamePattern($0) }
    )
    setup.coveringCalls = job.coveringCalls
    setup.elapsed = job.elapsedMilliseconds.map { Duration(milliseconds: $0) }
    if let file = job.authorityFile.map({ URL(filePath: $0) }) {
      let authority = try CertificateAuthority()
      try authority.write(to: file)
      setup.authority = (authority, file)
    }
    return setup
  }
}

/// The connection of a client process to its parent: a job is read, and messages are written.
///
/// Both are moved away from standard input and output at once. Output of a client can therefore not
/// interrupt a message, and its input does not consume the job. The processes that it starts do not
/// keep the descriptors open.
private struct ParentLine: Sendable {
  private let input: Int32
  /// The descriptor for messages. The parent reads until every process has closed it.
  let output: Int32
  private let isClosed = Locked(false)

  init() {
    // If the parent has ended, SIGPIPE must not end this process in the middle of a line.
    signal(SIGPIPE, SIG_IGN)
    input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    dup2(nothing, STDIN_FILENO)
    close(nothing)
    // The output of a client is for readers, not for the parent.
    dup2(STDERR_FILENO, STDOUT_FILENO)
  }

  /// Returns the job: one line.
  func job() -> Data {
    var line = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return line }
      line.append(contentsOf: buffer[..<count])
      if buffer[count - 1] == UInt8(ascii: "\n") { return line }
    }
  }

  /// Ends this process when its parent has ended for any reason.
  func endWithParent() {
    let input = input
    Thread {
      var byte: UInt8 = 0
      while true {
        let count = read(input, &byte, 1)
        if count > 0 || (count < 0 && errno == EINTR) { continue }
        RunningPrograms.shared.endAll()
        _exit(0)
      }
    }.start()
  }

  /// Sends no further message after the current line.
  func fallSilent() { isClosed.withLock { $0 = true } }

  /// Sends a message to the parent, one whole line at a time.
  func send(_ message: WorkerMessage) {
    let bytes = Array(message.line.utf8)
    isClosed.withLock { isClosed in
      // Messages about programs are needed until the end.
      if isClosed { guard case .program = message else { return } }
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        // The parent no longer reads.
        guard count > 0 else {
          RunningPrograms.shared.endAll()
          _exit(0)
        }
        rest = rest.dropFirst(count)
      }
    }
  }
}
