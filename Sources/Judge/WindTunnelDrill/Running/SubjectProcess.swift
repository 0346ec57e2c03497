internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// The inside of a subject's process: takes orders, makes the calls, tells of each.
///
/// Deck and stage are in here with the client, so the process is all that a crash can take along.
enum SubjectProcess {
  /// Runs to the end of the orders and never returns. Standard input and output are the parent's.
  static func main(subjects: [any Subject]) async -> Never {
    let parent = ParentLine()
    do {
      let job = try JSONDecoder().decode(WorkerJob.self, from: parent.job())
      // In virtual time its tracer does that, and nobody writes more orders.
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
      // Programs inherit it. A client that reads a date as local time comes hours too early.
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

  /// A time zone east of Greenwich. Some runtimes know zones by the files of their names alone, and
  /// others no offset with minutes.
  private static var timeZoneInTheEast: String {
    let name = "Asia/Tokyo"
    let file = "/usr/share/zoneinfo/\(name)"
    return FileManager.default.fileExists(atPath: file) ? name : "JST-9"
  }

  /// The exit code by which it says that a program in it hangs.
  static let hungCode: Int32 = 75

  /// Returns the program of a job: started for each call, or once. Where one that is started once
  /// falls, this process falls with it, and whoever watches it finds out which call is to blame.
  private static func program(_ job: WorkerJob, _ parent: ParentLine) -> any Subject {
    guard job.command.isService else { return ExecSubject(job.command) }
    var subject = ServiceSubject(job.command) { fall in
      switch fall {
      case .unfit(let reason): parent.send(.unfit(reason))
      case .unanswered(let reason): parent.send(.unanswered(reason))
      case .crashed, .hung: break
      }
      RunningPrograms.shared.endAll()
      _exit(fall == .hung ? hungCode : 70)
    }
    subject.hangs = { parent.send(.hung(call: $0, $1)) }
    return subject
  }

  /// Ends at once on SIGTERM, and with it every program that was started.
  private static func endWhenAsked(by parent: ParentLine) -> any DispatchSourceSignal {
    // The default action would leave the programs behind.
    signal(SIGTERM, SIG_IGN)
    let source = DispatchSource.makeSignalSource(
      signal: SIGTERM,
      queue: DispatchQueue(label: "end")
    )
    source.setEventHandler {
      // What its calls come to from now on is not their own doing.
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
      errors: Symptom.Platform(rawValue: job.errors) ?? .current
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

/// The way from a subject's process to its parent: orders come in, messages go out.
///
/// Both are moved away from standard input and output at once: so nothing that a client prints can
/// stand in the middle of a message, nothing that it reads is missed here, and no process that it
/// starts keeps them open.
private struct ParentLine: Sendable {
  private let input: Int32
  /// The way out: the parent reads to its end, which is when nobody holds it open any more.
  let output: Int32
  private let isClosed = Locked(false)

  init() {
    // A parent that is gone must not end this process in the middle of a line.
    signal(SIGPIPE, SIG_IGN)
    input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    dup2(nothing, STDIN_FILENO)
    close(nothing)
    // What a client prints is for people.
    dup2(STDERR_FILENO, STDOUT_FILENO)
  }

  /// Returns the orders: one line.
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

  /// Ends this process as soon as its parent is gone, however that went.
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

  /// Ends with the last whole line: nothing more is told.
  func fallSilent() { isClosed.withLock { $0 = true } }

  /// Tells the parent, one whole line at a time.
  func send(_ message: WorkerMessage) {
    let bytes = Array(message.line.utf8)
    isClosed.withLock { isClosed in
      // Of its programs somebody has to know to the end.
      if isClosed { guard case .program = message else { return } }
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        // Nobody listens any more.
        guard count > 0 else {
          RunningPrograms.shared.endAll()
          _exit(0)
        }
        rest = rest.dropFirst(count)
      }
    }
  }
}
