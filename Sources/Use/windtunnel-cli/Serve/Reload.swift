@_spi(WindTunnel) internal import WindTunnelCore

/// `serve --watch`: reads what was saved, and says in a line what changed.
///
/// A file that does not read changes nothing.
struct Reload {
  private let order: ServeOrder
  private let watch: FileWatch
  private let sideFolder: URL
  private let console: Console?
  /// The last complaint of each kind of file.
  private let complaints = Locked<[String: Complaint]>([:])

  /// A complaint, and the save that it is about.
  ///
  /// One save may be told of twice: a file that takes another's place while it is still open is
  /// told of then, and again when the last who holds it lets go, be it a child process that was
  /// started meanwhile. It is read again each time, since what is in it may be another's by now,
  /// and complained of once.
  private struct Complaint: Hashable {
    var sentence: String
    var save: FileMark
  }

  /// Watches from now on, so that nothing is missed that is saved after it was read.
  init(_ order: ServeOrder, _ console: Console?) throws {
    (self.order, self.console) = (order, console)
    sideFolder = Cassette.sideFolder(of: order.cassette)
    let files = [order.cassette, order.rules, order.weather].compactMap { $0 }
    do {
      watch = try FileWatch(Array(Set(files.map { $0.standardizedFileURL.folder })))
    } catch {
      // Where there is no folder, the file that is missing is the better word.
      _ = try order.loadCassette()
      throw error
    }
    watch.add(sideFolder.standardizedFileURL)
  }

  /// Goes on until the task is cancelled.
  func follow(_ server: ReplayServer, _ deck: Deck, playing cassette: Cassette) async {
    var cassette = cassette
    var isBroken = false
    for await file in watch.saves {
      if file.isSame(as: sideFolder) {
        watch.add(sideFolder.standardizedFileURL)
      } else if file.isSame(as: order.cassette)
        // A side file bears the hash of its bytes: it can mend a cassette and not change one.
        || (isBroken && file.folder.isSame(as: sideFolder))
      {
        isBroken = !attempt("tape", order.cassette) {
          let next = try order.loadCassette()
          // A save that changes nothing must not put the cassette back to its head.
          guard next != cassette || isBroken else { return nil }
          server.load(next)
          defer { cassette = next }
          return "\(name(order.cassette)): \(CassetteDifference(from: cassette, to: next).summary)"
        }
      } else if let rules = order.rules, file.isSame(as: rules) {
        _ = attempt("rule", rules) {
          let matcher = try order.matcher()
          guard matcher != deck.matcher else { return nil }
          server.load(cassette, matcher: matcher)
          return "\(name(rules)): the rules changed"
        }
      } else if let weather = order.weather, file.isSame(as: weather) {
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

extension URL {
  fileprivate var folder: URL { deletingLastPathComponent() }

  fileprivate func isSame(as other: URL) -> Bool {
    standardizedFileURL.path == other.standardizedFileURL.path
  }
}
