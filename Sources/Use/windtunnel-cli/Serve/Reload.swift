@_spi(WindTunnel) internal import WindTunnelCore

/// `serve --watch`: reads saved files again, and reports each change in a line.
///
/// An unreadable file changes nothing.
struct Reload {
  private let order: ServeOrder
  private let watch: FileWatch
  private let files: [URL]
  private let console: Console?
  /// The last complaint for each kind of file.
  private let complaints = Locked<[String: Complaint]>([:])
  /// The interval between two checks of the files.
  private static let period = Duration.milliseconds(100)

  /// A complaint, with the save that it is about.
  ///
  /// A save may be read again because a file next to the cassette has changed. The complaint is
  /// then not repeated.
  private struct Complaint: Hashable {
    var sentence: String
    var save: FileMark?
  }

  /// Starts to watch, so that no save after the first reading is missed.
  init(_ order: ServeOrder, _ console: Console?) {
    (self.order, self.console) = (order, console)
    files = [order.cassette, order.rules, order.weather].compactMap { $0 }
    watch = FileWatch(files)
  }

  /// The files next to the cassette.
  ///
  /// The name of each contains the hash of its bytes. A new file can repair a cassette, but never
  /// change it.
  private var sideFiles: [URL] {
    let folder = Cassette.sideFolder(of: order.cassette)
    // A folder that is missing has no files.
    return
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
      ?? []
  }

  /// Follows changes until the task is cancelled.
  func follow(_ server: ReplayServer, _ deck: Deck, playing cassette: Cassette) async {
    var (cassette, watch, isBroken) = (cassette, watch, false)
    // Only a cancellation ends the sleep early.
    while (try? await Task.sleep(for: Self.period)) != nil {
      let saved = watch.saves(among: files + (isBroken ? sideFiles : []))
      if saved.contains(where: { $0 != order.rules && $0 != order.weather }) {
        isBroken = !attempt("cassette", order.cassette) {
          let next = try order.loadCassette()
          // A save without changes must not restart the cassette's sequence.
          guard next != cassette || isBroken else { return nil }
          server.load(next)
          defer { cassette = next }
          return "\(name(order.cassette)): \(CassetteDifference(from: cassette, to: next).summary)"
        }
      }
      if let rules = order.rules, saved.contains(rules) {
        _ = attempt("match file", rules) {
          let matcher = try order.matcher()
          guard matcher != deck.matcher else { return nil }
          server.load(cassette, matcher: matcher)
          return "\(name(rules)): new match rules"
        }
      }
      if let weather = order.weather, saved.contains(weather) {
        _ = attempt("scenario", weather) {
          let scenario = try order.scenario()
          guard scenario != deck.scenario else { return nil }
          if scenario.losesSYNs, !deck.scenario.losesSYNs {
            throw CommandError.lostSYNsLater(scenario.name)
          }
          deck.swap(scenario, seed: nil) { seed in
            console?.begin(scenario, seed: seed)
          }
          return "\(name(weather)): now running scenario \(scenario.name)"
        }
      }
    }
  }

  /// Reads a file again, and reports the result if there is one; `false` if the previous state is
  /// kept.
  private func attempt(_ noun: String, _ file: URL, _ reread: () throws -> String?) -> Bool {
    // Before reading, so that a save in the meantime is reported, too.
    let save = FileMark(of: file)
    do {
      if let news = try reread() { Terminal.complain("\(news)\n") }
      complaints.withLock { $0[noun] = nil }
      return true
    } catch {
      let sentence = "\(CommandError(error).sentence) The previous \(noun) stays in use.\n"
      let complaint = Complaint(sentence: sentence, save: save)
      if complaints.withLock({ $0.updateValue(complaint, forKey: noun) }) != complaint {
        Terminal.complain(sentence)
      }
      return false
    }
  }

  private func name(_ file: URL) -> String { file.lastPathComponent }
}
