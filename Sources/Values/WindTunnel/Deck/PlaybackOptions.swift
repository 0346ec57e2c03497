public import Foundation

/// The options by which a deck plays its cassette and records onto it.
public struct PlaybackOptions: Sendable {
  /// The matcher, which compares the parts of a request that select its recording.
  public var matcher: Matcher
  /// The policy for a request whose recordings are used up; an interaction may have its own.
  public var then: EndPolicy
  /// The speed of recorded responses. The parts of a streamed body stay separate at any speed.
  public var pace: Pace
  /// The mode: playing, recording or both.
  public var mode: RecordMode
  /// The rules by which secrets are removed from recordings, in addition to the fixed rules.
  public var redaction: RedactionRules
  /// The hosts whose requests bypass the deck: they are forwarded in every mode, without faults and
  /// unrecorded.
  ///
  /// `api.example.com` means all ports, and `api.example.com:8443` that port only.
  public var ignoring: [String]
  /// The addresses to which live requests for a host are sent instead:
  /// `["api.example.com": "http://127.0.0.1:8000"]`.
  ///
  /// The cassette has the hosts' own names.
  public var mapping: [String: RequestURL]
  /// The origin of requests that name none; `nil` for the origin of most interactions on the
  /// cassette.
  package var origin: RequestURL?
  /// The minimum time between the last bytes from a client and the first bytes to it.
  package var exchangeTime = Duration.zero
  /// Whether requests arrive through a forward proxy.
  ///
  /// Requests to other hosts are then forwarded, and a connection failure becomes a 502 response.
  public var isProxied: Bool
  /// Whether requests to hosts that are not on the cassette are forwarded, with the scenario's
  /// faults and unrecorded.
  ///
  /// With an empty cassette, all live traffic is forwarded with faults.
  public var passesOthers: Bool
  /// The clock for moving dates in recorded responses by the age of the recording
  /// (``Interaction/refreshingDates(at:)``); `nil` to keep the dates.
  ///
  /// It does not affect which response is selected.
  public var refreshingDates: (@Sendable () -> Date)?
  /// Whether the deck keeps the last requests (``Deck/requests(_:)``).
  ///
  /// True by default, and if the deck's server opens an admin port.
  public var keepsRequests: Bool

  /// Creates options; the defaults suit most tests.
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

  /// Whether requests to hosts that are not on the cassette are forwarded, as a proxy always does.
  var passesUnknownHosts: Bool { isProxied || passesOthers }
}
