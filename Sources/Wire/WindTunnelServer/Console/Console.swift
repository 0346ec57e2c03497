public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The exchanges of a running tool, its scenarios and its figures, for a page beside it.
///
/// A deck's events go to ``observe(_:)``, and `ReplayServer.Options.console` opens the port. The
/// latest 10,000 exchanges are kept, 64 MiB at most. While no page is open no line is made, and of
/// the exchanges a thousand are followed, five a second more, and what nothing answers.
public final class Console: Sendable {
  /// The tools that have a console.
  public enum Tool: String, Sendable, Hashable, CaseIterable {
    /// A server that plays a cassette.
    case serve
    /// A server that records one.
    case record
    /// A proxy between clients and servers.
    case proxy
    /// A drill of a client.
    case drill
    /// An app in its debug build.
    case app
  }

  /// The tool whose console it is.
  public let tool: Tool
  package let board: ConsoleBoard<ServedExchanges>

  /// Makes a console without exchanges so far.
  ///
  /// - Parameters:
  ///   - tool: The tool whose console it is.
  ///   - rules: The secrets that are left out of all that it shows, beside the standard ones.
  public init(_ tool: Tool, redacting rules: RedactionRules = .standard) {
    self.tool = tool
    board = ConsoleBoard(ServedExchanges(rules))
  }

  /// Takes an event of a deck.
  public func observe(_ event: ExchangeEvent) { observe(event, of: 0) }

  /// Takes an event of one of several decks.
  package func observe(_ event: ExchangeEvent, of deck: Int) {
    if event.outcome?.isFollowed != false { board.write { $0.apply(event, of: deck, at: $1) } }
  }

  /// Begins a segment of the story: the next decision is made in this scenario.
  public func begin(_ scenario: Scenario, seed: UInt64) {
    board.write { book, moment in book.begin(scenario, seed: seed, at: moment) }
  }

  /// Shows a finding: `{"id", "rule", "title", "severity", "text", "rows", "segment"}`.
  package func show(_ finding: JSON) { board.write { book, _ in book.feed.add(finding) } }

  /// Returns the numbers of the lines of some decisions, those that are kept.
  package func lines(of decisions: [Int]) -> [Int] {
    board.read { $0.lines(of: decisions) }
  }

  /// Tells whether a page is open.
  package var isWatched: Bool { board.readers > 0 }

  /// Follows the exchanges of a deck, all while a page is open and else some for whoever comes, as
  /// long as what is returned is there.
  func attend(to deck: Deck) -> ConsoleAttendance {
    let attendance = ConsoleAttendance(deck)
    board.attend(attendance)
    return attendance
  }
}

/// A console's hold on a deck. What is known weakly is this and not the deck, whose every use would
/// cost more by that.
final class ConsoleAttendance: Sendable {
  private let deck: Deck
  /// The lock under which the last of several changes reads the state last.
  private let order = Locked(())

  fileprivate init(_ deck: Deck) { self.deck = deck }

  /// The number of exchanges that nobody followed.
  var unfollowed: Int { deck.unfollowed }

  /// Follows all exchanges if a page is open, and else some.
  func follow(isWatched: () -> Bool) {
    order.withLock { _ in deck.follow(isWatched() ? .everything : .some(.init())) }
  }
}

/// The port at which a console's page is served.
public struct ConsolePort: Sendable {
  /// The number of pages that are open at once.
  public static let readersMax = 8
  /// The number of lines that a page is sent at once, ten times a second at most.
  public static let rowsPerTick = 200

  /// The console that is shown.
  public var console: Console
  /// The port; 0 for any that is free.
  public var port = 0
  /// A further address to listen at, such as `192.168.1.4`, for one device that gives the code;
  /// `nil`: this machine alone is let in.
  public var lan: (host: String, code: String)?
  /// The scenarios that can be chosen; none: the scenario stays.
  public var scenarios: [Scenario] = []
  /// The reason why the server cannot play a scenario, as a sentence; `nil` where it can.
  public var refusal: (@Sendable (Scenario) -> String?)?
  /// The observer of changes of the scenario and the seed, called before the first request in it.
  public var swapped: (@Sendable (Scenario, UInt64) -> Void)?

  /// Makes the settings of a port with the defaults: any free port of the loopback interface.
  public init(_ console: Console) { self.console = console }
}

/// The changes that a page may ask of the tool.
package struct ConsoleActions: Sendable {
  /// The scenarios that can be chosen by name.
  package var scenarios: [Scenario] = []
  /// Returns the scenario that is flown; `nil` where there is none to change.
  package var scenario: (@Sendable () -> Scenario)?
  /// Flies a scenario from the next request on, or answers the reason why not, as a sentence.
  package var play: (@Sendable (ScenarioOrder) -> String?)?
  /// Sends a request once more, or answers false where enough are under way; `nil` where the tool
  /// cannot.
  package var again: (@Sendable (Request) -> Bool)?

  /// Tells whether exchanges have what a cassette is made of.
  package var keeps = true

  /// Makes actions of which there are none.
  package init() {}

  /// The members of `can` in the first event.
  var json: JSON {
    let flies = JSON.bool(play != nil)
    return [
      "scenario": flies, "link": flies, "rule": flies, "again": .bool(again != nil),
      "keep": .bool(keeps),
    ]
  }
}
