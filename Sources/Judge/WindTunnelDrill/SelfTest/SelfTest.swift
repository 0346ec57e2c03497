package import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// A test that produces every kind of fault on a loopback port and probes it. The probes use a raw
/// socket, curl, and `URLSession` in a process of its own.
package struct SelfTest: Sendable {
  /// The number of probes by the raw socket for a fault that ends at once.
  package var repeats = 1
  /// The number of concurrent probes by the raw socket for a fault that takes time.
  private static let timedRepeats = 5
  /// A fault that ends within this time by its nature is probed as often as requested.
  static let atOnce = Duration.milliseconds(100)
  /// The maximum number of kinds that are probed at once.
  private static let atOnceMax = 6
  /// The maximum number of repeats.
  package static let repeatsMax = 10_000

  private let executable: URL
  private let arguments: [String]
  static let noCurl = "curl is not here"

  /// Creates a self-test that probes with `URLSession` in a process of `executable`, started with
  /// `arguments` and a URL. That process must call ``SessionProbe/main(_:)``.
  package init(executable: URL, arguments: [String]) {
    (self.executable, self.arguments) = (executable, arguments)
  }

  /// Probes these kinds, and reports each row when it is complete.
  package func run(
    _ asked: [CatalogueRow] = CatalogueRow.all,
    told: @escaping @Sendable (SelfTestRow) -> Void = { _ in }
  ) async -> [SelfTestRow] {
    let kinds = asked.compactMap { if case .fault(let kind) = $0 { kind } else { nil } }
    let examples = asked.compactMap { if case .lookUp(let example) = $0 { example } else { nil } }
    async let lookUps = self.rows(of: examples)
    // A probe does not throw: its errors are in its row.
    let rows = try? await kinds.flown(by: Self.atOnceMax) { kind in
      let row = await self.row(of: kind)
      told(row)
      return row
    }
    return await (rows ?? []) + lookUps
  }

  private func row(of kind: FaultKind) async -> SelfTestRow {
    var row = SelfTestRow(.fault(kind))
    do {
      let stand = try await FaultStand(kind)
      row.asked = stand.asked.text
      await look(stand, &row)
      await stand.close()
    } catch {
      row.skipped.append("\(error)")
    }
    return row
  }

  private func look(_ stand: FaultStand, _ row: inout SelfTestRow) async {
    await lookRaw(stand, &row)
    do {
      // A client that waits for a timeout does not need a long one.
      let isSilent = row.expectedSession == .failure(.timedOut)
      let url = try await stand.url().absoluteString
      let patience = isSilent ? 1 : CurlProbe.patience
      row.take(curl: await CurlProbe.look(at: url, trusting: stand.authority, within: patience))
      // On Linux, the platform's session cannot be configured to trust an authority.
      if stand.needsTrust {
        row.unseenBy.append("URLSession cannot use the certificate's authority")
      } else {
        let url = try await stand.url().absoluteString
        let patience = isSilent ? 1 : SessionProbe.patience
        row.take(await SessionProbe.look(at: url, by: executable, arguments, within: patience))
      }
    } catch {
      row.unseenBy.append("\(error)")
    }
  }

  private func lookRaw(_ stand: FaultStand, _ row: inout SelfTestRow) async {
    let isTimed = stand.takesTime
    let count = isTimed ? min(Self.timedRepeats, max(1, repeats)) : repeats
    let seen = Locked<[WireProbe.View]>([])
    do {
      try await Array(0..<count).flown(by: isTimed ? count : 1) { _ in
        try await stand.wireView()
      } then: { _, sight in
        seen.withLock { $0.append(sight) }
      }
    } catch {
      row.unseenBy.append("\(error)")
    }
    let sights = seen.withLock { $0 }
    let strange = sights.first { !$0.matches(stand.asked) }
    row.looks = sights.count
    row.equalLooks = sights.count { $0.matches(stand.asked) }
    row.raw = (strange ?? sights.first)?.text(as: stand.asked)
  }

  /// Probes the responses of the name servers, all at once.
  private func rows(of examples: [DNSExample]) async -> [SelfTestRow] {
    guard !examples.isEmpty else { return [] }
    do {
      return try await ResolverStand.rows(of: examples, by: executable, arguments)
    } catch {
      return examples.map { example in
        var row = SelfTestRow(.lookUp(example))
        row.skipped = ["\(error)"]
        return row
      }
    }
  }
}

extension SelfTestRow {
  /// Records the exit code of curl; `nil` if there is no curl.
  mutating func take(curl code: Int?) {
    curl = code
    if code == nil { unseenBy.append(SelfTest.noCurl) }
  }

  /// Records the result of a `URLSession`'s process; `nil` if there is none.
  mutating func take(_ seen: SessionProbe.ProbeResult?) {
    (session, sessionCode) = (seen?.sight, seen?.code)
    if seen == nil { unseenBy.append("URLSession's process returned no result") }
  }
}
