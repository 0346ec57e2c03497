public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The exchanges of a running tool, its scenarios and its statistics, for a web page.
///
/// A deck's events are passed to ``observe(_:)``, and `ReplayServer.Options.console` opens the
/// port. The latest 10,000 exchanges are kept, at most 64 MiB. While no page is open, no rows are
/// created. Only some exchanges are then followed: the first thousand, five more a second, and
/// unmatched requests.
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

  /// The tool with this console.
  public let tool: Tool
  package let board: ConsoleBoard<ServedExchanges>

  /// Creates a console without exchanges.
  ///
  /// - Parameters:
  ///   - tool: The tool with this console.
  ///   - rules: The redaction rules for everything that it shows, in addition to the default ones.
  public init(_ tool: Tool, redacting rules: RedactionRules = .standard) {
    self.tool = tool
    board = ConsoleBoard(ServedExchanges(rules))
  }

  /// Processes an event of a deck.
  public func observe(_ event: ExchangeEvent) { observe(event, of: 0) }

  /// Processes an event of one of several decks.
  package func observe(_ event: ExchangeEvent, of deck: Int) {
    if event.outcome?.isFollowed != false { board.write { $0.apply(event, of: deck, at: $1) } }
  }

  /// Begins a segment: the next decision is made in this scenario.
  public func begin(_ scenario: Scenario, seed: UInt64) {
    board.write { book, moment in book.begin(scenario, seed: seed, at: moment) }
  }

  /// Shows a finding: `{"id", "rule", "title", "severity", "text", "rows", "segment"}`.
  package func show(_ finding: JSON) { board.write { book, _ in book.feed.add(finding) } }

  /// Returns the numbers of the rows of some decisions, as far as they are kept.
  package func lines(of decisions: [Int]) -> [Int] {
    board.read { $0.lines(of: decisions) }
  }

  /// Whether a page is open.
  package var isWatched: Bool { board.readers > 0 }

  /// Follows the exchanges of a deck while the returned object exists: all of them while a page is
  /// open, otherwise some.
  func attend(to deck: Deck) -> ConsoleAttendance {
    let attendance = ConsoleAttendance(deck)
    board.attend(attendance)
    return attendance
  }
}

/// A console's reference to a deck. It is weakly referenced instead of the deck, because a weakly
/// referenced deck would be slower to use.
final class ConsoleAttendance: Sendable {
  private let deck: Deck
  /// A lock that makes the last of several changes read the latest state.
  private let order = Locked(())

  fileprivate init(_ deck: Deck) { self.deck = deck }

  /// The number of exchanges that were not followed.
  var unfollowed: Int { deck.unfollowed }

  /// Follows all exchanges if a page is open, and otherwise some.
  func follow(isWatched: () -> Bool) {
    order.withLock { _ in deck.follow(isWatched() ? .everything : .some(.init())) }
  }
}

/// The port on which a console's page is served.
public struct ConsolePort: Sendable {
  /// The maximum number of open pages.
  public static let readersMax = 8
  /// The maximum number of rows that a page receives at once, at most ten times a second.
  public static let rowsPerTick = 200

  /// The console that is shown.
  public var console: Console
  /// The port; 0 means any free port.
  public var port = 0
  /// An additional listening address, such as `192.168.1.4`, for one device that enters the code;
  /// `nil` if only this machine is allowed.
  public var lan: (host: String, code: String)?
  /// The scenarios that can be selected; if empty, the scenario cannot be changed.
  public var scenarios: [Scenario] = []
  /// Returns why the server cannot play a scenario, as a sentence; `nil` if it can.
  public var refusal: (@Sendable (Scenario) -> String?)?
  /// The observer of changes of the scenario and the seed. It is called before the first request in
  /// the new scenario.
  public var swapped: (@Sendable (Scenario, UInt64) -> Void)?

  /// Creates the default settings of a port: any free port on the loopback interface.
  public init(_ console: Console) { self.console = console }
}

/// The changes that a page may request from the tool.
package struct ConsoleActions: Sendable {
  /// The scenarios that can be selected by name.
  package var scenarios: [Scenario] = []
  /// Returns the current scenario; `nil` if it cannot be changed.
  package var scenario: (@Sendable () -> Scenario)?
  /// Starts a scenario for the following requests; returns the reason as a sentence if that is
  /// impossible.
  package var play: (@Sendable (ScenarioOrder) -> String?)?
  /// Sends a request again; returns `false` if too many are in progress. `nil` if the tool cannot
  /// repeat requests.
  package var again: (@Sendable (Request) -> Bool)?

  /// Whether exchanges contain the data for a cassette.
  package var keeps = true

  /// Creates an empty set of actions.
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
