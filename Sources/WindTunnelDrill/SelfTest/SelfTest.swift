package import Foundation
internal import WindTunnel
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// Makes every kind of fault for real on a loopback port and looks at it: by a raw socket, by curl, and
/// by `URLSession` in a process of its own.
package struct SelfTest: Sendable {
  /// How often the raw socket looks at a fault that ends at once.
  package var repeats = 1
  /// How often, side by side, it looks at one that takes its time.
  static let timedRepeats = 5
  /// What ends within this by nature is looked at as often as was asked.
  static let atOnce = Duration.milliseconds(100)
  /// How many kinds are looked at at once.
  static let atOnceMax = 6
  /// The most repeats.
  package static let repeatsMax = 10_000

  let executable: URL
  private let arguments: [String]
  let standWord: String
  static let noCurl = "curl is not here"

  /// Makes a self-test whose `URLSession` looks from `executable`, started with `arguments` and a URL:
  /// there ``SessionProbe/main(_:)`` must be called. Started with `standWord` and further words, it must
  /// call ``ResolverStand/main(_:lookingWith:)``.
  package init(executable: URL, arguments: [String], standWord: String) {
    (self.executable, self.arguments, self.standWord) = (executable, arguments, standWord)
  }

  /// Looks at these kinds, and tells of each when it is through with it.
  package func run(
    _ asked: [CatalogueRow] = CatalogueRow.all,
    told: @escaping @Sendable (SelfTestRow) -> Void = { _ in }
  ) async -> [SelfTestRow] {
    let kinds = asked.compactMap { if case .fault(let kind) = $0 { kind } else { nil } }
    let examples = asked.compactMap { if case .lookUp(let example) = $0 { example } else { nil } }
    async let lookUps = self.rows(of: examples)
    var rows: [(Int, SelfTestRow)] = []
    await withTaskGroup(of: (Int, SelfTestRow).self) { group in
      for (index, kind) in kinds.enumerated() {
        if index >= Self.atOnceMax, let row = await group.next() { rows.append(row) }
        group.addTask {
          let row = await self.row(of: kind)
          told(row)
          return (index, row)
        }
      }
      for await row in group { rows.append(row) }
    }
    return await rows.sorted { $0.0 < $1.0 }.map(\.1) + lookUps
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
      let url = try await stand.url()
      if let code = await CurlProbe.look(at: url, trusting: stand.authority) {
        row.curl = code
      } else {
        row.unseenBy.append(Self.noCurl)
      }
      // The platform's session on Linux cannot be told of an authority.
      if stand.needsTrust {
        row.unseenBy.append("URLSession cannot be told of the certificate's authority")
      } else {
        let url = try await stand.url()
        let seen = await SessionProbe.look(at: url, by: executable, arguments)
        (row.session, row.sessionCode) = (seen?.sight, seen?.code)
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
}
