@_spi(WindTunnel) internal import WindTunnelCore

/// `serve --watch`: reads what was saved, and says in a line what changed.
///
/// A file that does not read changes nothing.
struct Reload {
  private let order: ServeOrder
  private let watch: FileWatch
  private let files: [URL]
  private let console: Console?
  /// The last complaint of each kind of file.
  private let complaints = Locked<[String: Complaint]>([:])
  /// The time between two looks at the files.
  private static let period = Duration.milliseconds(100)

  /// A complaint, and the save that it is about: a save that is read again, because a file beside
  /// the cassette has changed, is complained of once.
  private struct Complaint: Hashable {
    var sentence: String
    var save: FileMark?
  }

  /// Watches from now on, so that nothing is missed that is saved after it was read.
  init(_ order: ServeOrder, _ console: Console?) {
    (self.order, self.console) = (order, console)
    files = [order.cassette, order.rules, order.weather].compactMap { $0 }
    watch = FileWatch(files)
  }

  /// The files beside the cassette. Each bears the hash of its bytes: it can mend a cassette and
  /// not change one.
  private var sideFiles: [URL] {
    let folder = Cassette.sideFolder(of: order.cassette)
    // A folder that is missing has no files.
    return
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
      ?? []
  }

  /// Goes on until the task is cancelled.
  func follow(_ server: ReplayServer, _ deck: Deck, playing cassette: Cassette) async {
    var (cassette, watch, isBroken) = (cassette, watch, false)
    // Only a cancellation ends the sleep early.
    while (try? await Task.sleep(for: Self.period)) != nil {
      let saved = watch.saves(among: files + (isBroken ? sideFiles : []))
      if saved.contains(where: { $0 != order.rules && $0 != order.weather }) {
        isBroken = !attempt("tape", order.cassette) {
          let next = try order.loadCassette()
          // A save that changes nothing must not put the cassette back to its head.
          guard next != cassette || isBroken else { return nil }
          server.load(next)
          defer { cassette = next }
          return "\(name(order.cassette)): \(CassetteDifference(from: cassette, to: next).summary)"
        }
      }
      if let rules = order.rules, saved.contains(rules) {
        _ = attempt("rule", rules) {
          let matcher = try order.matcher()
          guard matcher != deck.matcher else { return nil }
          server.load(cassette, matcher: matcher)
          return "\(name(rules)): the rules changed"
        }
      }
      if let weather = order.weather, saved.contains(weather) {
        _ = attempt("scenario", weather) {
          let scenario = try order.scenario()
          guard scenario != deck.scenario else { return nil }
          if scenario.losesSYNs, !deck.scenario.losesSYNs {
            throw Refusal.lostSYNsLater(scenario.name)
          }
          deck.swap(scenario, seed: nil) { seed in
            console?.begin(scenario, seed: seed)
          }
          return "\(name(weather)): scenario \(scenario.name) from now on"
        }
      }
    }
  }

  /// Says what came of it, if anything did; false where the old one goes on.
  private func attempt(_ noun: String, _ file: URL, _ reread: () throws -> String?) -> Bool {
    // Before it is read: what is saved meanwhile is told of, too.
    let save = FileMark(of: file)
    do {
      if let news = try reread() { Terminal.complain("\(news)\n") }
      complaints.withLock { $0[noun] = nil }
      return true
    } catch {
      let sentence = "\(Refusal(error).sentence) The \(noun) stays as it was.\n"
      let complaint = Complaint(sentence: sentence, save: save)
      if complaints.withLock({ $0.updateValue(complaint, forKey: noun) }) != complaint {
        Terminal.complain(sentence)
      }
      return false
    }
  }

  private func name(_ file: URL) -> String { file.lastPathComponent }
}
