internal import Dispatch
internal import Foundation
internal import WindTunnel
internal import WindTunnelServer
internal import WindTunnelSymptoms

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// The inside of a subject's process: takes orders, makes the calls, tells of each.
///
/// Deck and stage are in here with the client, so the process is all that a crash can take along.
enum SubjectProcess {
  /// Runs to the end of the orders and never returns. Standard input and output are the parent's.
  static func main(subjects: [any Subject]) async -> Never {
    let parent = ParentLine()
    do {
      let orders = try JSONDecoder().decode(Orders.self, from: parent.orders())
      parent.endWithParent()
      RunningPrograms.shared.tell(holding: parent.output) { parent.send($0) }
      let ending = Self.endWhenAsked()
      defer { ending.cancel() }
      guard let found = subjects.first(where: { $0.name == orders.subject }) else {
        throw FormatError(source: "orders", place: "subject", problem: "no \(orders.subject) here")
      }
      let subject: any Subject = found is ExecSubject ? ExecSubject(orders.command) : found
      let runner = try await CallRunner(
        subject,
        stand(orders),
        deadline: .milliseconds(orders.deadlineMilliseconds),
        attemptTimeout: .milliseconds(orders.attemptTimeoutMilliseconds),
        epoch: DispatchTime(uptimeNanoseconds: orders.epochNanoseconds)
      ) { parent.send($0) }
      await runner.run(orders.calls, load: orders.load)
      await runner.close()
    } catch {
      parent.send(.refused("\(error)"))
      _exit(70)
    }
    // Not `exit`: OpenSSL's clean-up there races with threads that still free its handles.
    _exit(0)
  }

  /// Ends at once on SIGTERM, and with it every program that was started.
  private static func endWhenAsked() -> any DispatchSourceSignal {
    // The default action would leave the programs behind.
    signal(SIGTERM, SIG_IGN)
    let source = DispatchSource.makeSignalSource(
      signal: SIGTERM,
      queue: DispatchQueue(label: "end")
    )
    source.setEventHandler {
      RunningPrograms.shared.endAll()
      _exit(128 + SIGTERM)
    }
    source.resume()
    return source
  }

  private static func stand(_ orders: Orders) throws -> CallRunner.Stand {
    var stand = CallRunner.Stand(
      cassette: try orders.cassetteFile.map { try Cassette(contentsOf: URL(filePath: $0)) }
        ?? Cassette(data: orders.cassette, source: "cassette"),
      scenario: try Scenario(data: orders.scenario, source: "scenario"),
      mix: Mix(orders.mix.compactMap { Mix.Share($0) }, isReadOnly: orders.isReadOnly),
      seed: orders.seed,
      stage: Stage(rawValue: orders.stage) ?? .inProcess,
      errors: Symptom.Platform(rawValue: orders.errors) ?? .current
    )
    stand.elapsed = orders.elapsedMilliseconds.map { Duration(milliseconds: $0) }
    if let file = orders.authorityFile.map({ URL(filePath: $0) }) {
      let authority = try CertificateAuthority()
      try authority.write(to: file)
      stand.authority = (authority, file)
    }
    return stand
  }
}
