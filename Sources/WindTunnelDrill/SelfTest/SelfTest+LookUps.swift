internal import Foundation
internal import WindTunnel

extension SelfTest {
  /// Looks at the name servers' answers, all at once.
  func rows(of examples: [DNSExample]) async -> [SelfTestRow] {
    guard !examples.isEmpty else { return [] }
    let reports: [LookUpReport]
    do {
      reports = try await ResolverStand.reports(examples, by: executable, standWord)
    } catch {
      return examples.map { example in
        var row = SelfTestRow(.lookUp(example))
        row.skipped = ["\(error)"]
        return row
      }
    }
    return examples.map { row(of: $0, reports) }
  }

  private func row(of example: DNSExample, _ reports: [LookUpReport]) -> SelfTestRow {
    var row = SelfTestRow(.lookUp(example))
    row.asked = example.expectedLookUp.joined(separator: " ")
    guard let report = reports.first(where: { $0.name == example.name }) else {
      row.skipped = ["nothing was told of it"]
      return row
    }
    row.raw = report.found.joined(separator: " ")
    (row.looks, row.equalLooks) = (1, report.found == example.expectedLookUp ? 1 : 0)
    row.curl = report.curl
    if report.curl == nil { row.unseenBy.append(Self.noCurl) }
    let seen = report.session.flatMap { SessionProbe.seen($0) }
    (row.session, row.sessionCode) = (seen?.sight, seen?.code)
    return row
  }
}
