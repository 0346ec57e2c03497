internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

/// What becomes of a recording when it is over.
struct RecordingEnd {
  private let order: RecordOrder
  private let mode: RecordMode
  /// The contents of the cassette when it began.
  private let cassette: Cassette
  private let runsCommand: Bool

  init(_ order: RecordOrder, _ mode: RecordMode, _ cassette: Cassette, runsCommand: Bool) {
    (self.order, self.mode, self.cassette, self.runsCommand) = (order, mode, cassette, runsCommand)
  }

  /// Writes the cassette, if something new came and nothing failed; else it stays as it is, to the
  /// byte.
  func keep(
    _ deck: Deck,
    _ journal: RecordingJournal,
    leftOff: [String],
    after code: ExitCode
  ) throws -> ExitCode {
    var (recorded, orders, leftOut) = deck.numbered(volatile: order.volatile)
    // What was asked anew is of today, though its text be the old one: else it would stay too old.
    if order.isDated {
      recorded.date(Date(), whereNotIn: mode == .rewrite ? Cassette() : cassette)
    }
    for line in leftOff + leftOut { Terminal.complain("left out: \(line)\n") }
    guard deck.hasRecorded, !recorded.interactions.isEmpty else {
      code == .done ? journal.remove() : journal.giveUp()
      return endedWithout(code)
    }
    guard recorded != cassette else {
      journal.remove()
      return code
    }
    guard !deck.recordedRefusalsAlone else {
      journal.giveUp()
      throw Refusal.upstreamGone(order.upstream.origin ?? "", order.path)
    }
    // A cassette of half of what the command does is no fixture, least of all in place of a whole one.
    guard code == .done else {
      journal.giveUp()
      Terminal.complain("What was recorded is thrown away; \(asItWas)\n")
      return code
    }
    CutAnswers.complain(recorded, besides: cassette)
    let isWhole = try journal.endTelling(with: recorded, orders: orders, of: order.file)
    return isWhole ? code : .cannotWrite
  }

  /// Says that nothing was recorded, where that was all there was to do.
  private func endedWithout(_ code: ExitCode) -> ExitCode {
    guard mode == .rewrite || cassette.interactions.isEmpty else { return code }
    Terminal.complain("Nothing was recorded; \(asItWas)\n")
    return runsCommand && code == .done ? .found : code
  }

  private var asItWas: String {
    FileManager.default.fileExists(atPath: order.path)
      ? "\(order.path) is as it was." : "there is no \(order.path)."
  }
}

extension RecordingJournal {
  /// Writes the cassette of a recording that is over, and says what stands on it and what could not.
  ///
  /// - Returns: Whether everything stands on it.
  func endTelling(with recorded: Cassette, orders: [Int], of cassette: URL) throws -> Bool {
    do {
      let (count, leftOut) = try end(with: recorded, orders: orders)
      for line in leftOut { Terminal.complain("left out: \(line)\n") }
      Terminal.complain("\(cassette.relativePath): \(count) interactions\n")
      return leftOut.isEmpty
    } catch {
      Terminal.complain(
        "What was journalled stays in \(file.lastPathComponent): the next recording onto "
          + "\(cassette.relativePath) takes it up.\n"
      )
      throw error
    }
  }
}

/// Says at once what is not journalled, which a kill would take with it.
final class JournalLosses: Sendable {
  private let count = Locked(0)
  /// The number of losses that are told of one by one.
  private static let linesMax = 10

  /// Hears of one; a journal's `losing`.
  func tell(_ line: String) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if number <= Self.linesMax { Terminal.complain("not journalled: \(line)\n") }
  }

  /// Says how many more there were.
  func complain() {
    let rest = count.withLock { $0 } - Self.linesMax
    if rest > 0 { Terminal.complain("not journalled: \(rest) more\n") }
  }
}

extension Deck {
  /// Says what this process could not ask for; where nothing else went wrong, that is what it ends with.
  func tellUnasked(after code: ExitCode) -> ExitCode {
    guard let (count, reason) = unasked else { return code }
    let requests = count == 1 ? "1 request was" : "\(count) requests were"
    Terminal.complain("\(requests) answered with 503 and not passed on: \(reason)\n")
    return code == .done ? .software : code
  }
}
