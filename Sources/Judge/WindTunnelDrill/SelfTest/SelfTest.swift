package import Foundation
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// A test that makes every kind of fault for real on a loopback port and observes it: by a raw
/// socket, by curl, and by `URLSession` in a process of its own.
package struct SelfTest: Sendable {
  /// The number of looks by the raw socket at a fault that ends at once.
  package var repeats = 1
  /// The number of its looks, side by side, at one that takes its time.
  private static let timedRepeats = 5
  /// The time within which a fault ends at once by nature, and is looked at as often as was asked.
  static let atOnce = Duration.milliseconds(100)
  /// The number of kinds that are looked at at once.
  private static let atOnceMax = 6
  /// The greatest number of repeats.
  package static let repeatsMax = 10_000

  private let executable: URL
  private let arguments: [String]
  static let noCurl = "curl is not here"

  /// Makes a self-test whose `URLSession` looks from `executable`, started with `arguments` and a
  /// URL: there ``SessionProbe/main(_:)`` must be called.
  package init(executable: URL, arguments: [String]) {
    (self.executable, self.arguments) = (executable, arguments)
  }

  /// Looks at these kinds, and tells of each when it is through with it.
  package func run(
    _ asked: [CatalogueRow] = CatalogueRow.all,
    told: @escaping @Sendable (SelfTestRow) -> Void = { _ in }
  ) async -> [SelfTestRow] {
    let kinds = asked.compactMap { if case .fault(let kind) = $0 { kind } else { nil } }
    let examples = asked.compactMap { if case .lookUp(let example) = $0 { example } else { nil } }
    async let lookUps = self.rows(of: examples)
    // A look throws nothing: its errors are in its row.
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
      // A client that waits in vain need not wait long.
      let isSilent = row.expectedSession == .failure(.timedOut)
      let url = try await stand.url().absoluteString
      let patience = isSilent ? 1 : CurlProbe.patience
      row.take(curl: await CurlProbe.look(at: url, trusting: stand.authority, within: patience))
      // The platform's session on Linux cannot be told of an authority.
      if stand.needsTrust {
        row.unseenBy.append("URLSession cannot be told of the certificate's authority")
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
    var sights: [WireProbe.View] = []
    do {
      if isTimed {
        sights = try await withThrowingTaskGroup(of: WireProbe.View.self) { group in
          for _ in 0..<count { group.addTask { try await stand.wireView() } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
      } else {
        for _ in 0..<count { sights.append(try await stand.wireView()) }
      }
    } catch {
      row.unseenBy.append("\(error)")
    }
    let strange = sights.first { !$0.matches(stand.asked) }
    row.looks = sights.count
    row.equalLooks = sights.count { $0.matches(stand.asked) }
    row.raw = (strange ?? sights.first)?.text(as: stand.asked)
  }

  /// Looks at the name servers' answers, all at once.
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
  /// Notes the exit code of curl; `nil` if there is no curl.
  mutating func take(curl code: Int?) {
    curl = code
    if code == nil { unseenBy.append(SelfTest.noCurl) }
  }

  /// Notes the result of a `URLSession`'s process; `nil` if there is none.
  mutating func take(_ seen: SessionProbe.Seen?) {
    (session, sessionCode) = (seen?.sight, seen?.code)
    if seen == nil { unseenBy.append("URLSession's process returned no result") }
  }
}
