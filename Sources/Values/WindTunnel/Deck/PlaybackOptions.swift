public import Foundation

/// The options by which a deck plays its cassette and records onto it.
public struct PlaybackOptions: Sendable {
  /// The parts of a request that decide which recording answers it.
  public var matcher: Matcher
  /// The policy for a request whose recordings are used up; an interaction may have its own.
  public var then: EndPolicy
  /// The speed of recorded answers. Streamed bodies arrive in their recorded pieces at any speed.
  public var pace: Pace
  /// The choice between playing, recording and both.
  public var mode: RecordMode
  /// The rules by which secrets are removed from recordings, beside those that always apply.
  public var redaction: RedactionRules
  /// The hosts that are ignored: their requests go to them in every mode, without faults and
  /// unrecorded. `api.example.com` is any port of it, `api.example.com:8443` that port alone.
  public var ignoring: [String]
  /// The addresses that stand in for hosts where a live origin is asked:
  /// `["api.example.com": "http://127.0.0.1:8000"]`. On the cassette the hosts keep their names.
  public var mapping: [String: RequestURL]
  /// The origin of the requests that name none; `nil`: the one that most of the cassette was
  /// recorded from.
  package var origin: RequestURL?
  /// The smallest time between what comes from a client and what is sent to it.
  package var exchangeTime = Duration.zero
  /// Tells whether requests come through a forward proxy: it forwards those to other hosts, and
  /// answers 502 where a connection fails.
  public var isProxied: Bool
  /// Tells whether requests to hosts that are not on the cassette are forwarded to them, with the
  /// scenario's faults and unrecorded; with an empty cassette these are faults over live traffic.
  public var passesOthers: Bool
  /// The clock by which dates in recorded answers are moved forward, by the time since the
  /// recording (``Interaction/refreshingDates(at:)``). Which answer is played does not depend on
  /// it.
  public var refreshingDates: (@Sendable () -> Date)?
  /// Whether the deck keeps the last requests (``Deck/requests(_:)``). It does by default, and if
  /// its server opens an admin port.
  public var keepsRequests: Bool

  /// Makes options; the defaults are those of most tests.
  public init(
    matcher: Matcher = .url,
    then: EndPolicy = .fail,
    pace: Pace = .immediately,
    mode: RecordMode = .none,
    redaction: RedactionRules = .standard,
    ignoring: [String] = [],
    mapping: [String: RequestURL] = [:],
    isProxied: Bool = false,
    passesOthers: Bool = false,
    refreshingDates: (@Sendable () -> Date)? = nil,
    keepsRequests: Bool = true
  ) {
    (self.matcher, self.then, self.pace, self.mode) = (matcher, then, pace, mode)
    (self.redaction, self.ignoring, self.mapping) = (redaction, ignoring, mapping)
    (self.isProxied, self.passesOthers) = (isProxied, passesOthers)
    (self.refreshingDates, self.keepsRequests) = (refreshingDates, keepsRequests)
  }

  /// Tells whether hosts that are nowhere on the cassette are asked live; a proxy passes on what it
  /// is asked.
  var passesUnknownHosts: Bool { isProxied || passesOthers }
}
